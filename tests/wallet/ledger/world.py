"""Account names, events and entries shared by the wallet's tests."""

from uuid import UUID

from casino.events.store import Append, Metadata, NewEvent, append
from casino.kernel.money import MoneyType
from wallet.ledger import store
from wallet.ledger.accounts import (
    AccountKind,
    AccountName,
    game_account,
    operator_account,
    player_account,
    table_account,
)
from wallet.ledger.entries import NewEntry, NewPosting, build_entry

OPERATOR = UUID(int=1)
TABLE = UUID(int=2)
ALICE = UUID(int=10)
BOB = UUID(int=11)
METADATA = Metadata(operator=str(OPERATOR), actor="test", causation="", correlation="")


def account(player: UUID = ALICE, money_type: MoneyType = MoneyType.REAL) -> AccountName:
    return player_account(operator=OPERATOR, player=player, money_type=money_type, currency="EUR")


def game(player: UUID = ALICE, money_type: MoneyType = MoneyType.REAL) -> AccountName:
    return game_account(operator=OPERATOR, player=player, table=TABLE, money_type=money_type, currency="EUR")


def stakes(money_type: MoneyType = MoneyType.REAL) -> AccountName:
    return table_account(kind=AccountKind.STAKES, operator=OPERATOR, table=TABLE, money_type=money_type, currency="EUR")


def bank(money_type: MoneyType = MoneyType.REAL) -> AccountName:
    return table_account(kind=AccountKind.BANK, operator=OPERATOR, table=TABLE, money_type=money_type, currency="EUR")


def deposits(money_type: MoneyType = MoneyType.REAL) -> AccountName:
    return operator_account(kind=AccountKind.DEPOSITS, operator=OPERATOR, money_type=money_type, currency="EUR")


def causes(count: int, stream: str = "test") -> tuple[int, ...]:
    """Append events to a new stream and return their ids."""
    event = NewEvent("SomethingHappened", 1, b"{}")
    return append([Append(stream, 0, (event,) * count, METADATA)])[0]


def move(cause: int, source: AccountName, target: AccountName, amount: int) -> NewEntry:
    return build_entry(kind="moved", cause=cause, postings=(NewPosting(source, -amount), NewPosting(target, amount)))


def fund(target: AccountName, amount: int, stream: str = "funds") -> None:
    """Give an account a balance from the deposits account, which may go below zero."""
    store.post([move(causes(1, stream)[0], deposits(target.money_type), target, amount)])
