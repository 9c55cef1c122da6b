"""Reads of tables, the lobby and scoreboards as one viewer may see them. Every query names the operator."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.deal import replay
from baccarat.domain.rules.roads import RoundMark, append_mark, find_pairs
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.tables.refusals import UnknownShoe, UnknownTable
from baccarat.domain.tables.state import TableState
from baccarat.queries.board_view import LobbyTable, Scoreboard, present_board, present_lobby_table
from baccarat.queries.nicknames import shown_nicknames
from baccarat.queries.receipt_keys import sign
from baccarat.queries.round_view import present_round
from baccarat.queries.rules_view import PresetName
from baccarat.queries.table_view import Place, TableResponse, TableStateResponse, present_table, present_table_state
from baccarat.storage import projections, repository
from baccarat.storage.rules_versions import recorded_rules
from casino.api.shapes import AmountText, CurrencyCode, Page, Shape
from casino.events.sql import fetch
from casino.kernel.money import MoneyType, format_amount
from wallet.funding import services as fundings
from wallet.ledger.accounts import AccountName
from wallet.payments.funding_options import DisplayedBalance, FundingOptions, PlayerWallet
from wallet.payments.queries import load_funding_options
from wallet.remote.told import player_wallet, wallet_and_balance

_NOW: Final = """
SELECT state::text, clock_timestamp(), version, round_version FROM baccarat_table WHERE id = %s AND operator_id = %s
"""
_VERSIONS: Final = "SELECT version, round_version FROM baccarat_table WHERE id = %s"
_TABLES: Final = """
SELECT id, name, preset, currency, money_types, seats, seats_taken, state::text FROM baccarat_table
WHERE operator_id = %(operator)s AND id > %(after)s
  AND (%(all)s OR brands = '' OR %(brand)s::text = ANY (string_to_array(brands, ',')))
ORDER BY id LIMIT %(limit)s
"""
_MANY: Final = """
SELECT id, state::text, clock_timestamp() FROM baccarat_table WHERE id = ANY (%s::uuid[]) AND operator_id = %s
ORDER BY id
"""
_SEATED: Final = """
SELECT table_id FROM baccarat_sitting WHERE player_id = %s AND operator_id = %s AND seat IS NOT NULL
"""
_AUDIENCES: Final = """
SELECT id, currency, string_to_array(coalesce(nullif(brands, ''), operator_id::text), ',')::uuid[]
FROM baccarat_table WHERE id = ANY (%s::uuid[])
"""
_FIRST: Final = UUID(int=0)
_LOBBY: Final = """
SELECT kept.state::text, running.phase, running.number, running.opened_at, running.deadline_at, sitting.at
FROM baccarat_table AS kept LEFT JOIN baccarat_round AS running ON running.id = kept.round_id
LEFT JOIN baccarat_sitting AS sitting ON sitting.id = kept.id || '/' || %(viewer)s
WHERE kept.operator_id = %(operator)s AND kept.id > %(after)s AND kept.id IN (
    SELECT id FROM baccarat_table WHERE operator_id = %(operator)s AND in_lobby
       AND (brands = '' OR %(brand)s::text = ANY (string_to_array(brands, ',')))
     UNION
    SELECT table_id FROM baccarat_sitting WHERE player_id = %(viewer)s AND seat IS NOT NULL)
  AND (%(money_type)s::text IS NULL OR %(money_type)s = ANY (string_to_array(kept.money_types, ',')))
ORDER BY kept.id LIMIT %(limit)s
"""

# From which round on the shoe was dealt, and from which the next one.
_SHOES: Final = """
SELECT (data->>'number')::int, (data->>'first_round')::int FROM events_event
WHERE stream = %s AND type = 'ShoeStarted' AND (data->>'number')::int IN (%s, %s)
"""
_MARKS: Final = """
SELECT number, cards FROM baccarat_round
WHERE table_id = %s AND number >= %s AND number < %s AND phase = 'settled' AND NOT forced ORDER BY number
"""


class TableSummary(Shape):
    """A table in the list."""

    id: UUID
    name: str
    preset: PresetName
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
    """Return a table with its rules, the round in hand and the last settled one, for a player or the operator.

    A round that was settled between two of the queries would be told by its money, before a page knows of it: then
    all is read again. Raises UnknownTable.
    """
    while True:
        rows = fetch(_NOW, [table, operator])
        if not rows:
            raise UnknownTable
        text, now, *versions = rows[0]
        shown = _load_shown(projections.decode_table(text), operator=operator, viewer=viewer, now=now)
        if fetch(_VERSIONS, [table]) == [tuple(versions)]:
            return shown


def _load_shown(state: TableState, *, operator: UUID, viewer: UUID | None, now: datetime) -> TableResponse:
    account = _game_account(state, viewer)
    rounds, nicknames = _rounds_of([state]), _nicknames_at([state])
    if account is None:
        wallet, balance = player_wallet(operator=operator, player=viewer), None
    else:
        wallet, balance = wallet_and_balance(operator=operator, game=account)
    return _present(state, rounds, nicknames, wallet, viewer=viewer, now=now, balance=balance)


def load_tables(
    *, tables: Sequence[UUID], operator: UUID, viewer: UUID, balances: Mapping[AccountName, int]
) -> tuple[TableResponse, ...]:
    """Return several tables for a player, whose balances are known, with a fixed number of queries.

    Raises UnknownTable.
    """
    if not tables:
        return ()
    rows = fetch(_MANY, [list(tables), operator])
    if len(rows) < len(tables):
        raise UnknownTable
    now = rows[0][2]
    states = [projections.decode_table(row[1]) for row in rows]
    rounds, nicknames = _rounds_of(states), _nicknames_at(states)
    wallet = player_wallet(operator=operator, player=viewer)
    presented = []
    for state in states:
        account = _game_account(state, viewer)
        balance = None if account is None else _shown(account, balances, wallet)
        presented.append(_present(state, rounds, nicknames, wallet, viewer=viewer, now=now, balance=balance))
    return tuple(presented)


def tables_where_seated(*, operator: UUID, player: UUID) -> set[UUID]:
    """Return the tables at which a player sits."""
    return {key for (key,) in fetch(_SEATED, [player, operator])}


def audiences_of_tables(*, tables: Sequence[UUID]) -> dict[UUID, tuple[str, tuple[UUID, ...]]]:
    """Map tables of any operator to their currency, and to whom they are for: their brands, without any the operator.

    Unknown ones are left out.
    """
    return {table: (currency, tuple(audience)) for table, currency, audience in fetch(_AUDIENCES, [list(tables)])}


def rules_of_table(*, table: UUID, operator: UUID) -> TableRules:
    """Return the rules a table plays by. Raises UnknownTable."""
    return repository.read_table(table=table, operator=operator).rules


def list_tables(
    *, operator: UUID, after: UUID | None, limit: int, everything: bool = True, brand: UUID | None = None
) -> list[TableSummary]:
    """List an operator's tables in the order they were opened: all, or those for all players and for a brand's."""
    wanted = {"operator": operator, "after": after or _FIRST, "limit": limit, "all": everything, "brand": brand}
    return [_summary(row) for row in fetch(_TABLES, wanted)]


def lobby_tables(
    *, operator: UUID, viewer: UUID, brand: UUID | None, money_type: MoneyType | None, after: UUID | None, limit: int
) -> list[LobbyTable]:
    """List the tables for an operator's player, who may play under a brand, in the order they were opened.

    Those that no lobby lists are in it where the player has a seat. `money_type` None includes both.
    """
    wanted = None if money_type is None else money_type.value
    parameters = {
        "operator": operator,
        "viewer": viewer,
        "money_type": wanted,
        "after": after or _FIRST,
        "brand": brand,
    }
    rows, funding = fetch(_LOBBY, parameters | {"limit": limit}), fundings.current(operator)
    return [
        present_lobby_table(
            projections.decode_table(state),
            viewer=viewer,
            phase=phase,
            number=number,
            opened_at=opened_at,
            deadline_at=deadline_at,
            last_visited_at=last_visited_at,
            funding=funding,
        )
        for state, phase, number, opened_at, deadline_at, last_visited_at in rows
    ]


def table_board(*, table: UUID, operator: UUID, shoe: int | None = None) -> Scoreboard:
    """Return a table's board: the columns, totals and roads of its run, or of a long shoe that has ended.

    Raises UnknownTable, UnknownShoe.
    """
    state = repository.read_table(table=table, operator=operator)
    if shoe is None or (shoe == state.shoes and state.has_long_shoe()):
        return present_board(state)
    return present_board(replace(state, shoes=shoe, marks=_marks_of(table, shoe)))


def load_table_state(
    table: TableState, round_: RoundState, *, viewer: UUID | None, now: datetime, balance: DisplayedBalance | None
) -> TableStateResponse:
    """Present a table for `viewer`, whose game balance is `balance` (None without a seat)."""
    funding_options = _funding_options_if_low(table, player=viewer, balance=balance)
    return present_table_state(
        table, round_, viewer=viewer, now=now, game_balance=balance, funding_options=funding_options, sign=sign
    )


def _rules_of(round_: RoundState, table: TableState) -> TableRules:
    played, in_force = round_.require_opened().rules, table.recorded_rules
    return in_force.decoded if played == in_force.digest else recorded_rules(played)


def _present(
    state: TableState,
    rounds: Mapping[UUID, RoundState],
    nicknames: Mapping[Place, str],
    wallet: PlayerWallet,
    *,
    viewer: UUID | None,
    now: datetime,
    balance: DisplayedBalance | None,
) -> TableResponse:
    current = NO_ROUND if state.round is None else rounds[state.round]
    last = None if state.last_round is None else rounds[state.last_round]
    last_round = None if last is None else present_round(last, viewer=viewer, rules=_rules_of(last, state), sign=sign)
    table_state = load_table_state(state, current, viewer=viewer, now=now, balance=balance)
    return present_table(table_state, state, last_round, nicknames, wallet)


def _rounds_of(states: Sequence[TableState]) -> dict[UUID, RoundState]:
    """Read the current round and the last settled one of each table."""
    keys = [key for state in states for key in (state.round, state.last_round) if key is not None]
    return repository.read_rounds(keys)


def _nicknames_at(states: Sequence[TableState]) -> dict[Place, str]:
    """Read the nicknames that players at these tables show."""
    tables = [(state.require_opened().table, state.seats) for state in states]
    return shown_nicknames(places=[(table, seat.player, seat.seat) for table, seats in tables for seat in seats])


def _game_account(state: TableState, viewer: UUID | None) -> AccountName | None:
    """Return the account of the viewer's game balance; None without a seat."""
    seat = None if viewer is None else state.seat_of(viewer)
    if seat is None:
        return None
    opened = state.require_opened()
    accounts = TableAccounts(operator=opened.operator, table=opened.table, currency=opened.rules.decoded.currency)
    return accounts.game(seat.player, seat.money_type)


def _shown(account: AccountName, balances: Mapping[AccountName, int], wallet: PlayerWallet) -> DisplayedBalance:
    at = wallet.told_at.get(account.currency) if account.money_type is MoneyType.REAL else None
    return DisplayedBalance(balances.get(account, 0), at)


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


def _marks_of(table: UUID, shoe: int) -> str:
    """Return the marks of a finished long shoe, from its settled rounds. Raises UnknownShoe."""
    first_rounds = dict(fetch(_SHOES, [f"table-{table}", shoe, shoe + 1]))
    first, next_first = first_rounds.get(shoe), first_rounds.get(shoe + 1)
    if not first or not next_first:
        raise UnknownShoe
    run = ""
    for number, text in fetch(_MARKS, [table, first, next_first]):
        cards = text.split()
        pairs, dealt = find_pairs(cards), replay(cards)
        mark = RoundMark(number, dealt.outcome, "p" in pairs, "b" in pairs, dealt.natural)
        run = append_mark(run, mark, max_marks=None)
    return run


def _funding_options_if_low(
    table: TableState, *, player: UUID | None, balance: DisplayedBalance | None
) -> FundingOptions | None:
    """Read the options of a seated player whose balance is under the table's minimum; no query for others."""
    seat = None if player is None else table.seat_of(player)
    if seat is None or (balance is not None and (balance.told_at or balance.amount >= table.rules.minimum)):
        return None
    opened = table.require_opened()
    accounts = TableAccounts(operator=opened.operator, table=opened.table, currency=table.rules.currency)
    return load_funding_options(accounts.player(seat.player, seat.money_type))
