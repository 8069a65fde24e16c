"""What programs do, by program and subcommand, and what the words of a script's name or target say that it can do: tables for ``commands``."""

__all__ = [
    "ALSO",
    "ASKS_ONLY",
    "CHECKS",
    "CODE",
    "DOES",
    "FORMATTERS",
    "LOOKS",
    "PREPARES",
    "QUIET_SCRIPTS",
    "RUNNERS",
    "SHOWS",
    "TELLS",
    "WORDS",
    "WRAPPERS",
    "word_set",
]


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


_NODE = r"(?:npm|pnpm|yarn|bun)(?: --(?:filter|prefix|dir|cwd)[ =]\S+| -[Cw] \S+| workspace \S+| --?\S+)*(?: run| run-script)? "
_GIT = r"git(?: -[Cc] \S+| --?[\w-]+(?:=\S+)?)*? "

CHECKS: dict[str, str] = {
    "tests": (
        rf"py\.?test|tox|nox|nosetests|unittest|doctest|jest|vitest|mocha|cypress run|playwright test|{_NODE}(?:t|tests?)(?:[:-][\w:-]+)?"
        r"|deno test|node --test|go test|cargo (?:\+\S+ )?(?:nextest run|test|t)|dotnet test|(?:\S*/)?gradlew? (?:\S+ )*?(?:\S*[tT]est\w*|check)|(?:\S*/)?mvnw? (?:\S+ )*?(?:test|verify)"
        r"|rspec|(?:rake|rails) (?:test|spec)\S*|phpunit|pest|paratest|(?:php )?artisan test|ng test|karma start|ctest|prove|g?make (?:-\S+ )*(?:tests?|check)[\w-]*|(?:just|task|hatch|swift|mix|sbt|bazel|meson|stack|cabal|flutter|dart|zig build|composer|lein|forge|rebar3|nx|turbo|moon|pants|elm-app) tests?"
        r"|xcodebuild (?:\S+ )*test|(?:python[\d.]* )?(?:\S*/)?manage\.py test|(?:(?:ba)?sh |python[\d.]* |\./)?\S*(?:run_?tests?|runtests|\btest_\w+|\w+_tests?)\.(?:sh|py)|\S*/run_?tests?"
    ),
    "types": (
        rf"mypy|dmypy (?:run|check)|(?:based)?pyright|(?:vue-)?tsc|svelte-check|cargo (?:\+\S+ )?check"
        rf"|{_NODE}(?:type-?check|check-?types|tsc|types)(?:[:-][\w:-]+)?|g?make (?:types?|typecheck|type-check|mypy)"
    ),
    "lint": (
        rf"ruff(?: check| format)?|flake8|pylint|pyflakes|pycodestyle|black|isort|eslint|prettier|biome (?:check|lint)|stylelint|golangci-lint run|go vet|staticcheck|gofmt|cargo (?:\+\S+ )?(?:clippy|fmt)"
        rf"|rubocop|shellcheck|yamllint|markdownlint\S*|clang-tidy|phpcs|phpstan|ktlint|swiftlint|ansible-lint|actionlint|hadolint|tflint|oxlint|detekt|codespell|cspell|vale|bandit|semgrep|buf lint|helm lint|spectral lint|mix (?:credo|dialyzer|format --check-formatted)|sqlfluff lint|terraform (?:validate|fmt -check)|pre-commit run|{_NODE}(?:lint|format:check|check-format)(?:[:-][\w:-]+)?"
        r"|g?make (?:lint|style|format-check)|(?:just|task) lint"
    ),
    "build": (
        rf"g?make(?: (?:-\S+ ?)*(?:all|build|compile)?)?(?=\s*$)|(?:cmake|meson compile|ninja|gcc|g\+\+|clang(?:\+\+)?|cc|c\+\+|javac|rustc|go build|go install|cargo (?:\+\S+ )?(?:build|b)|webpack|rollup|esbuild|sphinx-build)"
        rf"|{_NODE}(?:build|compile)(?:[:-][\w:-]+)?|(?:vite|next|parcel|ng|astro|nuxt|turbo|nx) (?:run )?build|(?:\S*/)?gradlew? (?:\S+ )*?(?:\S*:)?(?:assemble\w*|build|classes|compile\w*)|(?:\S*/)?mvnw? (?:\S+ )*?(?:compile|package|install)"
        r"|dotnet (?:build|publish)|docker(?:[ -]compose)? (?:buildx )?build|(?:uv|poetry|hatch|swift|bazel|mkdocs|stack|cabal|zig) build|build|xcodebuild|tsc -b|(?:python[\d.]* -m )?(?:compileall|py_compile)"
    ),
}
"""How a command begins that runs a check, by what it checks. The first kind that fits is taken."""

TELLS = (
    r"[^'\"\n]* (?:(?:--help|--version)(?: |\Z)|--dry-run(?:[ =]|\Z))|(?:npm|pnpm|yarn|bun)(?: run(?:-script)?)?(?: -{1,2}\w+)+ *\Z|(?:npm|pnpm|bun)(?: run(?:-script)?)? *\Z|(?:yarn|npm|pnpm) run *\Z"
    r"|(?:npm|pnpm|yarn|bun) (?:-\S+ )*(?:ls|list|la|ll|view|info|show|outdated|audit|config|get|cache|root|bin|prefix|whoami|login|logout|fund|explain|why|help|search|ping|pack|link|repo|owner|team|token)\b(?! run )"
    r"|(?:php -l|ruby -c|perl -c|node (?:--check|-c)|(?:ba|z|da|k)?sh -n|ansible-playbook (?:\S+ )*--syntax-check|nginx -[tTvV])\b"
    r"|aws (?:\S+ ){1,3}?(?:ls|(?:get|describe|list|head)-\S+)|(?:gcloud|az) (?:\S+ )*?(?:list|describe|show)\b|alembic (?:-\S+ \S+ )*(?:current|heads|history|show|branches|check)\b|(?:python[\d.]* )?(?:\S*/)?manage\.py (?:showmigrations|sqlmigrate|check)\b|prisma migrate (?:status|diff)\b|(?:flyway|liquibase|dbmate|goose|sqlx migrate|aerich) (?:\S+ )*?(?:info|status|validate|history|heads)\b"
    r"|(?:rails|rake) db:(?:version|migrate:status)|knex migrate:(?:status|list|currentVersion)|(?:systemctl|pm2|supervisorctl|launchctl) (?:-\S+ )*(?:status|is-active|is-enabled|list\S*|ls|show|cat|logs|describe|info|avail|print)\b|service \S+ status\b"
    r"|(?:kubectl|oc) (?:-\S+ \S+ )*rollout (?:status|history)\b|(?:docker[ -]compose|docker|podman) (?:-\S+ \S+ )*(?:config|ps|images|logs|inspect|port|top|stats|events|version|info|ls)\b|helm (?:list|ls|status|history|get|show|template)\b|(?:terraform|tofu|terragrunt) (?:plan|show|output|state list)\b|pulumi (?:preview|stack)\b"
    r"|(?:fly|flyctl|vercel|netlify|railway|render|eas) (?:auth )?(?:status|logs?|whoami|info|list|ls|inspect|history|describe|show|doctor|version)(?![:\w-])|(?:fly|flyctl) releases(?![:\w-])|heroku (?:apps|logs|ps|releases|status|info|auth:whoami|config:get)(?![:\w-])"
    r"|(?:gh|glab) release (?:list|view|download)\b|git(?: -[Cc] \S+)* (?:tag *(?:\Z|-l|--list|-n|--points-at|--contains|--merged)|stash (?:list|show)|branch *(?:\Z|-[avr]+\b|--(?:show-current|list|all|remotes|contains|merged|no-merged)))"
    r"|(?:just|task|make|gmake|invoke|inv|rake|nox|tox|pre-commit|poe|mise|cmake) (?:--?l(?:ist)?|-T|-P|-p|--tasks|-a|-L|--print-data-base|--listenvs|-E \S+|-n|--just-print|--evaluate|--summary)(?: |\Z)|\S*(?:gradlew?|mvnw?) (?:\S+ )*(?:tasks|dependencies|properties|help|-v|dependency:\S+)\b"
)
"""How a command begins that tells something and runs nothing."""

ASKS_ONLY = r" (?:-V|-h|--collect-only|--co|--fixtures|--markers|--setup-plan|--list(?:-?tests)?|--listTests|--show-?[cC]onfig|--print-config)(?:[ =]|\Z)"
"""Options with which a program that checks only tells what it would do."""

FORMATTERS = r"(?:ruff format|black|isort|prettier|gofmt|cargo (?:\+\S+ )?fmt)\b"
"""These write what they format, unless they are told to check."""

DOES: dict[str, str] = {
    "commit": rf"{_GIT}(?:commit|cherry-pick|revert|am|merge|pull|rebase)|(?:jj|sl|hg|svn) (?:commit|ci|describe|new)|gh pr merge|(?:gt|git-town) (?:create|modify|c|m)|(?:npm|pnpm|yarn) version|cz (?:commit|bump)|bump2?version",
    "push": rf"{_GIT}push|(?:jj git|sl|hg|svn|gt) (?:push|submit)|gh (?:pr create|pr merge|repo (?:sync|create))|docker(?:[ -]compose)? push|podman push|gem push",
    "pull_request": r"(?:gh|hub) (?:pr (?:create|new)|pull-request)|glab mr (?:create|new)|az repos pr create|(?:gt|git-town|spr|ghstack) (?:submit|propose|create)|ghstack|tea pulls? create|bb pr create",
    "comment": r"gh (?:issue (?:comment|close|reopen|edit|create|lock)|pr (?:comment|close|reopen|edit|review|ready|merge)|api)|glab (?:(?:issue|mr) (?:note|close|reopen|update|approve|create)|api)|(?:jira|acli|linear|tea) ",
    "deploy": (
        r"(?:kubectl|oc) (?:\S+ )*?(?:apply|rollout|set|replace|create)|helm (?:upgrade|install)|helmfile|(?:terraform|tofu|terragrunt) apply|pulumi up|(?:fly|flyctl|netlify|firebase|serverless|sls|cdk|sam|eb|wrangler|kamal|cap|railway|now|amplify|zeit|supabase|convex|modal) (?:\S+ )*?(?:deploy|up|publish|release|push)"
        r"|vercel|surge|gh-pages|(?:gcloud|aws|az|doctl|heroku|scw|ibmcloud|oci) \S+|ansible(?:-playbook)?|argocd|flux|docker(?:[ -]compose)? (?:stack deploy|up|run|start)|nomad|rsync|scp|skaffold|dokku|mvn(?:w)? (?:\S+ )*?deploy|gh workflow run|gh (?:api|release)"
    ),
    "publish": rf"{_NODE}publish|(?:uv|poetry|hatch|flit|pdm|cargo|dart pub|dotnet nuget|lerna|changeset|vsce|ovsx|jsr|deno|melos|mix hex\.|sbt|gradlew?|\./gradlew) (?:\S+ )*?(?:publish\w*|push)|twine upload|gem push|(?:gh|glab) release (?:create|upload|edit)|semantic-release|release-it|np|goreleaser|docker push",
    "install": (
        r"(?:uv )?pip[\d.]* (?:install|sync)|uv (?:add|sync|tool install|lock)|(?:poetry|pdm|rye|pipenv|hatch) (?:add|install|update|sync|lock)|pipx (?:install|inject)|(?:npm|pnpm|yarn|bun|deno)(?: --?\S+)* (?:i|ci|install|add|upgrade|update|up)|yarn\Z|bun\Z|npx \S*(?:add|init)"
        r"|cargo (?:add|install|update)|go (?:get|install|mod)|gem install|bundle(?: install| add| update)?|brew \S+|(?:apt|apt-get|dnf|yum|apk|pacman|zypper|port|choco|winget|scoop|snap|nix-env|guix) \S+|(?:conda|mamba|micromamba) (?:install|create|env|update)|composer (?:require|install|update)|mix deps\.get|dotnet add|(?:flutter|dart) pub \S+|pod install|helm dependency|playwright install|pre-commit install|husky|corepack"
    ),
    "migrate": (
        r"alembic(?! (?:-\S+ \S+ )*revision)|(?:python[\d.]* )?(?:\S*/)?manage\.py migrate|(?:rails|rake) db:\S+|prisma (?:migrate|db)|knex \S+|sequelize(?:-cli)? db:\S+|flyway|liquibase|dbmate|goose|diesel migration|typeorm \S+|drizzle-kit|sqlx (?:migrate|database)|(?:psql|mysql|mariadb|sqlite3|sqlcmd|mongosh?|clickhouse(?:-client)?|duckdb)"
        r"|flask db|aerich|yoyo|atlas|dotnet ef|supabase \S+|migrate|(?:php )?artisan migrate\S*|mix ecto\.\S+|node-pg-migrate|db-migrate|umzug|doctrine:\S+"
    ),
    "restart": (
        r"systemctl|service|supervisorctl|pm2|docker(?:[ -]compose)? (?:restart|up|start|stop|down|run|kill)|podman (?:restart|start|run)|(?:kubectl|oc) (?:rollout|delete|scale)|nginx(?= *\Z| -[sc] )|apachectl|launchctl|brew services|kill|pkill|killall|fuser|(?:fly|flyctl|heroku|railway) (?:\S+ )*?(?:restart|apps|machine|ps)\S*"
        rf"|uvicorn|gunicorn|hypercorn|flask run|(?:fastapi|vite|next|nuxt|astro|ng|expo|wrangler|remix|netlify|firebase)(?: (?:dev|start|serve|run|preview|emulators:start))?|{_NODE}(?:dev|start|serve|preview|watch|restart|stop)(?:[:-][\w:-]+)?|nodemon|(?:rails|rake) (?:s|server|restart)|puma|foreman|overmind|air|tilt|screen|tmux|nohup|open -a|(?:python[\d.]* )?(?:\S*/)?manage\.py runserver|http\.server|php -S|php artisan serve|cargo run|go run|redis-server|celery|touch tmp/restart\S*|ccm|lsof -ti"
    ),
    "delete": rf"rm|rmdir|unlink|trash(?:-put)?|shred|truncate|rimraf|del|erase|rd|Remove-Item|{_GIT}(?:rm|clean|branch -[dD]|branch --delete|worktree remove|push .*--delete|push \S+ :|tag -d|stash (?:drop|clear))|find .*(?:-delete|-exec rm)|docker(?:[ -]compose)? (?:\S+ )?(?:rm|rmi|prune|down)|(?:kubectl|oc) delete|(?:dropdb|dropuser)|gh (?:repo|release|issue|run|cache) delete|aws s3 r[mb]|cargo clean|(?:npm|pnpm|yarn|bun) (?:uninstall|remove|rm|un|r)|(?:uv )?pip[\d.]* uninstall|(?:uv|poetry|cargo) remove|git-filter-repo|bfg",
    "edit": (
        rf"alembic (?:-\S+ \S+ )*revision|(?:python[\d.]* )?(?:\S*/)?manage\.py makemigrations|sed (?:\S+ )*?(?:-i\S*|-\w+i|--in-place\S*)|perl (?:\S+ )*?-\w*i|awk -i|tee|patch|ed|ex|dd|cp|mv|install|ln|touch|mkdir|rsync|tar|unzip|gunzip|wget|split|{_GIT}(?:apply|am|checkout|switch|restore|stash|reset|revert|merge|rebase|pull|cherry-pick|mv|rm|clone|init|submodule|worktree|add|sparse-checkout|filter-branch)|jscodeshift|ast-grep|comby|sponge|Set-Content|Out-File|New-Item|Add-Content|Copy-Item|Move-Item"
        rf"|{_NODE}(?:init|create|pkg|version)\S*|npx create-\S+|create-\S+|cookiecutter|copier|(?:rails|nest|ng|hygen|plop|yo|nx) (?:g|generate|new)|protoc|buf generate|sqlc|openapi-generator\S*|prisma generate|xcrun|plutil|cargo (?:new|init|fix|fmt)|go (?:generate|fmt|mod)|dotnet (?:new|format)|pandoc|convert|magick|ffmpeg|jupytext|nbconvert|(?:ruff|eslint|biome|rubocop|stylelint|oxlint|clippy|cargo clippy|golangci-lint) (?:\S+ )*?(?:--fix\S*|--write|-a|-A)|pyupgrade|autoflake|autopep8|yapf|clang-format -i|2to3|towncrier|git-cliff|standard-version|auto-changelog|conventional-changelog|typedoc|helm-docs|terraform-docs|yq (?:\S+ )*?-i|jq .*>|crudini|dos2unix|iconv|chmod|code --|apply_patch"
    ),
    "ci": r"gh (?:run|pr (?:checks|view|status)|workflow|api|checks)|glab (?:ci|pipeline)|circleci|buildkite\S*|hub ci-status|act|az pipelines|travis|drone|jenkins\S*|woodpecker\S*",
}
"""How a command begins that does something, by what it does. A command is of every kind that fits."""

ALSO: tuple[tuple[str, str], ...] = (
    (r"(?:\S*/)?gradlew? |(?:\S*/)?mvnw? |g?make(?: -\S+)*(?: all)?\s*\Z|bazel |(?:nx|turbo) |sbt |dotnet publish|xcodebuild", "tests build types lint"),
    (r"cargo |go |dotnet |swift |mix |stack |cabal |flutter |dart |zig |bazel ", "build types"),
    (rf"{_NODE}(?:build|compile)|(?:vite|next|ng|astro|nuxt|vue-cli-service|react-scripts|webpack|rollup|parcel|tsc|vue-tsc|tsup)\b", "types build"),
    (rf"{_NODE}(?:dev|start|serve|watch)|(?:vite|next|nuxt|astro|ng)\b", "build types"),
    (r"(?:cmake|meson|ninja|gcc|g\+\+|clang(?:\+\+)?|cc|c\+\+|javac|rustc)\b", "types"),
    (r"tox|nox|pre-commit|hatch |pants |moon |biome |g?make (?:-\S+ )*check", "tests types lint format"),
    (rf"{_NODE}test|(?:just|task) test|g?make (?:-\S+ )*test", "build types lint"),
    (r"(?:ruff|black|isort|prettier|eslint|biome|gofmt|rubocop|stylelint|cargo)\b", "format"),
    (rf"{_GIT}push|gh (?:pr merge|workflow|release)", "deploy publish"),
    (rf"{_NODE}publish|semantic-release|release-it|np\b|lerna|goreleaser|changeset", "commit push tests build deploy"),
    (r"docker(?:[ -]compose)? (?:up|run|build)|podman ", "build"),
    (r"(?:ssh|kubectl exec|oc exec)\b", "deploy restart migrate delete install"),
)  # fmt: skip
"""What else a command can do that begins so, although its program is for something else."""

PREPARES: dict[str, str] = {
    "deploy": r"(?:terraform|tofu|terragrunt) plan|pulumi preview|cdk (?:diff|synth)|(?:kubectl|oc) diff|helm (?:template|diff)",
    "migrate": r"alembic (?:-\S+ \S+ )*revision|(?:python[\d.]* )?(?:\S*/)?manage\.py (?:makemigrations|sqlmigrate)|prisma migrate diff|(?:rails|rake) (?:g|generate) migration|sqlx migrate add|knex migrate:make",
}
"""How a command begins that only prepares or shows what another does, by what that is."""

LOOKS = frozenset((
    "alias", "apropos", "awk", "basename", "bat", "cal", "cat", "cd", "column", "comm", "compgen", "curl", "cut", "date", "declare", "df", "diff", "dig", "dirname", "du", "echo", "egrep", "env", "exit",
    "export", "fd", "fgrep", "file", "find", "for", "while", "until", "if", "elif", "fi", "done", "case", "esac", "function", "return", "break", "continue", "local", "read", "in", "free", "fzf", "getent", "grep", "groups", "hash", "head", "help", "history", "host", "hostname", "htop", "http", "id", "info", "ip", "jobs", "jq", "less",
    "ls", "lsof", "man", "md5sum", "more", "netstat", "nl", "nslookup", "open", "ping", "popd", "printenv", "printf", "ps", "pushd", "pwd", "readlink", "realpath", "rg", "sed", "seq", "set", "sha256sum",
    "sleep", "sort", "ss", "stat", "strings", "tail", "test", "tldr", "top", "tr", "tree", "true", "false", "type", "ulimit", "umask", "uname", "uniq", "unset", "uptime", "vmstat", "wait",
    "wc", "wget", "whatis", "whereis", "which", "who", "whoami", "xdg-open", "yes", "[", "[[", ":",
    "pip", "pip3", "git", "gh", "glab", "docker", "podman", "docker-compose", "kubectl", "helm", "tee", "mkdir", "touch", "chmod", "cp", "mv", "rm", "code", "vim", "nano", "brew", "apt", "apt-get",
))  # fmt: skip
"""Programs that do only what the other tables say, whatever the words after them are; some of them wrap a command."""

WRAPPERS = r"docker(?:[ -]compose)? (?:\S+ )*?(?:run|exec)|podman (?:run|exec)|(?:kubectl|oc) (?:\S+ )*?(?:exec|run)|xargs|find .*-exec|watch|ssh|env|git (?:bisect run|rebase .*(?:-x|--exec)|submodule foreach)|gh (?:codespace|cs) ssh|brew test|helm test"
"""Programs that run the command in their arguments."""

RUNNERS = word_set(
    "make gmake just task npm pnpm yarn bun deno tox nox invoke inv rake gradle gradlew mvn mvnw bazel ninja act pre-commit ant grunt gulp lerna nx turbo moon pants poe pdm hatch mise earthly dagger composer artisan mix lein sbt doit fab"
)
"""Programs that run a target of the project."""

QUIET_SCRIPTS = frozenset(("activate", "bashrc", "zshrc", "bash_profile", "profile", "nvm", "env", "cargo"))
"""Scripts that only set the shell up."""

CODE: tuple[tuple[str, str], ...] = (
    (r"\.(?:main|run|test\w*|check\w*)\(|subprocess|os\.system|popen|spawn|child_process|\bexec|`[^`\n]+`|system\(|pytest|unittest|jest|execSync", "*"),
    (r"open\([^)\n]*['\"][wax]|write_text|write_bytes|\.write\(|writeFile|rename|shutil|copyfile|\.save|to_csv|dump\(|replace\(|Path\(", "edit"),
    (r"unlink|os\.remove|rmtree|rmSync|\bdelete\b|drop\b", "delete"),
    (r"requests\.|https?\b|fetch\(|urllib|axios|boto3|octokit|github", "deploy publish pull_request push restart ci comment"),
    (r"execute\(|connect\(|sqlite3|psycopg|sqlalchemy|prisma|ALTER|CREATE TABLE", "migrate delete"),
    (r"\bkill\(|signal", "restart"),
)  # fmt: skip
"""What code that stands in a command or a cell can do, by what it has in it; the star is for everything."""

SHOWS = word_set(
    "status list ls show get info version help print view describe inspect ps logs log tail whoami history search"
)
"""Subcommands and targets that show something, whatever script or program has them."""

_EVERY_CHECK = "check checks ci verify verification validate validation all qa precommit quality gate preflight full prepush doctor"
WORDS: dict[str, frozenset[str]] = {
    kind: word_set(row)
    for kind, row in {
        "tests": f"{_EVERY_CHECK} test tests testing spec specs e2e suite regression regressions smoke integration unit coverage cov pytest jest vitest mocha rspec unittest tox nox phpunit ctest junit nextest cypress playwright bench benchmark repro reproduce assert",
        "types": f"{_EVERY_CHECK} types type typecheck typing mypy pyright tsc lint build compile",
        "lint": f"{_EVERY_CHECK} lint linter linting lints style eslint ruff flake8 pylint format fmt clippy rubocop golangci shellcheck",
        "build": f"{_EVERY_CHECK} build builds compile bundle package dist release deploy docs image webpack rollup vite",
        "format": "format fmt formatter fix style prettier black lint all precommit tidy",
        "commit": "commit release version bump publish ship save checkpoint tag",
        "push": "push release publish ship deploy sync upload mirror",
        "pull_request": "pr prs pull mr request ship release submit",
        "comment": "comment comments reply respond note issue issues pr prs mr review ticket jira linear notify slack post",
        "deploy": "deploy deployment deploys release ship rollout publish staging prod production promote up apply cd provision upload sync live",
        "publish": "publish release upload ship dist pypi npm registry",
        "install": "install setup deps dependencies dependency bootstrap init add requirements env venv vendor packages provision",
        "migrate": "migrate migration migrations db database schema upgrade sql seed alembic prisma",
        "restart": "restart reload up start serve server dev stop down app main watch bounce reboot",
        "delete": "clean cleanup clear remove delete rm purge reset prune wipe drop uninstall nuke distclean",
        "edit": "generate gen codegen update fix format fmt write create rename replace refactor patch apply convert bump migrate sync docs doc changelog scaffold init add codemod release version build rewrite transform port edit make insert",
        "ci": f"{_EVERY_CHECK} pipeline pipelines workflow workflows jenkins actions",
    }.items()
}  # fmt: skip
"""What a script can be of whose name or target has one of these words, by kind."""
