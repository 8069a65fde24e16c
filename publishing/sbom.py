"""Writes what an installation of everything consists of, as CycloneDX JSON, from an environment with the built wheels alone.

    python publishing/sbom.py dist

No time, number or place of a machine is in it: the same versions give the same bytes.
"""

import argparse
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from distributions import REPOSITORY, projects

__all__: list[str] = []


def _names() -> list[str]:
    return [tomllib.loads((one / "pyproject.toml").read_text())["project"]["name"] for one in projects()]


def _run(*arguments: str) -> None:
    subprocess.run(arguments, check=True)


def main() -> int:
    """Install from the folder of wheels, describe the environment, and write it there."""
    parser = argparse.ArgumentParser(description="Writes an SBOM of the wheels in a folder and what they need.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    with tempfile.TemporaryDirectory() as place:
        python = str(Path(place, "bin", "python"))
        _run(sys.executable, "-m", "uv", "venv", "--quiet", "--python", sys.executable, place)
        _run(
            *(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", python),
            *("--constraint", str(REPOSITORY / "constraints.txt"), "--find-links", str(folder)),
            *("reliability-sentinel[all]", *_names()),
        )
        _run(
            *(str(Path(sys.prefix, "release", "bin", "cyclonedx-py")), "environment", "--output-reproducible"),
            *("--pyproject", str(REPOSITORY / "pyproject.toml"), "--mc-type", "application"),
            *("--output-file", str(folder / "sentinel.cdx.json"), python),
        )
    print(f"{folder.name}/sentinel.cdx.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
