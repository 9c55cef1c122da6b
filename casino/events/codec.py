"""Encode events as canonical JSON under a name and schema version, and decode them into frozen dataclasses.

Events of old schemas are upcast when read, one version at a time, and never rewritten. A name or schema that is not
registered is refused.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, is_dataclass
from typing import Any, Final

import msgspec

from casino.events.records import NewEvent

Upcast = Callable[[dict[str, Any]], dict[str, Any]]

_encode: Final = msgspec.json.Encoder(order="sorted").encode
_as_dict: Final = msgspec.json.Decoder(dict[str, Any]).decode


class UnknownEvent(LookupError):
    """An event whose name or schema is not registered: written by newer code, or not ours."""


class MalformedEvent(ValueError):
    """Stored data that does not have the fields of its event class."""


@dataclass(frozen=True, slots=True)
class EventType:
    """One event class, its current schema, and how each older schema becomes the next: `{1: from_1_to_2}`."""

    event: type[Any]
    schema: int = 1
    upcasts: Mapping[int, Upcast] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not is_dataclass(self.event):
            raise TypeError(f"{self.event!r} is not a dataclass.")
        if set(self.upcasts) != set(range(1, self.schema)):
            raise TypeError(f"{self.event.__name__} needs one upcast from each schema before {self.schema}.")


class EventRegistry:
    """The event types of one part of the system. Raises TypeError if two have the same name."""

    __slots__ = ("_decoders", "_types")

    def __init__(self, types: Iterable[EventType]) -> None:
        self._types: dict[str, EventType] = {}
        self._decoders: dict[tuple[str, int], Callable[[bytes | str], Any]] = {}
        for kind in types:
            name = kind.event.__name__
            if name in self._types:
                raise TypeError(f"Two events are called {name}.")
            self._types[name] = kind
            self._decoders[name, kind.schema] = msgspec.json.Decoder(kind.event).decode

    def __contains__(self, name: object) -> bool:
        return name in self._types

    @property
    def events(self) -> tuple[type, ...]:
        """The event classes, in the order of registration."""
        return tuple(kind.event for kind in self._types.values())

    def encode(self, event: object) -> NewEvent:
        """Encode an event as canonical JSON. Raises UnknownEvent for an unregistered class."""
        name = type(event).__name__
        kind = self._types.get(name)
        if kind is None or kind.event is not type(event):
            raise UnknownEvent(f"{type(event)!r} is not registered.")
        return NewEvent(name, kind.schema, _encode(event))

    def decode(self, name: str, schema: int, data: bytes | str) -> Any:
        """Decode a stored event, upcasting older schemas.

        Raises UnknownEvent for an unregistered name or schema, MalformedEvent for wrong fields.
        """
        decode = self._decoders.get((name, schema))
        if decode is None:
            return self._decode_old(name, schema, data)
        try:
            return decode(data)
        except msgspec.DecodeError as error:
            raise MalformedEvent(f"{name} schema {schema}: {error}") from error

    def _decode_old(self, name: str, schema: int, data: bytes | str) -> Any:
        kind = self._types.get(name)
        if kind is None:
            raise UnknownEvent(f"No event is called {name}.")
        if schema not in kind.upcasts:
            raise UnknownEvent(f"{name} has schemas 1 to {kind.schema}, not {schema}.")
        try:
            fields = _as_dict(data)
            for version in range(schema, kind.schema):
                fields = kind.upcasts[version](fields)
            return msgspec.convert(fields, kind.event)
        except (msgspec.DecodeError, KeyError) as error:
            raise MalformedEvent(f"{name} schema {schema}: {error}") from error
