"""Writes one version everywhere: ``_version.py``, where it is read, every project, every pin, the action, its example, and what coding agents install.

    python publishing/set_version.py 1.2.3

Static versions keep each source distribution whole by itself; a test fails where one of them differs.
"""

import re
import sys
from pathlib import Path

from distributions import REPOSITORY, projects

__all__ = ["written"]

_SOURCE = Path("src/sentinel_core/_version.py")
_PRINTED = (
    "action.yml",
    "docs/ci.md",
    "integrations/claude-code/.claude-plugin/plugin.json",
    "integrations/gemini-cli/gemini-extension.json",
    "publishing/mcp-registry/server.json",
    "publishing/npm/package.json",
)
_PLACES = (
    re.compile(r'^(version = ")[^"]+(")$', re.MULTILINE),
    re.compile(r'^(  (?:    )?"version": ")[^"]+(",)$', re.MULTILINE),
    re.compile(r'("reliability-sentinel[a-z-]*(?:\[[a-z,-]+\])?==)[^"]+(")'),
    re.compile(r"(default: reliability-sentinel\[standard\]==)\S+()$", re.MULTILINE),
    re.compile(r"(uses: reliability-sentinel/reliability-sentinel@v)\S+()$", re.MULTILINE),
)
_VERSION = re.compile(r"\d+\.\d+\.\d+((a|b|rc)\d+)?")


def written(text: str, version: str) -> str:
    """A text with this version as a project's own, in pins of Sentinel's distributions, and where the action is named."""
    for place in _PLACES:
        text = place.sub(rf"\g<1>{version}\g<2>", text)
    return text


def main(arguments: list[str]) -> int:
    """Change the files in place; 1 where the version is none."""
    if len(arguments) != 1 or not _VERSION.fullmatch(arguments[0]):
        print("say which version, such as 1.2.3 or 1.2.3rc1", file=sys.stderr)
        return 1
    (version,) = arguments
    source = REPOSITORY / _SOURCE
    source.write_text(re.sub(r'^(__version__ = ")[^"]+', rf"\g<1>{version}", source.read_text(), flags=re.MULTILINE))
    for path in (*(project / "pyproject.toml" for project in projects()), *(REPOSITORY / name for name in _PRINTED)):
        path.write_text(written(path.read_text(), version))
    print(f"{version} in {_SOURCE}, {len(projects())} projects, {' and '.join(_PRINTED)}; make setup installs it")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
