"""attrs classes that are msgspec Structs underneath.

msgspec fills a Struct in half the time that it takes for an attrs class, and one is made by hand in a fifth of the time; a
trace is thousands of them. To those who use them nothing changes: attrs' functions (``evolve``, ``fields``, ``asdict``)
and type checkers see an attrs class, frozen and keyword-only.
"""

import functools
from typing import TYPE_CHECKING, Any, TypeVar

import attrs
import msgspec

__all__ = ["declared", "evolve", "fast", "record"]

if TYPE_CHECKING:
    from attrs import frozen as declared
else:  # the Struct has methods of its own: to write those of attrs would take most of what importing a class takes
    declared = functools.partial(attrs.define, slots=False, init=False, repr=False, eq=False)

_Class = TypeVar("_Class", bound=type)
_Instance = TypeVar("_Instance")
_OWN = frozenset({"__module__", "__doc__", "__qualname__", "__str__"})


def fast(cls: _Class) -> _Class:
    """The Struct with the fields, methods and docstring of a frozen attrs class.

    Converters, validators and ``__attrs_post_init__`` run after it is filled, by msgspec too. Nothing in it may refer back
    to it: the garbage collector does not look inside.
    """
    return _struct(cls, changes=False)


def record(cls: _Class) -> _Class:
    """The same for a slotted class whose instances change and are compared by identity; it is filled by position."""
    return _struct(cls, changes=True)


def _struct(cls: _Class, *, changes: bool) -> _Class:
    fields: tuple[attrs.Attribute[Any], ...] = attrs.fields(cls)
    names = {field.name for field in fields}
    kept = {
        name: value
        for name, value in vars(cls).items()
        if name not in names and (name in _OWN or not name.startswith("__"))
    }
    kept["__attrs_attrs__"] = fields
    if (check := _post_init(cls, fields)) is not None:
        kept["__post_init__"] = check
    struct: Any = msgspec.defstruct(
        cls.__name__,
        [(field.name, field.type, _default(field)) for field in fields],
        namespace=kept,
        module=cls.__module__,
        frozen=not changes,
        kw_only=not changes,
        eq=not changes,
        gc=False,
    )
    return struct  # type: ignore[no-any-return]


def evolve(instance: _Instance, **changes: Any) -> _Instance:
    """``attrs.evolve`` for instances of such classes, in a tenth of the time."""
    return msgspec.structs.replace(instance, **changes)  # type: ignore[type-var] # type checkers see an attrs class


def _default(field: "attrs.Attribute[Any]") -> Any:
    if field.default is attrs.NOTHING:
        return msgspec.field()
    factory = getattr(field.default, "factory", None)
    if factory is not None:
        return msgspec.field(default_factory=factory)
    return msgspec.field(default=field.default)


def _post_init(cls: type, fields: "tuple[attrs.Attribute[Any], ...]") -> Any:
    checked = [field for field in fields if field.converter is not None or field.validator is not None]
    own = getattr(cls, "__attrs_post_init__", None)
    if not checked:
        return own

    def check(self: Any) -> None:
        for field in checked:
            if field.converter is not None:
                convert: Any = field.converter
                msgspec.structs.force_setattr(self, field.name, convert(getattr(self, field.name)))
            if field.validator is not None:
                field.validator(self, field, getattr(self, field.name))
        if own is not None:
            own(self)

    return check
