"""What can be asked about a player's money: always within one operator."""

from uuid import UUID

from casino.kernel.money import Book
from casino.operators.queries import find_player
from wallet import ledger
from wallet.accounts import AccountKind, AccountName
from wallet.ledger import StatementLine


def player_balances(*, operator: UUID, player: UUID) -> dict[AccountName, int]:
    """This will return the balances of an operator's player in minor units. Raises UnknownPlayer."""
    find_player(operator=operator, player=player)
    return ledger.of_player(operator=operator, player=player)


def player_statement(
    *,
    operator: UUID,
    player: UUID,
    kind: AccountKind,
    book: Book,
    currency: str,
    table: UUID | None,
    before: int | None,
    limit: int,
) -> list[StatementLine]:
    """This will list postings on one account of an operator's player, newest first. Raises UnknownPlayer."""
    find_player(operator=operator, player=player)
    return ledger.statement(AccountName(kind, operator, book, currency, player, table), before=before, limit=limit)
