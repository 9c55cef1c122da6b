"""Reads of rounds and of their events. Every query names the operator or the player."""

from collections.abc import Sequence
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from baccarat.domain.rounds.refusals import UnknownRound
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.queries.redaction import redact_for
from baccarat.queries.round_view import RoundResponse, present_round
from baccarat.storage import repository
from casino.api.shapes import ItemList, Page, Shape, Timestamp
from casino.crypto import crypto_shredding
from casino.events import store
from casino.events.sql import fetch

_TABLE: Final = "SELECT FROM baccarat_table WHERE id = %s AND operator_id = %s"
_ROUND: Final = "SELECT id, currency FROM baccarat_round WHERE id = %s AND operator_id = %s"
_OF_TABLE: Final = """
SELECT id, currency FROM baccarat_round
WHERE operator_id = %s AND table_id = %s AND number < %s ORDER BY number DESC LIMIT %s
"""
_OF_OPERATOR: Final = """
SELECT id, currency FROM baccarat_round WHERE operator_id = %s AND id < %s ORDER BY id DESC LIMIT %s
"""
_OF_PLAYER: Final = """
SELECT round_id, currency FROM baccarat_wager WHERE player_id = %s AND round_id < %s ORDER BY round_id DESC LIMIT %s
"""
_TABLES_OF_ROUNDS: Final = "SELECT id, table_id FROM baccarat_round WHERE id = ANY (%s::uuid[])"
_LAST_NUMBER: Final = 2**31 - 1
_LAST_ID: Final = UUID(int=2**128 - 1)


class RoundPage(Page[RoundResponse]):
    """Rounds, newest first."""


class RoundEvent(Shape):
    """An event as recorded."""

    version: int
    type: Annotated[str, Meta(examples=["ChipsPlaced"])]
    schema: int
    data: Annotated[dict[str, Any], Meta(examples=[{"seat": 1, "spot": "banker", "amount": 1000}])]
    recorded_at: Timestamp


class RoundEventList(ItemList[RoundEvent]):
    """A round's events in the order they were recorded."""


def rounds_of_table(
    *, operator: UUID, table: UUID, viewer: UUID | None, before: int | None, limit: int
) -> list[RoundResponse]:
    """List a table's rounds, the newest first, those before number `before`. Raises UnknownTable."""
    last = _LAST_NUMBER if before is None else before
    rounds = _rounds(_OF_TABLE, [operator, table, last, limit], viewer)
    if not rounds and not fetch(_TABLE, [table, operator]):
        raise UnknownTable
    return rounds


def round_of_table(*, operator: UUID, table: UUID, viewer: UUID | None, number: int) -> RoundResponse | None:
    """Return a table's round with this number, None if there is none. Raises UnknownTable."""
    before = rounds_of_table(operator=operator, table=table, viewer=viewer, before=number + 1, limit=1)
    return next((round_ for round_ in before if round_.number == number), None)


def rounds_of_operator(*, operator: UUID, before: UUID | None, limit: int) -> list[RoundResponse]:
    """List all rounds of an operator, the newest first."""
    return _rounds(_OF_OPERATOR, [operator, before or _LAST_ID, limit], None)


def rounds_of_player(*, player: UUID, before: UUID | None, limit: int) -> list[RoundResponse]:
    """List the rounds in which a player had a wager, the newest first."""
    return _rounds(_OF_PLAYER, [player, before or _LAST_ID, limit], player)


def load_round(*, round_: UUID, operator: UUID, viewer: UUID | None) -> RoundResponse:
    """Return one round in full. Raises UnknownRound."""
    rounds = _rounds(_ROUND, [round_, operator], viewer)
    if not rounds:
        raise UnknownRound
    return rounds[0]


def round_events(*, round_: UUID, operator: UUID, viewer: UUID | None) -> RoundEventList:
    """List a round's events as recorded; a player sees the ids of no other player. Raises UnknownRound."""
    if not fetch(_ROUND, [round_, operator]):
        raise UnknownRound
    return RoundEventList(
        items=tuple(
            RoundEvent(
                version=event.version,
                type=event.type,
                schema=event.schema,
                data=_decrypt_note(redact_for(type=event.type, data=msgspec.json.decode(event.data), viewer=viewer)),
                recorded_at=event.recorded_at,
            )
            for event in store.read(f"round-{round_}")
        )
    )


def tables_of_rounds(*, rounds: Sequence[UUID]) -> dict[UUID, UUID]:
    """Map rounds of any operator to their tables; unknown ones are left out."""
    return dict(fetch(_TABLES_OF_ROUNDS, [list(rounds)]))


def _decrypt_note(data: dict[str, Any]) -> dict[str, Any]:
    """Decrypt the texts of staff about a round."""
    return {**data, "note": crypto_shredding.decrypt_text(data["note"])} if "note" in data else data


def _rounds(query: str, parameters: Sequence[Any], viewer: UUID | None) -> list[RoundResponse]:
    rows = fetch(query, parameters)
    states = repository.read_rounds([round_ for round_, _ in rows])
    return [present_round(states[round_], viewer=viewer, currency=currency) for round_, currency in rows]
