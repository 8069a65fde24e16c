"""attrs classes that are msgspec Structs underneath.

msgspec fills a Struct in half the time that it takes for an attrs class, and one is made by hand in a fifth of the time; a
trace is thousands of them. To those who use them nothing changes: attrs' functions (``evolve``, ``fields``, ``asdict``)
and type checkers see an attrs class, frozen and keyword-only.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

__all__ = ["changing", "collected", "declared", "evolve", "fast", "field", "record"]

_Class = TypeVar("_Class", bound=type)
_Instance = TypeVar("_Instance")
_OWN = frozenset({"__module__", "__doc__", "__qualname__", "__str__"})

if TYPE_CHECKING:
    import attrs
    from attrs import define as changing
    from attrs import field
    from attrs import frozen as declared
else:  # attrs and the methods that it writes for each class would take most of what importing a class takes

    class _Field:
        """What ``field`` was given."""

        def __init__(self, **given: Any) -> None:
            self.given = given

    def field(**given: Any) -> Any:
        """A field with a ``default`` or a ``factory``, and a ``converter``, as attrs has it."""
        return _Field(**given)

    def declared(**_options: Any) -> Any:
        """Marks a class whose fields ``fast`` or ``record`` reads; to type checkers it is attrs' own decorator."""
        return lambda cls: cls

    changing = declared


class _Attributes:
    """What ``attrs.fields`` returns for a class, made when it is first asked for."""

    def __init__(
        self, name: str, types: Mapping[str, Any], given: Mapping[str, Mapping[str, Any]], *, kw_only: bool
    ) -> None:
        self._name, self._types, self._given, self._kw_only = name, types, given, kw_only
        self._made: tuple[attrs.Attribute[Any], ...] | None = None

    def __get__(self, instance: object, owner: type) -> "tuple[attrs.Attribute[Any], ...]":
        if self._made is None:
            import attrs

            body = {name: attrs.field(**given) for name, given in self._given.items()}
            plain = type(self._name, (), {"__annotations__": dict(self._types), **body})
            made = attrs.define(slots=False, init=False, repr=False, eq=False, kw_only=self._kw_only)(plain)
            self._made = attrs.fields(made)
        return self._made


def fast(cls: _Class) -> _Class:
    """The Struct with the fields, methods and docstring of a frozen attrs class.

    Converters and ``__attrs_post_init__`` run after it is filled, by msgspec too. Nothing in it may refer back to it: the
    garbage collector does not look inside.
    """
    return _struct(cls, changes=False)


def collected(cls: _Class) -> _Class:
    """The same for a class whose instances may hold what refers back to them, such as functions."""
    return _struct(cls, changes=False, gc=True)


def record(cls: _Class) -> _Class:
    """The same for a slotted class whose instances change and are compared by identity; it is filled by position."""
    return _struct(cls, changes=True)


def _struct(cls: _Class, *, changes: bool, gc: bool = False) -> _Class:
    types: dict[str, Any] = dict(vars(cls).get("__annotations__") or cls.__annotations__)
    given = {name: _given(vars(cls)[name]) for name in types if name in vars(cls)}
    kept = {
        name: value
        for name, value in vars(cls).items()
        if name not in types and (name in _OWN or not name.startswith("__"))
    }
    kept["__attrs_attrs__"] = _Attributes(cls.__name__, types, given, kw_only=not changes)
    converters = {name: one["converter"] for name, one in given.items() if "converter" in one}
    if (check := _post_init(getattr(cls, "__attrs_post_init__", None), converters)) is not None:
        kept["__post_init__"] = check
    struct: Any = msgspec.defstruct(
        cls.__name__,
        [(name, kind, _default(given.get(name, {}))) for name, kind in types.items()],
        namespace=kept,
        module=cls.__module__,
        frozen=not changes,
        kw_only=not changes,
        eq=not changes,
        gc=gc,
    )
    return struct  # type: ignore[no-any-return]


def _given(value: Any) -> Mapping[str, Any]:
    """What is said of a field: by a call of ``field``, or by its default alone."""
    given: Mapping[str, Any] = getattr(value, "given", None) or {"default": value}
    return given


def _default(given: Mapping[str, Any]) -> Any:
    if "factory" in given:
        return msgspec.field(default_factory=given["factory"])
    return msgspec.field(default=given["default"]) if "default" in given else msgspec.field()


def _post_init(own: Any, converters: Mapping[str, Any]) -> Any:
    if not converters:
        return own

    def check(self: Any) -> None:
        for name, convert in converters.items():
            msgspec.structs.force_setattr(self, name, convert(getattr(self, name)))
        if own is not None:
            own(self)

    return check


def evolve(instance: _Instance, **changes: Any) -> _Instance:
    """``attrs.evolve`` for instances of such classes, in a tenth of the time."""
    return msgspec.structs.replace(instance, **changes)  # type: ignore[type-var] # type checkers see an attrs class
