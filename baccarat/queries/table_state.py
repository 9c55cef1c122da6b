"""A table as a viewer sees it, with funding options if the viewer's game balance is low."""

from datetime import datetime
from uuid import UUID

from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.tables.state import TableState
from baccarat.queries.table_view import TableStateResponse, present_table_state
from wallet.payments.funding_options import FundingOptions
from wallet.payments.queries import load_funding_options


def load_table_state(
    table: TableState, round_: RoundState, *, viewer: UUID | None, now: datetime, balance: int | None
) -> TableStateResponse:
    """Present a table for `viewer`, whose game balance is `balance` minor units (None without a seat)."""
    funding_options = _funding_options_if_low(table, player=viewer, balance=balance)
    return present_table_state(
        table, round_, viewer=viewer, now=now, game_balance=balance, funding_options=funding_options
    )


def _funding_options_if_low(table: TableState, *, player: UUID | None, balance: int | None) -> FundingOptions | None:
    """Read the options of a seated player whose balance is under the table's minimum; no query for others."""
    seat = None if player is None else table.seat_of(player)
    if seat is None or (balance or 0) >= table.rules.minimum:
        return None
    opened = table.require_opened()
    accounts = TableAccounts(operator=opened.operator, table=opened.table, currency=table.rules.currency)
    return load_funding_options(accounts.player(seat.player, seat.money_type))
