"""Runs a suite: every trial of every scenario, several at a time in child processes; each finished trial is saved at once."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import msgspec

from sentinel_command_suite.cassette import Tape, read_cassette, write_cassette
from sentinel_command_suite.journal import Done, Journal
from sentinel_command_suite.reading import read_suite
from sentinel_command_suite.results import EvaluationResults, TrialResult
from sentinel_command_suite.scenario import Scenario, Suite, Toolset
from sentinel_command_suite.summary import gather
from sentinel_command_suite.worker import FRAMES, Connect, Order, TrialDone, Versions, Worker, versions_in, work
from sentinel_core.errors import ConfigError, PluginError, WorkerError
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.runtime.isolate import Child
from sentinel_core.runtime.outbox import Frame, Refusal, Warned
from sentinel_core.runtime.pool import Pool

__all__ = ["RunOptions", "run_evaluation"]

_log = logging.getLogger("sentinel")
_BUILT_IN_PROVIDER = "offline"
_UNPRICED = "the provider reported no cost, so --max-cost has no effect"
Progress = Callable[[int, int, TrialResult], None]


@attrs.frozen(kw_only=True)
class RunOptions:
    """How to run a suite.

    ``provider`` and ``trials`` default to the suite's. ``of_provider`` are settings of the evaluated provider; they go
    before ``layers``. ``workers`` is the number of child processes; 0 runs in this process, without isolation.
    ``folder`` keeps journal and traces; None keeps nothing. ``max_cost`` is in US dollars: no trial starts once the
    finished ones have cost that much. ``only`` picks scenarios by id or tag. ``timeout`` is the most seconds that one
    trial may take. ``connect`` replaces the provider: it is given a scenario's id and the number of the trial. ``warn``
    gets warnings, such as where an API key is sent, before a model is asked.
    """

    provider: str | None = None
    of_provider: Mapping[str, Any] = attrs.field(factory=dict)
    trials: int | None = None
    workers: int = 1
    layers: Layers = attrs.field(factory=Layers)
    selection: Selection = attrs.field(factory=Selection)
    folder: Path | None = None
    resume: bool = False
    max_cost: float | None = None
    record: Path | None = None
    replay: Path | None = None
    toolset: Toolset | None = None
    only: tuple[str, ...] = ()
    timeout: float = 600.0
    memory: int | None = None
    connect: Connect | None = None
    progress: Progress = lambda _done, _all, _result: None
    warn: Callable[[str], None] = _log.warning


def run_evaluation(test_suite: Suite | str | Path, options: RunOptions | None = None) -> EvaluationResults:
    """Run every scenario of a suite (a ``Suite``, the name of a built-in one, or a file) and gather the results.

    Raises ``InputError`` for a suite, cassette or journal that cannot be used, ``PluginError`` and ``ConfigError`` where
    provider or settings cannot. What goes wrong in a trial is in the results.
    """
    options = options or RunOptions()
    suite = test_suite if isinstance(test_suite, Suite) else read_suite(test_suite)
    suite = _narrowed(suite, options)
    order = _order(suite, options)
    with ExitStack() as stack:
        run = _Run(suite, options, order)
        if options.folder is not None:
            run.journal = stack.enter_context(
                Journal(options.folder / "journal.jsonl", order.head(), resume=options.resume)
            )
        run.go()
    if options.record is not None:
        write_cassette(options.record, order.provider, suite.name, run.tapes())
    return gather(suite, order.provider, run.versions, [done.result for done in run.done], run.incomplete)


def _narrowed(suite: Suite, options: RunOptions) -> Suite:
    """The suite as changed by the options: fewer scenarios, other tools, another number of trials."""
    chosen = [
        scenario
        for scenario in suite.scenarios
        if not options.only or {scenario.id, *scenario.tags} & set(options.only)
    ]
    known = {name for scenario in suite.scenarios for name in (scenario.id, *scenario.tags)}
    if unknown := sorted(set(options.only) - known):
        raise ConfigError(f'suite "{suite.name}" has no scenario and no tag "{unknown[0]}"')
    return attrs.evolve(
        suite,
        scenarios=tuple(
            attrs.evolve(
                scenario, trials=_trials(scenario, suite, options), toolset=options.toolset or scenario.toolset
            )
            for scenario in chosen
        ),
    )


def _trials(scenario: Scenario, suite: Suite, options: RunOptions) -> int:
    return options.trials or scenario.trials or suite.trials


def _order(suite: Suite, options: RunOptions) -> Order:
    if options.record is not None and options.replay is not None:
        raise ConfigError("--record and --replay cannot be combined: record once, then replay")
    recorded, tapes = read_cassette(options.replay) if options.replay is not None else (None, None)
    provider = recorded or options.provider or suite.provider or _BUILT_IN_PROVIDER
    return Order(
        suite=suite,
        provider=provider,
        of_provider=options.of_provider,
        layers=options.layers,
        selection=options.selection,
        folder=options.folder,
        tapes=tapes,
        recording=options.record is not None,
        connect=options.connect,
    )


@attrs.define(eq=False)
class _Run:
    """A run in progress."""

    suite: Suite
    options: RunOptions
    order: Order
    journal: Journal | None = None
    done: list[Done] = attrs.field(factory=list)
    versions: dict[str, str] = attrs.field(factory=dict)
    warned: set[str] = attrs.field(factory=set)
    incomplete: str = ""

    def go(self) -> None:
        """Run every trial that is not finished yet."""
        if self.journal is not None:
            self.done.extend(self.journal.done)
        finished = {done.result.key for done in self.done}
        pending = [key for key in _keys(self.suite) if f"{key[0]}#{key[1]}" not in finished]
        if not pending:
            self.versions = versions_in(self.order)
        elif self.options.workers == 0:
            self._run_here(pending)
        else:
            self._run_in_children(pending)

    def _run_here(self, pending: Sequence[tuple[str, int]]) -> None:
        worker = Worker.of(self.order)
        for warning in worker.kit.warnings:
            self._warn(warning)
        worker.reach_provider()
        self._begin(dict(worker.versions))
        for key in pending:
            if self._is_over_budget():
                return
            self._keep(worker.trial(*key))

    def _run_in_children(self, pending: Sequence[tuple[str, int]]) -> None:
        count = min(self.options.workers, len(pending))
        launch = partial(Child, partial(work, self.order), frames=FRAMES, memory=self.options.memory)
        with Pool(launch, self.options.timeout, size=count) as pool:
            shares = {worker: list(pending[number::count]) for number, worker in enumerate(pool.workers)}
            for worker, share in shares.items():
                worker.give(share)
            while pool.busy:
                for worker in pool.ready():
                    try:
                        for frame in worker.heard():
                            self._hear(frame, shares[worker])
                    except WorkerError as error:
                        self._lost(shares[worker], error)
                        if shares[worker]:
                            worker.give(shares[worker])
                    if self._is_over_budget():
                        return

    def _hear(self, frame: Frame, share: list[tuple[str, int]]) -> None:
        match frame:
            case Refusal(text=text):
                raise PluginError(text)
            case Warned(text=text):
                self._warn(text)
            case Versions(of=versions):
                self._begin(versions)
            case TrialDone(json=data):
                done = msgspec.json.decode(data, type=Done)
                share.remove((done.result.scenario, done.result.trial))
                self._keep(done)

    def _warn(self, text: str) -> None:
        """Warn once, even if several children report the same."""
        if text not in self.warned:
            self.warned.add(text)
            self.options.warn(text)

    def _begin(self, versions: dict[str, str]) -> None:
        """Start the journal: the plugins are loaded and the provider answers."""
        self.versions = versions
        if self.journal is not None:
            self.journal.begin()

    def _lost(self, share: list[tuple[str, int]], error: WorkerError) -> None:
        """Handle a dead child: its trial becomes an error, and the rest of its share is run again."""
        at = next((key for key in share if f"{key[0]}#{key[1]}" == error.mark), None)
        if at is None:
            raise PluginError(
                f"a worker of the suite {error} before its first trial ({error.mark or 'no plugin was running'})"
            )
        share.remove(at)
        self._keep(
            Done(result=TrialResult(scenario=at[0], trial=at[1], status="error", error=f"the trial {error}")),
        )

    def _keep(self, done: Done) -> None:
        if self.journal is not None and done.result.status != "error":
            self.journal.add(done)
        self.done.append(done)
        if self.options.max_cost is not None and done.result.status != "error" and done.result.cost_usd is None:
            self._warn(_UNPRICED)
        self.options.progress(len(self.done), sum(1 for _ in _keys(self.suite)), done.result)

    def _is_over_budget(self) -> bool:
        """True once the budget is spent and trials are left."""
        limit = self.options.max_cost
        spent = sum((done.result.cost_usd or 0.0) + (done.result.judge_cost_usd or 0.0) for done in self.done)
        left = sum(1 for _ in _keys(self.suite)) - len(self.done)
        if limit is None or spent < limit or not left:
            return False
        self.incomplete = f"stopped after ${spent:.4f} (limit ${limit:g}); {left} trials were not run"
        return True

    def tapes(self) -> dict[str, Tape]:
        """For the cassette, by trial."""
        return {
            done.result.key: (done.capabilities, done.exchanges) for done in self.done if done.capabilities is not None
        }


def _keys(suite: Suite) -> Iterator[tuple[str, int]]:
    for scenario in suite.scenarios:
        for number in range(1, (scenario.trials or 1) + 1):
            yield scenario.id, number
