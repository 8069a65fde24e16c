import sys
from contextlib import contextmanager

import pytest

from sentinel_core import Signal
from sentinel_core.errors import DuplicatePluginError, PluginError
from sentinel_core.host.plugins import installed, load, misnamed, select
from sentinel_core.host.selection import KINDS, Selection

HEAD = "from sentinel_core import Signal, hookimpl\n"
BODY = """
@hookimpl
def sentinel_signals():
    return [Signal(name={name!r}, summary="s", detect=lambda index: 0.0)]
"""


def signal(name: str, before: str = "") -> str:
    return f"{HEAD}{before}{BODY.format(name=name)}"


@pytest.fixture
def installs(distribution, monkeypatch):
    """Puts distributions on Python's path for one test."""

    def make(name, modules, entry_points, requires=()):
        folder = distribution(name, modules, entry_points, requires)
        monkeypatch.syspath_prepend(folder)
        for module in modules:
            monkeypatch.delitem(sys.modules, module, raising=False)

    return make


def of_name(name: str, kind: str = "signals"):
    return [one for one in installed() if (one.kind, one.name) == (kind, name)]


def test_listing_is_sorted_and_imports_nothing(installs):
    installs("lister", {"fake_lister": "raise SystemExit"}, {"sentinel.signals": {"aaa": "fake_lister"}})
    everything = installed()
    assert everything == sorted(everything)
    assert {one.kind for one in everything} == {*KINDS} - {"outputs"}  # those are the host's own
    (found,) = of_name("aaa")
    assert (found.label, found.origin, found.target) == ("signals:aaa", "lister 1.0", "fake_lister")
    assert "fake_lister" not in sys.modules


def test_only_the_kinds_asked_for():
    assert {one.kind for one in installed(("signals",))} == {"signals"}


def test_a_clash_names_both_distributions(installs):
    installs("another-loop", {}, {"sentinel.signals": {"loop": "another_loop"}})
    assert len(of_name("loop")) == 2
    with pytest.raises(DuplicatePluginError) as caught:
        select(Selection(), ("signals",))
    assert str(caught.value).startswith(
        'two plugins are named "signals:loop": another-loop 1.0 and reliability-sentinel-'
    )
    assert str(caught.value).endswith("; choose one with --plugins +another-loop:loop, or uninstall one of them")


@pytest.mark.parametrize("text", [None, "offline", "cost"])
def test_a_clash_stops_only_what_would_use_the_plugins(installs, text):
    installs("another-loop", {}, {"sentinel.signals": {"loop": "another_loop"}})
    chosen, _ = select(Selection.parse(text), ("providers", "signals") if text == "cost" else ("providers",))
    assert chosen


@pytest.mark.parametrize(
    "text", ["+another-loop:loop", "another-loop:loop", "no:reliability-sentinel-signal-loop:loop"]
)
def test_a_distribution_settles_a_clash(installs, text):
    installs("another-loop", {}, {"sentinel.signals": {"loop": "another_loop"}})
    chosen, left_out = select(Selection.parse(text), ("signals",))
    assert [one.distribution for one in chosen if one.name == "loop"] == ["another-loop"]
    assert "loop" not in {one.name for one in left_out}


def test_one_name_may_stand_in_two_kinds(installs):
    installs("both", {}, {"sentinel.signals": {"offline": "x"}})
    assert len(of_name("offline")) == len(of_name("offline", "providers")) == 1


def test_select_tells_what_was_left_out():
    chosen, left_out = select(Selection.parse("loop"), ("signals", "trace_readers"))
    assert "signals:loop" in {one.label for one in chosen}
    assert {one.kind for one in chosen} == {"signals", "trace_readers"}
    assert {one.label for one in left_out} >= {"signals:cost", "signals:hallucination"}


def test_loading_takes_the_offer_of_the_entry_points_name(installs):
    source = HEAD + (
        "@hookimpl\ndef sentinel_signals():\n"
        "    return [Signal(name=name, summary='s', detect=float) for name in ('first', 'second')]\n"
    )
    installs("pair", {"fake_pair": source}, {"sentinel.signals": {"second": "fake_pair", "first": "fake_pair"}})
    plugins, failures = load([*of_name("second"), *of_name("first")])
    assert failures == []
    assert [(plugin.source.name, plugin.offer.name) for plugin in plugins] == [("first", "first"), ("second", "second")]
    assert isinstance(plugins[0].offer, Signal)


LOUD = f"""{HEAD}
calls = []

@hookimpl
def sentinel_signals():
    calls.append(1)
    return [Signal(name=name, summary="s", detect=float) for name in ("first", "second")]
"""


def test_a_module_with_several_names_is_asked_once(installs):
    installs("quiet", {"fake_quiet": LOUD}, {"sentinel.signals": {"first": "fake_quiet", "second": "fake_quiet"}})
    plugins, failures = load([*of_name("first"), *of_name("second")])
    assert ([plugin.source.name for plugin in plugins], failures) == (["first", "second"], [])
    assert sys.modules["fake_quiet"].calls == [1]


def test_what_a_hook_does_besides_is_held_against_each_name(installs):
    installs("loud", {"fake_loud": LOUD}, {"sentinel.signals": {"first": "fake_loud", "second": "fake_loud"}})

    @contextmanager
    def watch(_stage, _label):
        before = len(sys.modules["fake_loud"].calls) if "fake_loud" in sys.modules else 0
        yield
        if len(sys.modules["fake_loud"].calls) > before:
            raise PluginError("was heard")

    plugins, failures = load([*of_name("first"), *of_name("second")], watch=watch)
    assert plugins == []
    assert [(one.source.name, one.error) for one in failures] == [("first", "was heard"), ("second", "was heard")]


BAD = {
    "raises": ("raise RuntimeError('no\\n luck')", "cannot be imported: RuntimeError: no luck"),
    "half": ("raise RuntimeError('half \\ud800')", "cannot be imported: RuntimeError: half ?"),
    "silent": ("raise RuntimeError", "cannot be imported: RuntimeError"),
    "exits": ("import sys; sys.exit(4)", "cannot be imported: SystemExit: 4"),
    "syntax": ("def (", "cannot be imported: SyntaxError: invalid syntax"),
    "lacks": ("import no_such_thing", "cannot be imported: ModuleNotFoundError: No module named 'no_such_thing'"),
    "long": ("raise RuntimeError('x' * 9999)", "cannot be imported: RuntimeError: " + "x" * 300),
    "unmarked": ("def sentinel_signals(): return []", "it does not implement sentinel_signals; mark the function"),
    "empty": (f"{HEAD}@hookimpl\ndef sentinel_signals():\n    return []", 'its module offers nothing named "empty"'),
    "nothing": (
        f"{HEAD}@hookimpl\ndef sentinel_signals():\n    pass",
        "sentinel_signals must return a list of Signal, but returned None",
    ),
    "single": (
        signal("single").replace("[Signal", "Signal").replace("0.0)]", "0.0)"),
        "sentinel_signals must return a list of Signal, but returned a Signal",
    ),
    "number": (
        f"{HEAD}@hookimpl\ndef sentinel_signals():\n    return [7]",
        "sentinel_signals offered int; expected Signal",
    ),
    "text": (
        f"{HEAD}@hookimpl\ndef sentinel_signals():\n    return 'no'",
        "sentinel_signals must return a list of Signal, but returned a str",
    ),
    "wraps": (f"{HEAD}@hookimpl(wrapper=True)\ndef sentinel_signals():\n    return (yield)", "is a hook wrapper"),
    "arguments": (
        f"{HEAD}@hookimpl\ndef sentinel_signals(config):\n    return []",
        "its sentinel_signals takes arguments (config); a hook",
    ),
    "misspelt": (
        f"{HEAD}@hookimpl\ndef sentinel_signal():\n    return []",
        '"sentinel_signal" is not a hook (the hooks are sentinel_c',
    ),
    "unwrapped": (f"{HEAD}@hookimpl(wrapper=True)\ndef sentinel_signals():\n    return []", "PluginValidationError"),
    "nameless": (signal(""), "it offers a Signal without a name"),
    "numbered": (f"{HEAD}{BODY.replace('{name!r}', '7')}", "it offers a Signal without a name"),
    "mute": (signal("mute").replace('"s"', '""'), "it offers a Signal without a summary"),
    "uncallable": (signal("uncallable").replace("lambda index: 0.0", "0.0"), '"uncallable": detect is not callable'),
    "unset": (
        signal("unset").replace("detect=", "settings=dict, detect="),
        '"unset": settings must be an attrs class',
    ),
}


@pytest.mark.parametrize(("name", "source", "error"), [(name, *rest) for name, rest in BAD.items()], ids=list(BAD))
def test_what_cannot_be_loaded_is_told(installs, name, source, error):
    installs("bad", {f"fake_{name}": source}, {"sentinel.signals": {name: f"fake_{name}"}})
    plugins, (failure,) = load([*of_name(name), *of_name("loop")])
    assert [plugin.source.name for plugin in plugins] == ["loop"]
    assert failure.source.name == name
    assert error in failure.error
    assert "\n" not in failure.error
    assert len(failure.error) < 400


def test_control_c_goes_through(installs):
    installs("c", {"fake_c": "raise KeyboardInterrupt"}, {"sentinel.signals": {"c": "fake_c"}})
    with pytest.raises(KeyboardInterrupt):
        load(of_name("c"))
    with pytest.raises(KeyboardInterrupt):
        load([], ["fake_c.inner"])


def test_what_ended_a_process_is_not_loaded_again(installs):
    installs("deadly", {"fake_deadly": "raise SystemError"}, {"sentinel.signals": {"deadly": "fake_deadly"}})
    _, (failure,) = load(of_name("deadly"), dead={"signals:deadly": "ended the process"})
    assert failure.error == "ended the process"


@pytest.mark.parametrize(
    ("requirement", "error"),
    [
        ("reliability-sentinel==0.1.0", None),
        ("reliability-sentinel>=0.1,<1", None),
        ("reliability-sentinel>=99; extra == 'all'", None),
        ("reliability-sentinel-signal-loop>=99", None),
        ("attrs>=1", None),
        ("reliability-sentinel>=99", "needs reliability-sentinel>=99, but reliability-sentinel 0.1.0 is installed"),
    ],
)
def test_the_hosts_version_is_checked(installs, requirement, error):
    installs("old", {"fake_old": signal("old")}, {"sentinel.signals": {"old": "fake_old"}}, [requirement])
    plugins, failures = load(of_name("old"))
    assert (len(plugins), len(failures)) == ((1, 0) if error is None else (0, 1))
    assert error is None or failures[0].error.startswith(error)


def test_a_file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(signal("mine"))
    (plugin,), failures = load([], [str(path)])
    assert failures == []
    assert (plugin.source.label, plugin.source.origin, plugin.source.version) == ("signals:mine", str(path), None)


def test_a_module(tmp_path, monkeypatch):
    package = tmp_path / "fake_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "inner.py").write_text(signal("dotted"))
    monkeypatch.syspath_prepend(tmp_path)
    (plugin,), _ = load([], ["fake_package.inner"])
    assert (plugin.source.name, plugin.source.origin) == ("dotted", "fake_package.inner")
    with pytest.raises(PluginError, match="it offers nothing; mark sentinel_signals or another hook with @hookimpl"):
        load([], ["xml.etree"])


@pytest.mark.parametrize(
    ("name", "source", "error"),
    [
        ("gone.py", None, "there is no such file"),
        ("notes/readme", "text", "is not a Python file"),
        ("raises.py", "raise ValueError('odd')", "cannot be imported: ValueError: odd"),
        ("offers.py", BAD["text"][0], "sentinel_signals must return a list of Signal, but returned a str"),
    ],
)
def test_what_was_asked_for_and_cannot_be_loaded_is_an_error(tmp_path, name, source, error):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if source is not None:
        path.write_text(source)
    with pytest.raises(PluginError) as caught:
        load([], [str(path)])
    assert str(caught.value).startswith(f'plugin "{path}"')
    assert str(caught.value).endswith(error)


def test_a_file_that_does_more_than_offer_is_named(tmp_path):
    path = tmp_path / "loud.py"
    path.write_text(signal("loud"))

    @contextmanager
    def watch(_stage, _label):
        yield
        raise PluginError("wrote to standard output")

    with pytest.raises(PluginError, match=f'^plugin "{path}": wrote to standard output$'):
        load([], [str(path)], watch=watch)


def test_a_module_that_is_not_there():
    with pytest.raises(PluginError, match=r'^plugin "no_such.module" cannot be imported: .*No module named'):
        load([], ["no_such.module"])


def test_a_file_may_not_take_a_name_that_is_taken(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(signal("loop"))
    with pytest.raises(DuplicatePluginError) as caught:
        load(of_name("loop"), [str(path)])
    assert str(caught.value) == (
        f'two plugins are named "signals:loop": reliability-sentinel-signal-loop 0.1.0 and {path}; '
        "leave one out with --plugins no:loop, or rename yours"
    )


def test_two_files_may_not_offer_one_name(tmp_path):
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    one.write_text(signal("mine"))
    two.write_text(signal("mine"))
    with pytest.raises(DuplicatePluginError) as caught:
        load([], [str(one), str(two)])
    assert str(caught.value) == (
        f'two plugins are named "signals:mine": {one} and {two}; remove one of them from --plugins, or rename its plugin'
    )


def test_an_entry_point_that_names_the_function(installs):
    source = signal("named")
    installs("named", {"fake_named": source}, {"sentinel.signals": {"named": "fake_named:sentinel_signals"}})
    _, (failure,) = load(of_name("named"))
    assert failure.error == 'its entry point refers to a function; refer to the module alone: named = "fake_named"'


def test_a_group_that_is_mistyped_is_told(installs):
    installs("single", {}, {"sentinel.signal": {"a": "x"}, "sentinel.hooks": {"b": "y"}})
    assert misnamed() == [
        'single 1.0: "sentinel.signal" is not a plugin group, so nothing loads it; did you mean "sentinel.signals"?'
    ]


def test_a_file_is_asked_for_the_wanted_kinds_only(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(signal("mine"))
    assert load([], [str(path)], kinds=("tools",)) == ([], [])


def test_foreign_code_is_watched(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(signal("mine"))
    seen = []

    @contextmanager
    def watch(stage, label):
        seen.append((stage, label))
        yield

    load(of_name("loop"), [str(path)], watch=watch)
    assert seen == [("load", "signals:loop"), ("load", str(path))]
