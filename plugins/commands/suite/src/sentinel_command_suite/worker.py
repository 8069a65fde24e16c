"""The child process of a run: loads everything once, then runs one trial after another."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import attrs

from sentinel_agent import save_run
from sentinel_command_suite.cassette import Exchange, RecordingModel, ReplayingModel, Tape
from sentinel_command_suite.journal import Done
from sentinel_command_suite.judge import Judge
from sentinel_command_suite.scenario import Suite
from sentinel_command_suite.trial import Trial, run_trial
from sentinel_command_suite.wiring import Kit, load_kit
from sentinel_core import Capabilities, ExecutionTrace, Model
from sentinel_core.errors import ProviderError, SentinelError
from sentinel_core.host.connect import close_model
from sentinel_core.host.selection import Selection
from sentinel_core.host.settings import Layers
from sentinel_core.runtime.outbox import Frame, Outbox, Refusal, Warned
from sentinel_core.runtime.redact import redact

__all__ = ["FRAMES", "Connect", "Order", "TrialDone", "Versions", "Worker", "versions_in", "work"]

Connect = Callable[[str, int], Model]


@attrs.frozen(kw_only=True)
class Order:
    """What to run, and with which plugins. ``tapes`` is the cassette to replay; ``recording`` asks for a new one.

    ``of_provider`` are flags for the provider that is evaluated, and not for the judge's.
    """

    suite: Suite
    provider: str
    of_provider: Mapping[str, Any]
    layers: Layers
    selection: Selection
    folder: Path | None
    tapes: Mapping[str, Tape] | None
    recording: bool
    connect: Connect | None

    def head(self) -> dict[str, Any]:
        """The settings that a resumed run must share."""
        flags = {f"providers.{self.provider}.{field}": value for field, value in self.of_provider.items()}
        given = {key: one.value for key, one in self.layers.values.items()} | flags
        settings = {key: redact(str(value)) for key, value in sorted(given.items())}
        return {
            "schema": 1,
            "suite": self.suite.name,
            "digest": self.suite.digest,
            "provider": self.provider,
            "plugins": self.selection.items,
            "settings": settings,
            "recording": self.recording,
            "replaying": self.tapes is not None,
        }


@attrs.define(eq=False)
class Worker:
    """Loaded plugins, and the model of each trial."""

    order: Order
    kit: Kit
    _notes: list[str] = attrs.field(factory=list, init=False)

    @classmethod
    def of(cls, order: Order) -> "Worker":
        """Load everything. Raises ``PluginError`` and ``ConfigError``."""
        judge = order.suite.judge
        pinned = None if judge is None or order.tapes is not None else (judge.provider, judge.settings)
        provider = None if order.connect is not None or order.tapes is not None else order.provider
        return cls(
            order, load_kit(provider, order.layers, order.selection, of_provider=order.of_provider, judge=pinned)
        )

    @property
    def versions(self) -> Mapping[str, str]:
        """The versions of everything that was loaded."""
        return self.kit.versions

    def reach_provider(self) -> None:
        """Connect to the provider once, if there is one, and pass on its error: every trial would fail the same way.

        A failure to close it is a note on the next trial.
        """
        if self.kit.connect is not None:
            close_model(self.kit.connect(), self.order.provider, self._notes.append)

    def trial(self, scenario_id: str, number: int) -> Done:
        """Run one trial."""
        scenario = next(scenario for scenario in self.order.suite.scenarios if scenario.id == scenario_id)
        trial = Trial(scenario=scenario, number=number, provider=self.order.provider, waits=self.order.tapes is None)
        models = _TrialModels(self.order, self.kit, scenario_id, number)
        result = run_trial(trial, self.kit, connect=models.connect, judge=self._judge(models), keep=self._keep)
        notes = dict.fromkeys((*map(redact, self._notes), *result.notes))
        self._notes.clear()
        result = attrs.evolve(result, notes=tuple(notes))
        return Done(result=result, capabilities=models.capabilities, exchanges=tuple(models.exchanges))

    def _judge(self, models: "_TrialModels") -> Judge | None:
        settings = self.order.suite.judge
        if settings is None:
            return None
        keeps = self.order.folder is not None and not self.order.recording and self.order.tapes is None
        cache = self.order.folder / "judge" if keeps and self.order.folder is not None else None
        return Judge(settings, models.connect_judge, cache)

    def _keep(self, _label: str, trace: ExecutionTrace) -> None:
        if self.order.folder is not None:
            save_run(trace, self.order.folder)


@attrs.define(eq=False)
class _TrialModels:
    """The models of one trial: live, recorded or replayed."""

    order: Order
    kit: Kit
    scenario: str
    number: int
    exchanges: list[Exchange] = attrs.field(factory=list)
    capabilities: Capabilities | None = None
    _left: list[Exchange] | None = None

    def connect(self) -> Model:
        """The agent's model. Raises ``ModelError`` if there is none."""
        return self._model(self._live)

    def _live(self) -> Model:
        if self.order.connect is not None:
            return self.order.connect(self.scenario, self.number)
        assert self.kit.connect is not None  # loaded unless another model replaces it
        return self.kit.connect()

    def connect_judge(self) -> Model:
        """The judge's model."""
        return self._model(self.kit.connect_judge or self._live)

    def _model(self, connect: Callable[[], Model]) -> Model:
        if self.order.tapes is not None:
            return self._replayed(self.order.tapes)
        model = connect()
        if not self.order.recording:
            return model
        self.capabilities = model.get_capabilities()
        return RecordingModel(model, self.exchanges)

    def _replayed(self, tapes: Mapping[str, Tape]) -> Model:
        key = f"{self.scenario}#{self.number}"
        if key not in tapes:
            raise ProviderError(f'the cassette has no trial "{key}"; record it again with --record')
        capabilities, exchanges = tapes[key]
        if self._left is None:
            self._left = list(exchanges)
        return ReplayingModel(self._left, capabilities)


class Versions(Frame):
    """The versions of everything that was loaded; sent once trials can start."""

    of: dict[str, str]


class TrialDone(Frame):
    """A finished trial: a ``Done`` as JSON."""

    json: bytes


FRAMES = Versions | TrialDone | Warned | Refusal


def work(order: Order, outbox: Outbox) -> None:
    """Load once, then run the trials of each share that comes as an order."""
    try:
        worker = Worker.of(order)
        for warning in worker.kit.warnings:
            outbox.warn(warning)
        worker.reach_provider()
    except SentinelError as error:
        outbox.refuse(error)
        return
    outbox.send(Versions(dict(worker.versions)))
    for share in outbox.orders():
        for scenario_id, number in share:
            outbox.mark(f"{scenario_id}#{number}")
            outbox.send(TrialDone(worker.trial(scenario_id, number).to_json()))


def versions_in(order: Order) -> dict[str, str]:
    """The versions of what would be loaded, if no trial is left to run."""
    return dict(Worker.of(order).versions)
