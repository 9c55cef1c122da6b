"""Derives response types from the dataclasses of events, so that an event's fields are declared once."""

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import datetime
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

import msgspec

from casino.api.shapes import AmountText, CurrencyCode, Shape, Timestamp
from casino.kernel.event_amounts import AMOUNTS


@dataclass(frozen=True, slots=True)
class Derivation:
    """What one kind of reader sees of events: which fields are hidden, and which may be absent.

    Types of nested dataclasses are made once, and named with the prefix.
    """

    hides: Callable[[str, Any], bool]
    optional: frozenset[str] = frozenset()
    prefix: str = ""
    _nested: dict[Any, type[Shape]] = field(default_factory=dict)

    def derive(self, event: type, summary: str, *, without: frozenset[str] = frozenset()) -> type[Shape]:
        """Make the response type of an event."""
        return self.struct(f"{self.prefix}{event.__name__}Data", self.fields(event, without), summary)

    def struct(self, name: str, declared: Mapping[str, Any], summary: str) -> type[Shape]:
        """Make a response type of these fields."""
        members = [
            (key, hint | msgspec.UnsetType, msgspec.UNSET) if key in self.optional else (key, hint)
            for key, hint in declared.items()
        ]
        struct: Any = msgspec.defstruct(
            name, members, bases=(Shape,), kw_only=True, module=__name__, namespace={"__doc__": summary}
        )
        return cast("type[Shape]", struct)

    def fields(self, event: type, without: frozenset[str]) -> dict[str, Any]:
        """Return the fields of a dataclass that are not hidden, with their types in responses."""
        hints = get_type_hints(event, include_extras=True)
        return {
            each.name: self._public_type(each.name, hints[each.name])
            for each in fields(event)
            if each.name not in without and not self.hides(each.name, hints[each.name])
        }

    def _public_type(self, name: str, hint: Any) -> Any:
        """Return the type of a field: decimal strings for amounts, response types for dataclasses."""
        origin, inner = get_origin(hint), get_args(hint)
        if origin in {Union, UnionType}:
            return Union[tuple(self._public_type(name, each) for each in inner)]  # noqa: UP007  (made at run time)
        if origin is tuple:
            return types.GenericAlias(tuple, (self._public_type(name, inner[0]), ...))
        if origin is dict:
            return types.GenericAlias(dict, (inner[0], self._public_type(name, inner[1])))
        return self._public_scalar(name, hint)

    def _public_scalar(self, name: str, hint: Any) -> Any:
        if hint is type(None):
            return hint
        if name == "currency":
            return CurrencyCode
        if name in AMOUNTS and hint is int:
            return AmountText
        if hint is datetime:
            return Timestamp
        if not (isinstance(hint, type) and is_dataclass(hint)):
            return hint
        if hint not in self._nested:
            declared = self.fields(hint, frozenset())
            self._nested[hint] = self.struct(f"{self.prefix}{hint.__name__}Data", declared, "")
        return self._nested[hint]
