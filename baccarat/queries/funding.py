"""What a player short of chips could still bring: read only when the game balance is under the table's minimum."""

from uuid import UUID

from baccarat.domain.postings import Place
from baccarat.domain.tables.state import TableState
from wallet.payments.funding_options import Means
from wallet.payments.queries import means


def means_if_short(table: TableState, *, player: UUID | None, balance: int | None) -> Means | None:
    """Read the means of a seated player whose `balance`, in minor units, is too small for the table.

    None for anybody else, and then without a query.
    """
    seat = None if player is None else table.seat_of(player)
    if seat is None or (balance or 0) >= table.rules.minimum:
        return None
    facts = table.facts()
    place = Place(operator=facts.operator, table=facts.table, currency=table.rules.currency)
    return means(place.player(seat.player, seat.book))
