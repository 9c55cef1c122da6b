"""Parse an exported round strictly, so that no two readers interpret one file differently."""

from collections.abc import Iterator
from dataclasses import field, fields, make_dataclass
from functools import cache, cached_property
from typing import Annotated, Any, Final, get_type_hints
from uuid import UUID

import msgspec

from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.domain.rounds.events import CardsDealt, NextTerms, RoundOpened
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.events import TermsFixed
from baccarat.proofs import verifier
from baccarat.proofs.results import Mismatch
from baccarat.storage.event_registry import CATALOGUE

# The length excludes the newline that `$` allows.
Hash = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$", max_length=64, examples=["9f2c5e7a41b0d863" * 4])]
"""32 bytes in lower-case hex: each value has one spelling only."""


class ExportedOpening(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A card of a shoe still in use, with its salt and its path in the shoe's tree."""

    shoe_position: int
    card: str
    salt: Hash
    path: list[Hash]


class ExportedShoe(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The round's shoe: seeds are None while secret, `root` if there is no tree, `shoe_position` without cards.

    `round_seed` and `dealt` are of a round that draws its cards from what is left of a long shoe.
    """

    id: str
    decks: int
    commitment: str
    contributions: list[dict[str, int | str]]
    cut: str
    seed: str | None
    round_seed: str | None
    root: str | None
    shoe_position: int | None
    openings: list[ExportedOpening]
    dealt: list[str]


class InclusionPath(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The path from an event's position in the log to the root of the checkpoint's tree."""

    position: int
    path: list[Hash]


class ExportedNote(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A note that witnesses have cosigned, and the proof that its log continues that of the checkpoint."""

    note: str
    consistency: list[Hash]


class ExportedKey(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A key that signs checkpoints, and its period of validity."""

    id: str
    public_key: Hash
    valid_from: str
    valid_until: str | None


TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"

Fields = dict[str, Any]

_KINDS: Final = {kind.event.__name__: kind for kind in CATALOGUE.types}


class ExportedEvent(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """An event as exported; `data` and `metadata` are None where they are withheld."""

    position: int
    id: int
    transaction: int
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
        """Describe where the event is in the log."""
        return f"position {self.position}, {self.stream} version {self.version}, {self.type}"


class RoundExport(msgspec.Struct, forbid_unknown_fields=True, dict=True):
    """The parts of the file; events are decoded when a check needs them."""

    format: str
    exported_at: str
    round: Fields
    rules: Fields
    shoe: ExportedShoe
    events: list[ExportedEvent]
    inclusion_proofs: list[InclusionPath]
    checkpoint: Fields | None
    keys: list[ExportedKey]
    cosigned: ExportedNote | None = None
    """Absent from files from before checkpoints were cosigned."""

    @cached_property
    def proof(self) -> verifier.Proof:
        """The file as the stand-alone verifier reads it, whose code checks some of it; for a reader without keys."""
        return verifier.Proof(verifier.require_shape(msgspec.to_builtins(self)), set())

    @cached_property
    def round_events(self) -> list[ExportedEvent]:
        return [event for event in self.events if event.stream == f"round-{self.round['id']}"]

    @cached_property
    def table_events(self) -> list[ExportedEvent]:
        return [event for event in self.events if event.stream == f"table-{self.round['table']}"]

    @cached_property
    def other_events(self) -> list[ExportedEvent]:
        """Return the events of other streams: cards of rounds before, with whose deal terms were fixed."""
        return [event for event in self.events if event not in self.round_events and event not in self.table_events]

    @cached_property
    def opened(self) -> RoundOpened:
        """Return the decoded opening of the round."""
        event: RoundOpened = decode_event(self.require_event("RoundOpened"))
        return event

    @cached_property
    def table_rules(self) -> TableRules:
        """Return the rules in the file as domain rules, those that nothing depends on as None."""
        rules = {name: value for name, value in self.rules.items() if name in verifier.RULES}
        others = frozenset(each.name for each in fields(TableRules)).difference(verifier.RULES)
        converted: TableRules = msgspec.convert(rules, _with_optional(TableRules, others))
        return converted

    @property
    def is_long(self) -> bool:
        """Return whether the round was dealt from a shoe of many rounds."""
        return bool(self.rules["shuffle"] == "shoe")

    @property
    def draws_by_round(self) -> bool:
        """Return whether the round draws its cards from what is left of a long shoe."""
        return self.is_long and not self.rules["fixed_order"]

    @cached_property
    def round_commitment(self) -> str:
        """Return the commitment that the round's terms name: to the seed of its drawing, or to its shoe's."""
        if not self.draws_by_round:
            return self.shoe.commitment
        places = [terms.place for event in self.terms_events(self.opened.number) if (terms := decode_terms(event))]
        return str(places[0].commitment) if places and places[0] is not None else ""

    def find_event(self, kind: str) -> ExportedEvent | None:
        """Return the round's first event of a kind, None if there is none."""
        return next((event for event in self.round_events if event.type == kind), None)

    def require_event(self, kind: str) -> ExportedEvent:
        """Return the round's first event of a kind. Raises Mismatch if it is missing or withheld."""
        event = self.find_event(kind)
        if event is None:
            raise Mismatch("an event is missing", kind, [each.type for each in self.round_events])
        if event.data is None:
            raise Mismatch("an event is withheld that must be readable", kind, "withheld")
        return event

    def decode_all(self, kind: str) -> Iterator[Any]:
        """Yield the round's events of a kind that are not withheld."""
        return (decode_event(event) for event in self.round_events if event.type == kind and event.data is not None)

    @property
    def chain_events(self) -> list[ExportedEvent]:
        """Return the table's events before the opening that open witnesses' chains or end them."""
        start = self.require_event("RoundOpened").position
        return [
            event
            for event in self.table_events
            if event.type in {"WitnessChainOpened", "WitnessChainsReplaced"} and event.position < start
        ]

    def terms_events(self, number: int) -> list[ExportedEvent]:
        """Return the events that fix the terms of the table's round with this number."""
        events = sorted((*self.table_events, *self.other_events), key=lambda event: event.position)
        return [event for event in events if (terms := decode_terms(event)) is not None and terms.number == number]

    @property
    def shoe_witnesses(self) -> tuple[WitnessIndex, ...]:
        """Return which links the shoe follows from: those of the round, or of its long shoe."""
        closed = self.find_shoe_event("ShoeCutClosed") if self.is_long else None
        if closed is None:
            return () if self.is_long else self.opened.witnesses
        witnesses: tuple[WitnessIndex, ...] = decode_event(closed).witnesses
        return witnesses

    def find_shoe_event(self, kind: str) -> ExportedEvent | None:
        """Return the table's event of a kind about the round's shoe, None if there is none."""
        events = (event for event in self.table_events if event.data and event.data.get("shoe") == self.shoe.id)
        return next((event for event in events if event.type == kind), None)


def recorded(event: ExportedEvent) -> Fields:
    """Return the members that checks use, as they are in the file. Empty if the event is withheld."""
    specified = {name.removesuffix("?") for name in verifier.EVENTS[event.type]}
    return {name: value for name, value in (event.data or {}).items() if name in specified}


def decode_event(event: ExportedEvent) -> Any:
    """Decode what an event's schema specifies, but rules, which are compared as they are. Other members are None.

    Raises LookupError and msgspec.ValidationError.
    """
    kind, specified = _KINDS[event.type], verifier.EVENTS[event.type]
    like: Any = kind.event  # which mypy takes for unhashable
    decoded = {name.removesuffix("?") for name, shape in specified.items() if shape != verifier.RECORDED_RULES}
    others = frozenset(each.name for each in fields(kind.event)) - decoded
    return msgspec.convert({**recorded(event), **dict.fromkeys(others)}, _with_optional(like, others))


@cache
def _with_optional(decoded: Any, names: frozenset[str]) -> type:
    """Return a class whose members with these names may be None, and are where they are missing."""
    hints = get_type_hints(decoded)
    members = [(name, hints[name] | None, field(default=None, kw_only=True)) for name in sorted(names)]
    return make_dataclass(decoded.__name__, members, bases=(decoded,), frozen=True)


def decode_terms(event: ExportedEvent) -> TermsFixed | NextTerms | None:
    """Return the terms that an event fixes, None if it fixes none or is withheld. Raises as `decode_event`."""
    if event.data is None or event.type not in {"TermsFixed", "CardsDealt"}:
        return None
    decoded: TermsFixed | CardsDealt = decode_event(event)
    return decoded.next_terms if isinstance(decoded, CardsDealt) else decoded


def parse_export(raw: bytes) -> RoundExport:
    """Parse a file's bytes, whose shape is that of the stand-alone verifier. Raises ValueError and Mismatch."""
    try:
        document = verifier.read(raw)
        verifier.require_shape(document)
    except verifier.CheckFailed as refused:
        raise Mismatch(refused.what, refused.expected, refused.actual) from refused
    return msgspec.convert(document, RoundExport)


def shoe_id(exported: RoundExport) -> UUID:
    """Return the shoe's id. Raises ValueError."""
    return UUID(exported.shoe.id)
