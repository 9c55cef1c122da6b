"""Parses an exported round strictly, so that no two readers interpret one file differently."""

import json
from collections.abc import Iterator
from datetime import datetime
from functools import cached_property
from typing import Any, Final
from uuid import UUID

import msgspec

from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rules.table_rules import TableRules
from baccarat.proofs.parts import ExportedKey, ExportedShoe, Hash, InclusionPath
from baccarat.proofs.results import Mismatch
from baccarat.storage.event_registry import CATALOGUE
from casino.kernel.canonical_json import canonical

FORMAT: Final = "casino.round.v1"
MAX_INTEGER: Final = 2**53 - 1
MAX_DECKS: Final = 16
TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
TIME_LENGTH: Final = len("2026-01-31T12:00:00.000000Z")

Fields = dict[str, Any]


class ExportedEvent(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An event as exported; `data` and `metadata` are None where they are withheld."""

    position: int
    id: int
    stream: str
    version: int
    type: str
    schema: int
    data: Fields | None
    metadata: Fields | None
    recorded_at: str
    previous: Hash
    digest: Hash

    @property
    def location(self) -> str:
        """Format the event's location."""
        return f"position {self.position}, {self.stream} version {self.version}, {self.type}"


class RoundExport(msgspec.Struct, forbid_unknown_fields=True, dict=True):
    """The parts of the file; events are decoded when a check needs them."""

    format: str
    exported_at: str
    round: Fields
    rules: Fields
    shoe: ExportedShoe
    events: list[ExportedEvent]
    inclusion: list[InclusionPath]
    checkpoint: Fields | None
    keys: list[ExportedKey]

    @cached_property
    def round_events(self) -> list[ExportedEvent]:
        return [event for event in self.events if event.stream == f"round-{self.round['id']}"]

    @cached_property
    def table_events(self) -> list[ExportedEvent]:
        return [event for event in self.events if event.stream == f"table-{self.round['table']}"]

    @cached_property
    def other_events(self) -> list[ExportedEvent]:
        """Return the events of other streams: at most the previous round's opening, which committed to the shoe."""
        return [event for event in self.events if event not in self.round_events and event not in self.table_events]

    @cached_property
    def opened(self) -> RoundOpened:
        """Return the opening of the round."""
        found: RoundOpened = decode_event(self.require_event("RoundOpened"))
        return found

    @cached_property
    def table_rules(self) -> TableRules:
        """Return the rules in the file as domain rules."""
        own = {name: value for name, value in self.rules.items() if name != "third_cards"}
        return msgspec.convert(own, TableRules)

    @property
    def is_long(self) -> bool:
        """Return whether the round was dealt from a shoe of many rounds."""
        return bool(self.rules["shuffle"] == "shoe")

    def find_event(self, kind: str) -> ExportedEvent | None:
        """Return the round's first event of a kind, None if there is none."""
        return next((event for event in self.round_events if event.type == kind), None)

    def require_event(self, kind: str) -> ExportedEvent:
        """Return the same event, which must exist and not be withheld. Raises Mismatch."""
        found = self.find_event(kind)
        if found is None:
            raise Mismatch("an event is missing", kind, [event.type for event in self.round_events])
        if found.data is None:
            raise Mismatch("an event is withheld that must be open", kind, "withheld")
        return found

    def decode_all(self, kind: str) -> Iterator[Any]:
        """Yield the round's events of a kind that are not withheld."""
        return (decode_event(event) for event in self.round_events if event.type == kind and event.data is not None)

    def find_shoe_event(self, kind: str) -> ExportedEvent | None:
        """Return the table's event of a kind about the round's shoe, None if there is none."""
        about = [event for event in self.table_events if event.data and event.data.get("shoe") == self.shoe.id]
        return next((event for event in about if event.type == kind), None)


def decode_event(event: ExportedEvent) -> Any:
    """Decode an event's data. Raises UnknownEvent, MalformedEvent."""
    return CATALOGUE.decode(event.type, event.schema, canonical(event.data))


def parse_export(raw: bytes) -> RoundExport:
    """Parse a file's bytes: UTF-8, integers only, unique names. Raises ValueError and Mismatch."""
    document = json.loads(
        raw.decode(), parse_float=_refused, parse_constant=_refused, parse_int=_whole, object_pairs_hook=_once
    )
    given = document.get("format") if isinstance(document, dict) else type(document).__name__
    if given != FORMAT:
        raise Mismatch("the file is not an exported round", FORMAT, given)
    json.dumps(document, ensure_ascii=False).encode()  # a lone surrogate has no UTF-8 encoding
    found = msgspec.convert(document, RoundExport)
    if not found.events:
        raise Mismatch("the file holds no events", "the round's events", "none")
    for decks in (found.rules.get("decks"), found.shoe.decks):
        if type(decks) is not int or not 1 <= decks <= MAX_DECKS:
            raise Mismatch("no shoe is made of so many decks", f"1 to {MAX_DECKS}", decks)
    for moment in (found.exported_at, *(event.recorded_at for event in found.events)):
        _require_moment(moment)
    return found


def _require_moment(moment: str) -> None:
    if len(moment) != TIME_LENGTH or not moment.isascii():
        raise Mismatch("a time is not in UTC to the microsecond", "2026-01-31T12:00:00.000000Z", moment)
    datetime.strptime(moment, TIME_FORMAT)  # noqa: DTZ007  (it says Z)


def shoe_id(exported: RoundExport) -> UUID:
    """Return the shoe's id. Raises ValueError."""
    return UUID(exported.shoe.id)


def _refused(text: str) -> None:
    raise ValueError(f"{text} is no integer")


def _whole(text: str) -> int:
    number = int(text)
    if abs(number) > MAX_INTEGER:
        raise ValueError(f"{text} is too large")
    return number


def _once(pairs: list[tuple[str, Any]]) -> Fields:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return found
