"""Reads for the shells: tables, rounds and wagers of one operator, as pictures. Every query names the operator."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import connection

from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds.refusals import UnknownRound
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.presets import TableRules
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.domain.tables.state import TableState
from baccarat.queries.funding import funding_options_if_low
from baccarat.queries.redaction import redact_for
from baccarat.queries.round_view import present_round
from baccarat.queries.rules_view import present_rules
from baccarat.queries.table_view import present_table
from baccarat.storage import projections
from casino.crypto import crypto_shredding
from casino.events import store
from casino.kernel.money import format_amount
from wallet.ledger import store as ledger
from wallet.ledger.accounts import AccountName

JsonObject = dict[str, Any]

_TABLE: Final = """
SELECT state::text, clock_timestamp() FROM baccarat_table WHERE id = %s AND operator_id = %s
"""
_ROUNDS: Final = "SELECT id, state::text FROM baccarat_round WHERE id = ANY (%s::uuid[])"
_TABLES: Final = """
SELECT id, name, preset, currency, money_types, seats, seats_taken, state::text FROM baccarat_table
WHERE operator_id = %s AND id > %s ORDER BY id LIMIT %s
"""
_OF_TABLE: Final = """
SELECT id, currency, state::text FROM baccarat_round
WHERE operator_id = %s AND table_id = %s AND number < %s ORDER BY number DESC LIMIT %s
"""
_OF_OPERATOR: Final = """
SELECT id, currency, state::text FROM baccarat_round
WHERE operator_id = %s AND id < %s ORDER BY id DESC LIMIT %s
"""
_OF_PLAYER: Final = """
SELECT r.id, r.currency, r.state::text FROM baccarat_wager w JOIN baccarat_round r ON r.id = w.round_id
WHERE w.player_id = %s AND w.round_id < %s ORDER BY w.round_id DESC LIMIT %s
"""
_ROUND: Final = "SELECT id, currency, state::text FROM baccarat_round WHERE id = %s AND operator_id = %s"
_MANY: Final = """
SELECT id, state::text, clock_timestamp() FROM baccarat_table WHERE id = ANY (%s::uuid[]) AND operator_id = %s
ORDER BY id
"""
_SEATED: Final = """
SELECT table_id FROM baccarat_sitting WHERE player_id = %s AND operator_id = %s AND seat IS NOT NULL
"""
_TABLES_OF_ROUNDS: Final = "SELECT id, table_id FROM baccarat_round WHERE id = ANY (%s::uuid[])"
_CURRENCIES: Final = "SELECT id, currency FROM baccarat_table WHERE id = ANY (%s::uuid[])"
_NEXT: Final = """
SELECT clock_timestamp(), (SELECT min(due_at) FROM baccarat_table WHERE due_at > coalesce(%s, statement_timestamp()))
"""
_ANY: Final = UUID(int=2**128 - 1)
_FIRST: Final = UUID(int=0)


def table(*, table: UUID, operator: UUID, viewer: UUID | None) -> JsonObject:
    """Draw a table with its rules, the round in hand and the last settled one. Raises UnknownTable."""
    rows = _rows(_TABLE, [table, operator])
    if not rows:
        raise UnknownTable
    state, now = projections.decode_table(rows[0][0]), rows[0][1]
    wanted = [round_ for round_ in (state.round, state.last_round) if round_ is not None]
    found = {key: projections.decode_round(raw) for key, raw in (_rows(_ROUNDS, [wanted]) if wanted else [])}
    return _draw(state, found, viewer=viewer, now=now, balance=_game_balance(state, viewer))


def present_tables(
    *, tables: Sequence[UUID], operator: UUID, viewer: UUID, balances: Mapping[AccountName, int]
) -> list[JsonObject]:
    """Draw several tables for a player, whose balances are given, with two queries. Raises UnknownTable."""
    if not tables:
        return []
    rows = _rows(_MANY, [list(tables), operator])
    if len(rows) < len(tables):
        raise UnknownTable
    states = [projections.decode_table(row[1]) for row in rows]
    wanted = [key for state in states for key in (state.round, state.last_round) if key is not None]
    found = {key: projections.decode_round(raw) for key, raw in (_rows(_ROUNDS, [wanted]) if wanted else [])}
    return [
        _draw(state, found, viewer=viewer, now=rows[0][2], balance=_held(balances, _game(state, viewer)))
        for state in states
    ]


def tables_where_seated(*, operator: UUID, player: UUID) -> set[UUID]:
    """Tell at which tables a player sits."""
    return {key for (key,) in _rows(_SEATED, [player, operator])}


def next_deadline(*, after: datetime | None) -> tuple[datetime, datetime | None]:
    """Return the database's time and when, after that moment (or now), a dealer is due next at any table."""
    now, due = _rows(_NEXT, [after])[0]
    return now, due


def tables_of_rounds(*, rounds: Sequence[UUID]) -> dict[UUID, UUID]:
    """Name the tables of rounds of any operator; unknown ones are left out."""
    return dict(_rows(_TABLES_OF_ROUNDS, [list(rounds)]))


def currencies_of_tables(*, tables: Sequence[UUID]) -> dict[UUID, str]:
    """Name the currencies of tables of any operator; unknown ones are left out."""
    return dict(_rows(_CURRENCIES, [list(tables)]))


def _draw(
    state: TableState, found: dict[UUID, RoundState], *, viewer: UUID | None, now: datetime, balance: int | None
) -> JsonObject:
    in_hand = NO_ROUND if state.round is None else found[state.round]
    last = None if state.last_round is None else found[state.last_round]
    means = funding_options_if_low(state, player=viewer, balance=balance)
    picture = present_table(state, in_hand, viewer=viewer, now=now, game_balance=balance, funding_options=means)
    return {
        **picture,
        "money_types": list(state.require_opened().money_types),
        "rules": present_rules(state.rules),
        "last_round": None if last is None else present_round(last, viewer=viewer, currency=state.rules.currency),
    }


def _game_balance(state: TableState, viewer: UUID | None) -> int | None:
    account = _game(state, viewer)
    return None if account is None else ledger.balances([account])[account]


def _held(balances: Mapping[AccountName, int], account: AccountName | None) -> int | None:
    return None if account is None else balances.get(account, 0)


def _game(state: TableState, viewer: UUID | None) -> AccountName | None:
    """The account of the viewer's game balance; None without a seat."""
    seat = None if viewer is None else state.seat_of(viewer)
    if seat is None:
        return None
    facts = state.require_opened()
    place = TableAccounts(operator=facts.operator, table=facts.table, currency=facts.rules.currency)
    return place.game(seat.player, seat.money_type)


def rules(*, table: UUID, operator: UUID) -> TableRules:
    """Return the rules a table plays by. Raises UnknownTable."""
    rows = _rows(_TABLE, [table, operator])
    if not rows:
        raise UnknownTable
    return projections.decode_table(rows[0][0]).rules


def tables(*, operator: UUID, after: UUID | None, limit: int) -> list[JsonObject]:
    """List an operator's tables in the order they were opened."""
    return [_table_line(row) for row in _rows(_TABLES, [operator, after or _FIRST, limit])]


def _table_line(row: tuple[Any, ...]) -> JsonObject:
    key, name, preset, currency, money_types, seats, taken, state = row
    found = projections.decode_table(state).rules
    return {
        "id": str(key),
        "name": name,
        "preset": preset,
        "currency": currency,
        "money_types": money_types.split(","),
        "minimum": format_amount(found.minimum, currency),
        "maximum": format_amount(found.maximum, currency),
        "seats": seats,
        "seats_taken": taken,
        "turn_seconds": found.turn_seconds,
    }


def rounds_of_table(
    *, operator: UUID, table: UUID, viewer: UUID | None, before: int | None, limit: int
) -> list[JsonObject]:
    """List a table's rounds, the newest first, those before number `before`. Raises UnknownTable."""
    found = _rounds(_OF_TABLE, [operator, table, 2**31 - 1 if before is None else before, limit], viewer)
    if not found and not _rows(_TABLE, [table, operator]):
        raise UnknownTable
    return found


def rounds_of_operator(*, operator: UUID, before: UUID | None, limit: int) -> list[JsonObject]:
    """List all rounds of an operator, the newest first."""
    return _rounds(_OF_OPERATOR, [operator, before or _ANY, limit], None)


def rounds_of_player(*, player: UUID, before: UUID | None, limit: int) -> list[JsonObject]:
    """List the rounds in which a player had a wager, the newest first."""
    return _rounds(_OF_PLAYER, [player, before or _ANY, limit], player)


def round_(*, round_: UUID, operator: UUID, viewer: UUID | None) -> JsonObject:
    """Draw one round in full. Raises UnknownRound."""
    found = _rounds(_ROUND, [round_, operator], viewer)
    if not found:
        raise UnknownRound
    return found[0]


def round_events(*, round_: UUID, operator: UUID, viewer: UUID | None) -> list[JsonObject]:
    """List a round's events as recorded; a player sees the ids of no other player. Raises UnknownRound."""
    if not _rows(_ROUND, [round_, operator]):
        raise UnknownRound
    return [
        {
            "version": event.version,
            "type": event.type,
            "schema": event.schema,
            "data": _legible(redact_for(type=event.type, data=msgspec.json.decode(event.data), viewer=viewer)),
            "recorded_at": event.recorded_at,
        }
        for event in store.read(f"round-{round_}")
    ]


def _legible(data: JsonObject) -> JsonObject:
    """What staff wrote about a round is stored sealed."""
    return {**data, "note": crypto_shredding.decrypt_text(data["note"])} if "note" in data else data


def _rounds(query: str, parameters: Sequence[Any], viewer: UUID | None) -> list[JsonObject]:
    return [
        present_round(projections.decode_round(state), viewer=viewer, currency=currency)
        for _, currency, state in _rows(query, parameters)
    ]


def _rows(query: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query, list(parameters))
        found: list[tuple[Any, ...]] = cursor.fetchall()
    return found
