"""Reads of tables as one viewer may see them. Every query names the operator."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.refusals import UnknownTable
from baccarat.domain.tables.state import TableState
from baccarat.queries.round_view import present_round
from baccarat.queries.table_state import load_table_state
from baccarat.queries.table_view import TableResponse, present_table
from baccarat.storage import projections
from casino.api.shapes import AmountText, CurrencyCode, Page, Shape
from casino.events.sql import fetch
from casino.kernel.money import MoneyType, format_amount
from wallet.ledger import store as ledger
from wallet.ledger.accounts import AccountName

_TABLE: Final = """
SELECT state::text, clock_timestamp() FROM baccarat_table WHERE id = %s AND operator_id = %s
"""
_ROUNDS: Final = "SELECT id, state::text FROM baccarat_round WHERE id = ANY (%s::uuid[])"
_TABLES: Final = """
SELECT id, name, preset, currency, money_types, seats, seats_taken, state::text FROM baccarat_table
WHERE operator_id = %s AND id > %s ORDER BY id LIMIT %s
"""
_MANY: Final = """
SELECT id, state::text, clock_timestamp() FROM baccarat_table WHERE id = ANY (%s::uuid[]) AND operator_id = %s
ORDER BY id
"""
_SEATED: Final = """
SELECT table_id FROM baccarat_sitting WHERE player_id = %s AND operator_id = %s AND seat IS NOT NULL
"""
_CURRENCIES: Final = "SELECT id, currency FROM baccarat_table WHERE id = ANY (%s::uuid[])"
_NEXT: Final = """
SELECT clock_timestamp(), (SELECT min(due_at) FROM baccarat_table WHERE due_at > coalesce(%s, statement_timestamp()))
"""
_FIRST: Final = UUID(int=0)


class TableSummary(Shape):
    """A table in the list."""

    id: UUID
    name: str
    preset: str
    currency: CurrencyCode
    money_types: tuple[MoneyType, ...]
    minimum: AmountText
    maximum: AmountText
    seats: int
    seats_taken: int
    turn_seconds: int | None


class TablePage(Page[TableSummary]):
    """Tables in the order they were opened."""


def load_table(*, table: UUID, operator: UUID, viewer: UUID | None) -> TableResponse:
    """Return a table with its rules, the round in hand and the last settled one. Raises UnknownTable."""
    rows = fetch(_TABLE, [table, operator])
    if not rows:
        raise UnknownTable
    state, now = projections.decode_table(rows[0][0]), rows[0][1]
    account = _game_account(state, viewer)
    balance = None if account is None else ledger.balances([account])[account]
    return _present(state, _rounds_of([state]), viewer=viewer, now=now, balance=balance)


def load_tables(
    *, tables: Sequence[UUID], operator: UUID, viewer: UUID, balances: Mapping[AccountName, int]
) -> tuple[TableResponse, ...]:
    """Return several tables for a player, whose balances are known, with two queries. Raises UnknownTable."""
    if not tables:
        return ()
    rows = fetch(_MANY, [list(tables), operator])
    if len(rows) < len(tables):
        raise UnknownTable
    now = rows[0][2]
    states = [projections.decode_table(row[1]) for row in rows]
    rounds = _rounds_of(states)
    presented = []
    for state in states:
        account = _game_account(state, viewer)
        balance = None if account is None else balances.get(account, 0)
        presented.append(_present(state, rounds, viewer=viewer, now=now, balance=balance))
    return tuple(presented)


def tables_where_seated(*, operator: UUID, player: UUID) -> set[UUID]:
    """Return the tables at which a player sits."""
    return {key for (key,) in fetch(_SEATED, [player, operator])}


def next_deadline(*, after: datetime | None) -> tuple[datetime, datetime | None]:
    """Return the database's time and when, after that moment (or now), a dealer is due next at any table."""
    now, due = fetch(_NEXT, [after])[0]
    return now, due


def currencies_of_tables(*, tables: Sequence[UUID]) -> dict[UUID, str]:
    """Map tables of any operator to their currencies; unknown ones are left out."""
    return dict(fetch(_CURRENCIES, [list(tables)]))


def rules_of_table(*, table: UUID, operator: UUID) -> TableRules:
    """Return the rules a table plays by. Raises UnknownTable."""
    rows = fetch(_TABLE, [table, operator])
    if not rows:
        raise UnknownTable
    return projections.decode_table(rows[0][0]).rules


def list_tables(*, operator: UUID, after: UUID | None, limit: int) -> list[TableSummary]:
    """List an operator's tables in the order they were opened."""
    return [_summary(row) for row in fetch(_TABLES, [operator, after or _FIRST, limit])]


def _present(
    state: TableState, rounds: Mapping[UUID, RoundState], *, viewer: UUID | None, now: datetime, balance: int | None
) -> TableResponse:
    in_hand = NO_ROUND if state.round is None else rounds[state.round]
    last = None if state.last_round is None else rounds[state.last_round]
    last_round = None if last is None else present_round(last, viewer=viewer, currency=state.rules.currency)
    return present_table(load_table_state(state, in_hand, viewer=viewer, now=now, balance=balance), state, last_round)


def _rounds_of(states: Sequence[TableState]) -> dict[UUID, RoundState]:
    """Read the round in hand and the last settled one of each table."""
    keys = [key for state in states for key in (state.round, state.last_round) if key is not None]
    return {key: projections.decode_round(raw) for key, raw in (fetch(_ROUNDS, [keys]) if keys else [])}


def _game_account(state: TableState, viewer: UUID | None) -> AccountName | None:
    """Return the account of the viewer's game balance; None without a seat."""
    seat = None if viewer is None else state.seat_of(viewer)
    if seat is None:
        return None
    opened = state.require_opened()
    accounts = TableAccounts(operator=opened.operator, table=opened.table, currency=opened.rules.currency)
    return accounts.game(seat.player, seat.money_type)


def _summary(row: tuple[Any, ...]) -> TableSummary:
    key, name, preset, currency, money_types, seats, seats_taken, state = row
    rules = projections.decode_table(state).rules
    return TableSummary(
        id=key,
        name=name,
        preset=preset,
        currency=currency,
        money_types=tuple(MoneyType(each) for each in money_types.split(",")),
        minimum=format_amount(rules.minimum, currency),
        maximum=format_amount(rules.maximum, currency),
        seats=seats,
        seats_taken=seats_taken,
        turn_seconds=rules.turn_seconds,
    )
