"""The base of all contract suites: a subclass cannot drop or replace a test."""

from typing import ClassVar

from sentinel_core.errors import PluginError
from sentinel_core.host.validate_offers import checked

__all__ = ["Contract", "require", "require_taken"]

_HOME = __name__.rpartition(".")[0]
_ALWAYS_FIXED = frozenset({"__init_subclass__", "__test__", "fixed", "pytestmark"})


class Contract:
    """Tests that a plugin must pass, to be subclassed in the plugin's own test folder.

    A contract names the methods that a subclass gives: ``class ToolContract(Contract, given=("make", "arguments"))``.
    Everything else in it is fixed. A subclass may add tests; one that takes away or replaces what is fixed, in its own
    body, through a mixin, or by telling pytest to leave the class out, raises ``TypeError`` when it is defined.
    """

    fixed: ClassVar[frozenset[str]] = _ALWAYS_FIXED

    def __init_subclass__(cls, given: tuple[str, ...] = ()) -> None:
        super().__init_subclass__()
        if _is_ours(cls):
            own = {name for name in vars(cls) if not name.startswith("__")}
            cls.fixed = (cls.fixed | own) - set(given)
            return
        changed = sorted(name for name in _fixed_by_bases(cls) if _is_changed(cls, name))
        if changed:
            raise TypeError(f"{cls.__qualname__} overrides attributes that its contract defines: {', '.join(changed)}")


def _is_ours(cls: type) -> bool:
    return cls.__module__.rpartition(".")[0] == _HOME


def _fixed_by_bases(cls: type) -> frozenset[str]:
    """The names that the contracts among the bases fix, even if the subclass sets ``fixed``."""
    return frozenset(name for base in cls.__mro__ if _is_ours(base) for name in vars(base).get("fixed", ()))


def _is_changed(cls: type, name: str) -> bool:
    """True where the first class that has the name is not one of the contracts."""
    owner = next((base for base in cls.__mro__ if name in vars(base)), None)
    return owner is not None and owner is not object and not _is_ours(owner)


def require_taken(offer: object, kind: str) -> None:
    """Fail the test with the host's message if the host refuses this offer."""
    try:
        checked(offer, kind)
    except PluginError as error:
        raise AssertionError(f"the host rejects it: {error}") from None


def require(holds: object, otherwise: str) -> None:
    """Fail the test with a sentence, also where Python runs without assertions."""
    if not holds:
        raise AssertionError(otherwise)
