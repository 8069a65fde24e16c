"""What the tests of several folders use."""

import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path

import coverage.collector
import hypothesis
import pytest
from coverage import Coverage

pytest_plugins = ["starting"]  # in tests/: which of them start processes

Distribution = Callable[..., Path]


def pytest_configure() -> None:
    """No test fails for being slow. Of the processes that tests start, each measures what it runs, from any folder, and no more.

    That no test ran a file is told by this process: in thousands of others, looking through all folders for such files
    would cost more than the tests.
    """
    hypothesis.settings.register_profile("no clock", deadline=None)
    hypothesis.settings.load_profile("no clock")
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts what runs in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)  # else no command that tests start would hear Ctrl-C
    measuring = Coverage.current()
    if not measuring:
        return
    coverage.collector.short_stack = str  # its own debugging looks up the files of all modules, after each fork
    if folders := measuring.get_option("run:source"):  # in the workers of pytest-xdist it was done already
        measuring.set_option("run:include", [f"{Path(one).absolute()}/*" for one in folders])
        measuring.set_option("run:source", [])
        os.environ["COVERAGE_PROCESS_CONFIG"] = measuring.config.serialize()
    forked_from = [measuring]
    os.register_at_fork(
        before=lambda: forked_from.append(Coverage.current() or measuring),
        after_in_parent=forked_from.pop,
        after_in_child=lambda: [setattr(one, "save", lambda: None) for one in forked_from],
    )


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What a worker measured is saved before it says that it has finished: pytest-xdist kills those that take ten seconds to end."""
    if hasattr(session.config, "workerinput") and (measuring := Coverage.current()):
        measuring.stop()
        measuring.save()


def pytest_unconfigure() -> None:
    """The process of which commands are forked ends with this one, and what they took counts as what this one took."""
    if forked_commands := sys.modules.get("forked_commands"):
        forked_commands.close()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two for each core: many tests wait for other processes, but for those of ``make quick``."""
    return (os.cpu_count() or 1) * (1 if "not process" in config.getoption("markexpr") else 2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """A test marked ``unmeasured`` looks at whole commands from outside, and a run is some twenty processes.

    All that they run, smaller tests run too, and are measured. What the test sets up is not measured either.
    """
    measuring = Coverage.current()
    if not measuring or not item.get_closest_marker("unmeasured"):
        return (yield)
    config, patches = os.environ.pop("COVERAGE_PROCESS_CONFIG"), measuring.get_option("run:patch")
    measuring.stop()
    try:
        return (yield)
    finally:
        measuring.set_option("run:patch", [])  # they are in place; each start would add them once more
        measuring.start()
        measuring.set_option("run:patch", patches)
        os.environ["COVERAGE_PROCESS_CONFIG"] = config


@pytest.fixture
def distribution(tmp_path: Path) -> Distribution:
    """Makes a folder that, on Python's path, is an installed distribution with these modules and entry points."""

    def make(
        name: str,
        modules: Mapping[str, str],
        entry_points: Mapping[str, Mapping[str, str]],
        requires: Iterable[str] = (),
    ) -> Path:
        folder = tmp_path / "installed"
        info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir(parents=True)
        requirements = "".join(f"Requires-Dist: {one}\n" for one in requires)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n{requirements}")
        sections = (
            f"[{group}]\n" + "".join(f"{point} = {target}\n" for point, target in points.items())
            for group, points in entry_points.items()
        )
        (info / "entry_points.txt").write_text("".join(sections))
        for module, source in modules.items():
            (folder / f"{module}.py").write_text(source)
        return folder

    return make
