"""Load what an export contains: sealed events of a round and of its table, and the seed of its shoe."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from baccarat.domain.rounds.refusals import UnknownRound
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.table_rules import Shuffle
from baccarat.proofs.refusals import NothingToProve, NotInThatRound, RoundNotSealed
from baccarat.storage import shoe_seeds
from baccarat.storage.repository import read_cards_from_shoe
from casino.events.hash_chain import GENESIS
from casino.events.records import METADATA
from casino.events.sql import Rows, fetch

TIME_FORMAT: Final = "%Y-%m-%dT%H:%M:%S.%fZ"
RULES_EVENTS: Final = ("TableOpened", "RulesTookEffect")
SHOE_EVENTS: Final = (
    "ShoeCommitted", "ShoeCutContributed", "ShoeCutClosed", "ShoeLinksReleased", "ShoeStarted", "ShoeEnded"
)  # fmt: skip
TERMS_FIXED: Final = "TermsFixed"
CHAIN_EVENTS: Final = ("WitnessChainOpened", "WitnessChainsReplaced")
TABLE_CLOSED: Final = "TableClosed"
TABLE_EVENTS: Final = (*RULES_EVENTS, *SHOE_EVENTS, TERMS_FIXED, *CHAIN_EVENTS, TABLE_CLOSED)
"""The events of the round's table that are evidence."""
PROVABLE_PHASES: Final = frozenset({"settled", "voided"})

_ROUND: Final = "SELECT table_id, phase FROM baccarat_round WHERE id = %s AND operator_id = %s"
_SEALED: Final = f"""
SELECT seal.position, seal.digest, before.digest, event.id, event.transaction, event.stream, event.version, event.type,
       event.schema, event.data::text, {METADATA}::text, event.recorded_at
FROM events_event AS event
LEFT JOIN events_seal AS seal ON seal.event_id = event.id
LEFT JOIN events_seal AS before ON before.position = seal.position - 1
"""  # noqa: S608  (constants)
_WANTED: Final = (
    "FROM unnest(%s::text[], %s::text[], %s::integer[]) WITH ORDINALITY AS wanted (table_id, shoe, number, of)"
)
_OF_ROUNDS: Final = f"{_SEALED} WHERE event.stream = ANY (%s::text[]) ORDER BY event.stream, event.version"
_OF_TABLES: Final = f"""
SELECT wanted.of, found.* {_WANTED} CROSS JOIN LATERAL (
    {_SEALED} WHERE event.stream = 'table-' || wanted.table_id AND seal.position IS NOT NULL AND (
        event.type = ANY (%s::text[]) OR event.type = ANY (%s::text[]) AND event.data ->> 'shoe' = wanted.shoe
     OR event.type = %s AND (event.data ->> 'number' = wanted.number::text
                          OR event.data #>> '{{next_shoe,shoe}}' = wanted.shoe)
     OR event.type = %s AND (event.data -> 'seeds')::jsonb
        @> jsonb_build_array(jsonb_build_object('shoe', wanted.shoe)))
     ORDER BY event.version
) AS found ORDER BY wanted.of
"""
_BEFORE: Final = f"""
SELECT wanted.of, found.* {_WANTED}
  JOIN baccarat_round AS round ON round.table_id = wanted.table_id::uuid
   AND round.number IN (wanted.number - 1, wanted.number - 2)
 CROSS JOIN LATERAL (
    {_SEALED} WHERE event.stream = 'round-' || round.id AND seal.position IS NOT NULL AND event.type = 'CardsDealt'
) AS found ORDER BY wanted.of, found.position
"""
_CLOCK: Final = "SELECT clock_timestamp()"


@dataclass(frozen=True, slots=True)
class EvidenceEvent:
    """An event with its position, its digest and the previous one; JSON is decoded."""

    position: int
    digest: bytes
    previous: bytes
    id: int
    transaction: int
    stream: str
    version: int
    type: str
    schema: int
    data: dict[str, Any]
    metadata: dict[str, Any]
    recorded_at: datetime

    def as_json(self, *, redacted: bool) -> dict[str, Any]:
        """Return the event as exported; without data and metadata if `redacted`."""
        return {
            "position": self.position,
            "id": self.id,
            "transaction": self.transaction,
            "stream": self.stream,
            "version": self.version,
            "type": self.type,
            "schema": self.schema,
            "data": None if redacted else self.data,
            "metadata": None if redacted else self.metadata,
            "recorded_at": format_time(self.recorded_at),
            "previous": self.previous.hex(),
            "digest": self.digest.hex(),
        }


@dataclass(frozen=True, slots=True)
class RoundEvidence:
    """Everything known of an ended round. `seed` may belong to a shoe still in use: never export it then.

    `earlier` are events of rounds before it that fixed its terms or committed to its shoe. `dealt` are the cards that
    were out before, if the round drew its own from what was left of a long shoe.
    """

    round_events: tuple[EvidenceEvent, ...]
    table_events: tuple[EvidenceEvent, ...]
    earlier: tuple[EvidenceEvent, ...]
    seed: bytes | None
    now: datetime
    dealt: tuple[Card, ...] = ()

    @property
    def opened(self) -> dict[str, Any]:
        """Return the recorded opening of the round."""
        return self.round_events[0].data

    @property
    def rules(self) -> dict[str, Any]:
        """Return the recorded rules of the table at the round's opening."""
        start = self.round_events[0].position
        events = [event for event in self.table_events if event.type in RULES_EVENTS and event.position < start]
        rules: dict[str, Any] = events[-1].data["rules"]["values"]
        return rules

    @property
    def draws_by_round(self) -> bool:
        """Return whether the round draws its cards from what is left of a long shoe."""
        rules = self.rules
        return bool(rules["shuffle"] == Shuffle.SHOE and not rules["fixed_order"])

    @property
    def events(self) -> list[EvidenceEvent]:
        """Return the events about the round in log order, without rules that were recorded later."""
        start = self.round_events[0].position
        of_table = [
            event
            for event in self.table_events
            if event.type not in {*RULES_EVENTS, *CHAIN_EVENTS} or event.position < start
        ]
        if not self.opened.get("witnesses") and self.shoe_event_data("ShoeCutClosed") is None:
            of_table = [event for event in of_table if event.type not in CHAIN_EVENTS]
        return sorted((*of_table, *self.earlier, *self.round_events), key=lambda event: event.position)

    def shoe_event_data(self, kind: str) -> dict[str, Any] | None:
        """Return the data of the table's event of this kind about the round's shoe, None if there is none."""
        return next((event.data for event in self.table_events if event.type == kind), None)

    def round_event_data(self, kind: str) -> dict[str, Any] | None:
        """Return the data of the round's first event of this kind, None if there is none."""
        return next((event.data for event in self.round_events if event.type == kind), None)


def load_evidence(*, round_: UUID, operator: UUID, viewer: UUID | None) -> RoundEvidence:
    """Read an ended round for its operator (viewer None) or for a player who was in it.

    Raises UnknownRound, NothingToProve, RoundNotSealed, NotInThatRound.
    """
    require_provable(round_=round_, operator=operator)
    (evidence,) = load_rounds([round_])
    if viewer is not None and str(viewer) not in {seat["player"] for seat in evidence.opened["seats"]}:
        raise NotInThatRound
    return evidence


def load_rounds(rounds: Sequence[UUID]) -> list[RoundEvidence]:
    """Read ended rounds in a few statements, in this order. Raises UnknownRound, RoundNotSealed."""
    by_stream: dict[str, list[EvidenceEvent]] = defaultdict(list)
    for event in _decode(fetch(_OF_ROUNDS, [[f"round-{each}" for each in rounds]])):
        by_stream[event.stream].append(event)
    if len(by_stream) < len(rounds):
        raise UnknownRound
    opened = [by_stream[f"round-{each}"][0].data for each in rounds]
    wanted = [[each[name] for each in opened] for name in ("table", "shoe", "number")]
    kinds = [[*RULES_EVENTS, *CHAIN_EVENTS], list(SHOE_EVENTS), TERMS_FIXED, TABLE_CLOSED]
    of_tables, before = _grouped(_OF_TABLES, [*wanted, *kinds]), _grouped(_BEFORE, wanted)
    seeds, now = shoe_seeds.decrypt({UUID(shoe) for shoe in wanted[1]}), fetch(_CLOCK)[0][0]
    found = [
        RoundEvidence(
            round_events=tuple(by_stream[f"round-{round_}"]),
            table_events=of_tables[place],
            earlier=tuple(event for event in before[place] if _fixes_terms(event, own["number"], own["shoe"])),
            seed=seeds.get(UUID(own["shoe"])),
            now=now,
        )
        for place, (round_, own) in enumerate(zip(rounds, opened, strict=True), 1)
    ]
    return [replace(each, dealt=_dealt_before(each)) if each.draws_by_round else each for each in found]


def _grouped(statement: str, parameters: Sequence[object]) -> Mapping[int, tuple[EvidenceEvent, ...]]:
    """Return the events of a statement by the number of the round that they are for, from 1 on."""
    rows = fetch(statement, parameters)
    events: dict[int, tuple[EvidenceEvent, ...]] = defaultdict(tuple)
    for (place, *_), event in zip(rows, _decode([row[1:] for row in rows]), strict=True):
        events[place] = (*events[place], event)
    return events


def _dealt_before(evidence: RoundEvidence) -> tuple[Card, ...]:
    """Return the cards of a long shoe that were out before the round, the turned card first."""
    started, opened = evidence.shoe_event_data("ShoeStarted") or {}, evidence.opened
    turned = filter(None, [started.get("turned_card")])
    first = started.get("first_round", opened["number"])
    return (*turned, *read_cards_from_shoe(UUID(opened["table"]), first_round=first, before=opened["number"]))


def require_provable(*, round_: UUID, operator: UUID) -> None:
    """Check that a round can be proven at all. Raises UnknownRound, NothingToProve."""
    rows = fetch(_ROUND, [round_, operator])
    if not rows:
        raise UnknownRound
    if rows[0][1] not in PROVABLE_PHASES:
        raise NothingToProve


def format_time(moment: datetime) -> str:
    """Format a time in UTC to the microsecond, as in exports."""
    return moment.astimezone(UTC).strftime(TIME_FORMAT)


def _fixes_terms(dealt: EvidenceEvent, number: int, shoe: str) -> bool:
    """Return whether the terms of this round, or the commitment to its shoe, came with the cards of an earlier one."""
    terms = dealt.data.get("next_terms")
    return terms is not None and (terms["number"] == number or terms["shoe"] == shoe)


def _decode(rows: Rows) -> tuple[EvidenceEvent, ...]:
    """Decode rows of `_SEALED`. Raises RoundNotSealed for an event without a seal."""
    return tuple(map(_decode_row, rows))


def _decode_row(row: tuple[Any, ...]) -> EvidenceEvent:
    position, digest, previous, key, transaction, stream, version, kind, schema, data, metadata, recorded_at = row
    if position is None:
        raise RoundNotSealed
    return EvidenceEvent(
        position=position,
        digest=bytes(digest),
        previous=GENESIS if previous is None else bytes(previous),
        id=key,
        transaction=transaction,
        stream=stream,
        version=version,
        type=kind,
        schema=schema,
        data=msgspec.json.decode(data),
        metadata=msgspec.json.decode(metadata),
        recorded_at=recorded_at,
    )
