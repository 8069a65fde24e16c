# `make run` and `make test` need Python >= 3.11, git and make; they set up the rest in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PROJECTS := $(wildcard pyproject.toml agent/pyproject.toml plugins/*/*/pyproject.toml tools/*/pyproject.toml)
EDITABLES := --editable '.[all]' $(foreach project,$(filter-out pyproject.toml,$(PROJECTS)),--editable $(patsubst %/,%,$(dir $(project))))
READY := $(VENV)/.ready
TESTS := -m pytest --numprocesses auto --dist worksteal -m 'not exhaustive'
BENCHMARKS := cold_start hook readers pipeline instructions long_trace batch telemetry peers
BROWSER := $(VENV)/browser
MULTITOOL := $(if $(filter Linux,$(shell uname -s)),@microsoft/sarif-multitool-linux@5.7.0)
AGENTS := $(VENV)/agents
RELEASE := $(VENV)/release
SPHINX := $(VENV)/.docs
AIMOCK := $(VENV)/aimock/node_modules/@copilotkit/aimock/dist/cli.js

# Not beside the data of the processes: "coverage report" would read there what one that ends late is still writing.
COVERAGE := build/.coverage

# The tests start thousands of processes; without bytecode on disk each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup run style test coverage quick bench detect e2e fuzz soak docs changelog version dist images clean

help: ## Show the targets.
	@sed -n 's/^\([a-z0-9]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 14

setup: $(READY) ## Make .venv with the host, every built-in plugin and the development tools.

$(READY): $(PROJECTS) constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Sentinel needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt uv
	@$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --group dev $(EDITABLES)
	@touch $@

run: $(READY) ## Let the detective agent investigate a release, then judge the agent.
	@$(BIN)/sentinel run v2.1.0 --provider offline --releases examples/releases

$(BROWSER): # What drives and inspects a browser, and validates SARIF; the tests that need them skip where there is no npm.
	@! command -v npm >/dev/null || npm install --silent --ignore-scripts --no-audit --no-fund --prefix $@ playwright-core@1.65.1 axe-core@4.14.1 $(MULTITOOL)

style: $(READY) ## Style and types.
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

define MEASURED_TESTS
$(BIN)/coverage erase
$(BIN)/coverage run $(TESTS)
$(BIN)/python tests/coverage_files.py
mkdir -p $(dir $(COVERAGE))
$(BIN)/coverage combine --quiet --data-file $(COVERAGE) .
$(BIN)/coverage report --data-file $(COVERAGE) --fail-under 90
$(BIN)/coverage report --data-file $(COVERAGE) --include 'src/sentinel_core/evaluate/*' --fail-under 100
endef

test: style $(BROWSER) $(SPHINX) ## Style, types and all tests; with CI=true also the coverage that must hold.
	$(if $(filter true,$(CI)),$(MEASURED_TESTS),$(BIN)/python $(TESTS))

coverage: $(READY) $(BROWSER) $(SPHINX) ## All tests, with branch coverage: at least 90% overall, 100% of evaluate/.
	$(MEASURED_TESTS)

quick: $(READY) ## The tests that start no process and need no faulty server, in under a minute.
	$(BIN)/python -m pytest --quiet --numprocesses auto --dist worksteal -m 'not process and not exhaustive'

bench: $(READY) ## Speed, as ratios measured in this run.
	@broken=; for one in $(BENCHMARKS); do $(BIN)/python benchmarks/$$one.py || broken="$$broken $$one"; done; \
	test -z "$$broken" || { echo "make bench: these failed:$$broken" >&2; exit 1; }

fuzz: $(READY) ## Ten minutes of damaged files through every trace reader.
	$(BIN)/python benchmarks/fuzz.py --seconds 600

soak: $(READY) ## What others tried to break, the limits on memory and time at full size, and all that is tried in very many cases.
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal -m exhaustive
	SENTINEL_SOAK=1 $(BIN)/python -m pytest -s tests/soak tests/agent/test_kills.py tests/acceptance/test_limits.py tests/batch tests/core/test_redact_hostile.py plugins/commands/serve/tests/test_openapi.py tests/reflection/test_races.py plugins/commands/receive/tests/test_receive.py plugins/readers/frameworks/tests/test_hostile.py plugins/signals/hallucination/tests/test_signal.py tests/page/test_in_browser.py

e2e: $(READY) ## Coding agents with the hook, adapters with the newest frameworks, and a real model that finishes the scenario; address and key from SENTINEL_E2E_BASE_URL and SENTINEL_E2E_KEY.
	@test -e $(AIMOCK) || ! command -v npm >/dev/null || npm install --silent --ignore-scripts --no-audit --no-fund --prefix $(VENV)/aimock @copilotkit/aimock@1.43.0
	@test -e $(AGENTS) || ! command -v npm >/dev/null || { \
	  npm install --silent --ignore-scripts --no-audit --no-fund --prefix $(AGENTS) @anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0 @google/gemini-cli@0.61.0 @github/copilot@1.0.102 && \
	  node $(AGENTS)/node_modules/@anthropic-ai/claude-code/install.cjs; }
	SENTINEL_E2E_NEWEST=1 SENTINEL_E2E_AGENTS=$(abspath $(AGENTS)) SENTINEL_E2E_AIMOCK=$(abspath $(AIMOCK)) $(BIN)/python -m pytest tests/e2e -rs -s

detect: $(READY) ## How well scores tell failed runs from good ones, who is accused, which lies are found, on labelled traces.
	$(BIN)/python benchmarks/outcomes.py
	$(BIN)/python benchmarks/odds.py --write
	$(BIN)/python benchmarks/detect.py --write

$(SPHINX): $(READY)
	@$(BIN)/python -m uv pip install --quiet --python $(BIN)/python --constraint constraints.txt --group docs
	@touch $@

docs: $(SPHINX) ## Write the reference from the code, and build the site into build/site.
	$(BIN)/python docs/generate.py
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env docs build/site

changelog: $(READY) ## Collect the fragments of changelog.d: make changelog VERSION=1.2.3.
	@test -n "$(VERSION)" || { echo "make changelog: say which, such as VERSION=1.2.3" >&2; exit 1; }
	$(BIN)/towncrier build --yes --version $(VERSION)

version: $(READY) ## Write a version wherever it stands: make version VERSION=1.2.3.
	@$(BIN)/python publishing/set_version.py $(VERSION)

$(RELEASE)/.ready: $(READY)
	@test -x $(RELEASE)/bin/python || $(BIN)/python -m uv venv --quiet $(RELEASE)
	@$(BIN)/python -m uv pip install --quiet --python $(RELEASE)/bin/python --constraint constraints.txt --group release
	@touch $@

dist: $(RELEASE)/.ready ## Build what is published, twice, check it, and write what it consists of.
	rm -rf dist
	$(BIN)/python publishing/distributions.py dist
	$(RELEASE)/bin/twine --no-color check --strict dist/*
	$(RELEASE)/bin/check-wheel-contents dist
	$(BIN)/python publishing/sbom.py dist
	$(BIN)/python publishing/recipes.py dist build/recipes

images: ## Build the images of the two services and wait until their containers are healthy; needs Docker.
	@sh container/check.sh

clean: ## Remove what was set up and measured.
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage* .sentinel
