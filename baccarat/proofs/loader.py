"""Load what an export contains: sealed events of a round and of its table, and the seed of its shoe."""

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
WHERE event.stream = %s
"""  # noqa: S608  (constants)
_OF_ROUND: Final = _SEALED + "ORDER BY event.version"
_OF_TABLE: Final = _SEALED + (
    "AND seal.position IS NOT NULL AND (event.type = ANY (%s::text[])"
    " OR event.type = ANY (%s::text[]) AND event.data ->> 'shoe' = %s"
    " OR event.type = %s AND (event.data ->> 'number' = %s"
    " OR event.data #>> '{next_shoe,shoe}' = %s)"
    " OR event.type = %s AND (event.data -> 'seeds')::jsonb @> jsonb_build_array(jsonb_build_object('shoe', %s::text)))"
    " ORDER BY event.version"
)
_OF_ROUNDS: Final = "IN (SELECT 'round-' || id FROM baccarat_round WHERE table_id = %s AND number = ANY (%s))"
_BEFORE: Final = _SEALED.replace("= %s", _OF_ROUNDS) + (
    "AND seal.position IS NOT NULL AND event.type = 'CardsDealt' ORDER BY seal.position"
)
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
    rows = fetch(_ROUND, [round_, operator])
    if not rows:
        raise UnknownRound
    table, phase = rows[0]
    if phase not in PROVABLE_PHASES:
        raise NothingToProve
    of_round = _decode(fetch(_OF_ROUND, [f"round-{round_}"]))
    opened = of_round[0].data
    if viewer is not None and str(viewer) not in {seat["player"] for seat in opened["seats"]}:
        raise NotInThatRound
    shoe, number = opened["shoe"], opened["number"]
    terms = TERMS_FIXED, str(number), shoe
    before = _decode(fetch(_BEFORE, [table, [number - 2, number - 1]]))
    parameters = [f"table-{table}", [*RULES_EVENTS, *CHAIN_EVENTS], list(SHOE_EVENTS), shoe, *terms, TABLE_CLOSED, shoe]
    evidence = RoundEvidence(
        round_events=of_round,
        table_events=_decode(fetch(_OF_TABLE, parameters)),
        earlier=tuple(event for event in before if _fixes_terms(event, number, shoe)),
        seed=shoe_seeds.decrypt([UUID(shoe)]).get(UUID(shoe)),
        now=fetch(_CLOCK)[0][0],
    )
    return replace(evidence, dealt=_dealt_before(evidence)) if evidence.draws_by_round else evidence


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
