"""What a player short of chips could still bring: read only when the game balance is under the table's minimum."""

from uuid import UUID

from baccarat.domain.postings import TableAccounts
from baccarat.domain.tables.state import TableState
from wallet.payments.funding_options import FundingOptions
from wallet.payments.queries import load_funding_options


def funding_options_if_low(table: TableState, *, player: UUID | None, balance: int | None) -> FundingOptions | None:
    """Read the means of a seated player whose `balance`, in minor units, is too small for the table.

    None for anybody else, and then without a query.
    """
    seat = None if player is None else table.seat_of(player)
    if seat is None or (balance or 0) >= table.rules.minimum:
        return None
    facts = table.require_opened()
    place = TableAccounts(operator=facts.operator, table=facts.table, currency=table.rules.currency)
    return load_funding_options(place.player(seat.player, seat.money_type))
