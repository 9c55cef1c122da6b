"""Events to bytes and back: plain frozen dataclasses by name, schema version and canonical JSON.

Old schemas are upcast when read, one version at a time, and never rewritten. Nothing is guessed: what the catalogue
does not know is refused.
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
    """An event of a name or a schema that this catalogue does not have: written by newer code, or not ours."""


class MalformedEvent(ValueError):
    """Stored data that does not have the fields of its own event class."""


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
    """The events that one part of the system knows, given explicitly. Raises TypeError for two of one name."""

    __slots__ = ("_current", "_kinds")

    def __init__(self, kinds: Iterable[EventType]) -> None:
        self._kinds: dict[str, EventType] = {}
        self._current: dict[tuple[str, int], Callable[[bytes | str], Any]] = {}
        for kind in kinds:
            name = kind.event.__name__
            if name in self._kinds:
                raise TypeError(f"Two events are called {name}.")
            self._kinds[name] = kind
            self._current[name, kind.schema] = msgspec.json.Decoder(kind.event).decode

    def __contains__(self, name: object) -> bool:
        return name in self._kinds

    @property
    def events(self) -> tuple[type, ...]:
        """The classes of the events, in the order given."""
        return tuple(kind.event for kind in self._kinds.values())

    @property
    def current_decoders(self) -> Mapping[tuple[str, int], Callable[[bytes | str], Any]]:
        """What decodes each event of its current schema, by name and schema; it raises msgspec.DecodeError itself."""
        return self._current

    def encode(self, event: object) -> NewEvent:
        """Turn an event into a draft with canonical bytes. Raises UnknownEvent for a class not listed."""
        name = type(event).__name__
        kind = self._kinds.get(name)
        if kind is None or kind.event is not type(event):
            raise UnknownEvent(f"{type(event)!r} is not in this catalogue.")
        return NewEvent(name, kind.schema, _encode(event))

    def decode(self, name: str, schema: int, data: bytes | str) -> Any:
        """Turn stored bytes into the event they record, upcasting older schemas.

        Raises UnknownEvent for an unknown name or a schema that is not known (yet), MalformedEvent for other fields.
        """
        decode = self._current.get((name, schema))
        if decode is None:
            return self._decode_old(name, schema, data)
        try:
            return decode(data)
        except msgspec.DecodeError as trouble:
            raise MalformedEvent(f"{name} schema {schema}: {trouble}") from trouble

    def _decode_old(self, name: str, schema: int, data: bytes | str) -> Any:
        kind = self._kinds.get(name)
        if kind is None:
            raise UnknownEvent(f"No event is called {name}.")
        if schema not in kind.upcasts:
            raise UnknownEvent(f"{name} has schemas 1 to {kind.schema}, not {schema}.")
        try:
            fields = _as_dict(data)
            for version in range(schema, kind.schema):
                fields = kind.upcasts[version](fields)
            return msgspec.convert(fields, kind.event)
        except (msgspec.DecodeError, KeyError) as trouble:
            raise MalformedEvent(f"{name} schema {schema}: {trouble}") from trouble
