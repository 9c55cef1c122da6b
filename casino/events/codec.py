"""Encode events as canonical JSON under a name and schema version, and decode them into frozen dataclasses.

Events of old schemas are upcast when read, one version at a time, and never rewritten. A name or schema that is not
registered is refused: so a release writes only what the release before it reads (deploy/docs/releases.md).
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
    """One event class, its current schema, and how each older schema becomes the next: `{1: from_1_to_2}`.

    `omitted` are members that are not stored while they have this value, their default, wherever in the event they are.
    None of them may be the first of its object.

    `written` is the schema that is stored, where it is an older one because the release before does not read `schema`
    yet: 0 for an event that it does not know at all, which is refused. `downcasts` make the older ones: `{2:
    from_2_to_1}`.
    """

    event: type[Any]
    schema: int = 1
    upcasts: Mapping[int, Upcast] = field(default_factory=dict)
    omitted: Mapping[str, Any] = field(default_factory=dict)
    written: int | None = None
    downcasts: Mapping[int, Upcast] = field(default_factory=dict)

    @property
    def stored(self) -> int:
        """The schema that is stored, 0 if the event may not be written yet."""
        return self.schema if self.written is None else self.written

    def __post_init__(self) -> None:
        if not is_dataclass(self.event):
            raise TypeError(f"{self.event!r} is not a dataclass.")
        if set(self.upcasts) != set(range(1, self.schema)):
            raise TypeError(f"{self.event.__name__} needs one upcast from each schema before {self.schema}.")
        if set(self.downcasts) != set(range(self.stored + 1, self.schema + 1) if self.stored else ()):
            raise TypeError(f"{self.event.__name__} needs one downcast from each schema after {self.stored}.")


class EventRegistry:
    """The event types of one part of the system. Raises TypeError if two have the same name."""

    __slots__ = ("_decoders", "_omitted", "_types")

    def __init__(self, types: Iterable[EventType]) -> None:
        self._types: dict[str, EventType] = {}
        self._decoders: dict[tuple[str, int], Callable[[bytes | str], Any]] = {}
        self._omitted: dict[str, tuple[bytes, ...]] = {}
        for kind in types:
            name = kind.event.__name__
            if name in self._types:
                raise TypeError(f"Two events are called {name}.")
            self._types[name] = kind
            self._decoders[name, kind.schema] = msgspec.json.Decoder(kind.event).decode
            self._omitted[name] = tuple(b"," + _encode({each: kind.omitted[each]})[1:-1] for each in kind.omitted)

    def __contains__(self, name: object) -> bool:
        return name in self._types

    @property
    def types(self) -> tuple[EventType, ...]:
        """The event types, in the order of registration."""
        return tuple(self._types.values())

    @property
    def events(self) -> tuple[type, ...]:
        """The event classes, in the order of registration."""
        return tuple(kind.event for kind in self._types.values())

    @property
    def omitted(self) -> frozenset[str]:
        """The members that some event omits."""
        return frozenset(name for kind in self._types.values() for name in kind.omitted)

    def encode(self, event: object) -> NewEvent:
        """Encode an event as canonical JSON. Raises UnknownEvent for an unregistered class, or one not written yet."""
        name = type(event).__name__
        kind = self._types.get(name)
        if kind is None or kind.event is not type(event):
            raise UnknownEvent(f"{type(event)!r} is not registered.")
        data = _encode(event)
        for member in self._omitted[name]:  # no string holds these bytes: its quotes are escaped
            data = data.replace(member, b"")
        return NewEvent(name, kind.schema, data) if kind.written is None else _downcast(kind, data)

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
        except Exception as error:  # an upcast may raise anything about what it does not expect
            raise MalformedEvent(f"{name} schema {schema}: {error}") from error


def _downcast(kind: EventType, data: bytes) -> NewEvent:
    name = kind.event.__name__
    if not kind.stored:
        raise UnknownEvent(f"{name} may not be written yet: the release before does not know it.")
    fields = _as_dict(data)
    for version in range(kind.schema, kind.stored, -1):
        fields = kind.downcasts[version](fields)
    return NewEvent(name, kind.stored, _encode(fields))
