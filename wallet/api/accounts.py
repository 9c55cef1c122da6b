"""A player's accounts: balances, and statements over a period as JSON in pages or as one file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Final
from uuid import UUID

from django.http import HttpResponseBase
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import downloads, paging
from casino.api.downloads import ExportFormat, ExportQuery, file_answers
from casino.api.openapi import operation
from casino.api.requests import FIRST_OFFERED, Offer, OfferedCurrency, Written, malformed, parse_query
from casino.api.shapes import OPEN, Money, Page, Shape, Timestamp
from casino.api.sheets import ColumnType, Sheet
from casino.crypto import opaque_number
from casino.events.periods import PeriodReversed
from casino.kernel.money import MoneyType, format_amount
from casino.operators.base_views import OperatorView, PlayerView
from casino.operators.principals import Principal
from casino.operators.refusals import UnknownPlayer
from casino.operators.services import get_operator
from wallet.api.reality_checks import RealityCheckReminder
from wallet.ledger import queries
from wallet.ledger.accounts import AccountKind, AccountName, PlayerAccountKind
from wallet.ledger.entries import EntryKind
from wallet.ledger.queries import AccountStatement
from wallet.ledger.refusals import TableNotAllowed, TableRequired
from wallet.ledger.store import StatementLine
from wallet.responsible_gaming import queries as responsible_gaming
from wallet.responsible_gaming.queries import Reminder

COLUMNS: Final = {
    "sequence": ColumnType.INTEGER,
    "recorded_at": ColumnType.TIMESTAMP,
    "kind": ColumnType.TEXT,
    "amount": ColumnType.MONEY,
    "balance": ColumnType.MONEY,
    "currency": ColumnType.TEXT,
    "entry": ColumnType.TEXT,
    "wager": ColumnType.TEXT,
}
_ENTRY: Final = "h5Yk2c1QyZ5rV7t2nB8xL4hJ6gF9dS0a"
_SHEET: Final = (
    "sequence,recorded_at,kind,amount,balance,currency,entry,wager\r\n,,opening balance,,100.00,EUR,,\r\n"
    f"2,2026-11-21T09:01:12Z,buy_in,-12.50,87.50,EUR,{_ENTRY},\r\n,,closing balance,,87.50,EUR,,\r\n"
)
_ENTRY_KIND: Final = re.compile(r"[a-z_]{1,40}", re.ASCII)


class BalanceResponse(Shape):
    """One account of a player."""

    account: PlayerAccountKind
    money_type: MoneyType
    table: Annotated[UUID | None, Meta(description="The table of a game balance or a rack.", examples=[None])]
    balance: Money

    @classmethod
    def of(cls, account: AccountName, balance: int) -> "BalanceResponse":
        """Present the balance of an account in minor units."""
        return cls(
            PlayerAccountKind(account.kind.value),
            account.money_type,
            account.table,
            Money.of(balance, account.currency),
        )


class Balances(Shape):
    """All accounts of a player, and the next reality check."""

    items: tuple[BalanceResponse, ...]
    reality_check: Annotated[RealityCheckReminder | None, Meta(description="Null for a player who never logged in.")]

    @classmethod
    def of(cls, balances: Mapping[AccountName, int], reminder: Reminder | None) -> "Balances":
        """Present a player's balances."""
        items = tuple(BalanceResponse.of(account, balance) for account, balance in balances.items())
        return cls(items, RealityCheckReminder.of(reminder))

    @classmethod
    def load(cls, *, operator: UUID, player: UUID) -> "Balances":
        """Read the balances of an operator's player. Raises UnknownPlayer."""
        balances = queries.player_balances(operator=operator, player=player)
        return cls.of(balances, responsible_gaming.reminder(operator=operator, player=player))


class PlayerBalancesView(OperatorView):
    """Balances of one of the caller's players."""

    @operation(
        "getPlayerBalances",
        "Show all balances of one of your players",
        returns=Balances,
        description=("Accounts and money on tables, of real and of play money."),
        refusals=(UnknownPlayer,),
    )
    def get(self, _request: Request, player: UUID) -> Response:
        return Response(Balances.load(operator=self.caller.operator, player=player))


class MyBalancesView(PlayerView):
    """The caller's balances."""

    @operation(
        "getMyBalances",
        "Show all your balances",
        returns=Balances,
        description=("Your accounts and the money you have on tables, of real and of play money."),
    )
    def get(self, _request: Request) -> Response:
        return Response(Balances.of(*responsible_gaming.balances_and_reminder(self.caller)))


class EntryKinds(tuple[str, ...], metaclass=Written):
    """Kinds of ledger entries, comma separated."""

    made = tuple
    codes = ("field_invalid",)
    schema: ClassVar[dict[str, Any]] = {"type": "string", "examples": ["buy_in,cash_out"]}

    @classmethod
    def read(cls, value: object, offer: Offer) -> tuple[str, ...]:
        """Return the kinds. Raises Malformed."""
        del offer
        kinds = value.split(",") if isinstance(value, str) else []
        if not 1 <= len(kinds) <= 20 or not all(_ENTRY_KIND.fullmatch(kind) for kind in kinds):
            raise malformed("field_invalid", "must be up to 20 kinds such as buy_in,wager")
        return tuple(kinds)


class StatementQuery(ExportQuery):
    """The account, the period and the kinds of entries of a statement."""

    account: PlayerAccountKind = PlayerAccountKind.ACCOUNT
    money_type: MoneyType = MoneyType.REAL
    currency: Annotated[OfferedCurrency, Meta(description="By default the operator's first.")] = FIRST_OFFERED
    table: Annotated[UUID | None, Meta(description="The table of a game balance or a rack.")] = None
    kind: Annotated[EntryKinds, Meta(description="Only these kinds of entries, comma separated.")] = EntryKinds()

    def __post_init__(self) -> None:
        """Require a table for accounts at tables, and only for these. Raises TableRequired, TableNotAllowed."""
        at_table = self.account in {PlayerAccountKind.GAME, PlayerAccountKind.RACK}
        if at_table and self.table is None:
            raise TableRequired
        if not at_table and self.table is not None:
            raise TableNotAllowed


class StatementLineResponse(Shape):
    """One movement on an account."""

    sequence: Annotated[int, Meta(description="Numbers the movements on this account from 1, without gaps.")]
    kind: Annotated[EntryKind, Meta(description=OPEN, examples=["buy_in"])]
    amount: Money
    balance: Money
    entry: Annotated[
        str,
        Meta(description="Opaque; equal for all movements of a ledger entry, on any account.", examples=[_ENTRY]),
    ]
    wager: Annotated[UUID | None, Meta(description="The wager whose stake or win moved.", examples=[None])]
    recorded_at: Timestamp

    @classmethod
    def of(cls, line: StatementLine, currency: str) -> "StatementLineResponse":
        """Present one movement."""
        return cls(
            sequence=line.sequence,
            kind=line.kind,
            amount=Money.of(line.amount, currency),
            balance=Money.of(line.balance, currency),
            entry=_entry(line),
            wager=line.wager,
            recorded_at=line.recorded_at,
        )


class Statement(Page[StatementLineResponse]):
    """Movements of a period, newest first. Without `kind`, `opening` and `net_change` add up to `closing`."""

    opening: Annotated[Money, Meta(description="The balance before the period.")]
    closing: Annotated[Money, Meta(description="The balance at its end.")]
    net_change: Annotated[Money, Meta(description="The sum of all lines, on this page or not.")]

    @classmethod
    def of(cls, statement: AccountStatement, page: paging.PageRequest) -> "Statement":
        """Present a page of a statement."""
        currency = statement.account.currency
        before = None if page.after is None else page.after[0]
        return paging.page(
            cls,
            page,
            statement.lines(before=before, limit=page.fetch_limit),
            key=lambda line: (line.sequence,),
            item=lambda line: StatementLineResponse.of(line, currency),
            opening=Money.of(statement.opening.balance, currency),
            closing=Money.of(statement.closing.balance, currency),
            net_change=Money.of(statement.net_change, currency),
        )


_STATEMENT: Final[dict[str, Any]] = {
    "parameters": [StatementQuery, *paging.PARAMETERS],
    "returns": Statement,
    **file_answers(_SHEET),
    "description": (
        "Movements in a period, each with the balance after it, and totals that add up. As CSV "
        "or XLSX the whole period comes at once."
    ),
    "refusals": (PeriodReversed, TableNotAllowed, TableRequired, UnknownPlayer),
}


class PlayerStatementView(OperatorView):
    """Statements of accounts of one of the caller's players."""

    renderer_classes = downloads.RENDERERS

    @operation(
        "getPlayerStatement",
        "Show one account of one of your players over a period: all movements, and the balances at both ends",
        **_STATEMENT,
    )
    def get(self, request: Request, player: UUID) -> HttpResponseBase:
        return statement_response(request, self.caller, player)


class MyStatementView(PlayerView):
    """Statements of the caller's accounts."""

    renderer_classes = downloads.RENDERERS

    @operation(
        "getMyStatement",
        "Show one of your accounts over a period: all movements, and the balances at both ends",
        **_STATEMENT,
    )
    def get(self, request: Request) -> HttpResponseBase:
        return statement_response(request, self.caller, self.caller.player)


def statement_response(request: Request, caller: Principal, player: UUID) -> HttpResponseBase:
    """Answer with a statement in the requested format.

    Raises UnknownPlayer, PeriodReversed, TableRequired, TableNotAllowed, Malformed, RequestRejected.
    """
    query = parse_query(StatementQuery, request)
    page = paging.parse_page_request(request, int)
    statement = queries.player_statement(
        operator=caller.operator,
        player=player,
        kind=AccountKind(query.account.value),
        money_type=query.money_type,
        currency=query.currency,
        table=query.table,
        since=query.since,
        until=query.until,
        kinds=query.kind,
    )
    file_format = downloads.requested_format(request, query)
    if file_format is not ExportFormat.JSON:
        return downloads.download(statement_sheet(statement), file_format, _file_stem(caller, statement, query))
    return downloads.json_response(request, Statement.of(statement, page))


def _file_stem(caller: Principal, statement: AccountStatement, query: StatementQuery) -> str:
    account, slug = statement.account, get_operator(caller.operator).slug
    parts = (slug, "statement", account.kind.value, account.money_type.value, account.currency)
    return downloads.file_stem(*parts, since=query.since, until=query.until)


def statement_sheet(statement: AccountStatement) -> Sheet:
    """Return a statement as a table, oldest line first, between its opening and its closing balance."""
    return Sheet("Statement", COLUMNS, _rows(statement), keys=3)


def _rows(statement: AccountStatement) -> Iterator[Sequence[object]]:
    currency = statement.account.currency
    opening, closing = (format_amount(end.balance, currency) for end in (statement.opening, statement.closing))
    yield None, None, "opening balance", None, opening, currency, None, None
    for lines in statement.pages():
        for line in lines:
            amounts = format_amount(line.amount, currency), format_amount(line.balance, currency)
            wager = None if line.wager is None else str(line.wager)
            yield line.sequence, line.recorded_at, line.kind, *amounts, currency, _entry(line), wager
    yield None, None, "closing balance", None, closing, currency, None, None


def _entry(line: StatementLine) -> str:
    return opaque_number.encode(line.cause, purpose="entry")
