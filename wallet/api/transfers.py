"""Transfers between an operator's own wallet and its players' accounts."""

from types import NoneType
from typing import Annotated, Any, ClassVar, Final
from uuid import UUID

from msgspec import Meta
from msgspec.structs import asdict
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import (
    AMOUNT_PATTERN,
    Amount,
    Body,
    Offer,
    OfferedCurrency,
    PeriodQuery,
    malformed,
    parse_body,
    parse_query,
    verbatim,
)
from casino.api.shapes import Money, Page, Shape, Timestamp
from casino.events.periods import PeriodReversed
from casino.kernel.money import MoneyType
from casino.operators import daily_caps
from casino.operators.base_views import OperatorView, metadata
from casino.operators.daily_caps import CapKind
from casino.operators.refusals import DailyCapReached, KeyLimitReached, UnknownPlayer
from wallet import acts
from wallet.funding.refusals import FundingDiffers
from wallet.ledger.refusals import DebtOutstanding, InsufficientFunds, UnknownAccount
from wallet.payments.refusals import DepositsAreStopped
from wallet.responsible_gaming.refusals import PlayerExcluded, PlayerIsBlocked
from wallet.transfers import queries, services
from wallet.transfers.events import TransferDirection
from wallet.transfers.queries import Transfer, TransferFilter
from wallet.transfers.refusals import ReferenceDiffers, UnknownTransfer
from wallet.transfers.services import TransferOrder

ALL: Final = "all"
_REFERENCE: Final = r"^[A-Za-z0-9][A-Za-z0-9._:-]*\Z"


class AmountOrAll(Amount):
    """A decimal string, or `all` for everything on the account, which becomes None."""

    made = (int, NoneType)
    schema: ClassVar[dict[str, Any]] = {
        "type": "string",
        "pattern": f"{AMOUNT_PATTERN}|^{ALL}$",
        "examples": ["25.00"],
    }

    @classmethod
    def read(cls, value: object, offer: Offer) -> int | None:
        """Return minor units, or None for everything."""
        return None if value == ALL else super().read(value, offer)


class TransferRequest(Body):
    """A transfer to a player's account (`in`) or back to your wallet (`out`)."""

    reference: Annotated[
        str, verbatim(80, "Your own id of the transfer, unique among all of yours.", pattern=_REFERENCE)
    ]
    direction: TransferDirection
    amount: Annotated[AmountOrAll, Meta(description="With `out` also `all`, for everything on the account.")]
    currency: OfferedCurrency
    money_type: MoneyType = MoneyType.REAL

    def __post_init__(self) -> None:
        """Refuse to take in everything. Raises Malformed."""
        if self.amount is None and self.direction is TransferDirection.IN:
            raise malformed("field_invalid", "may be `all` with `out` alone", "amount")


class TransferResponse(Shape):
    """A transfer that was made."""

    id: UUID
    reference: Annotated[str, Meta(examples=["op-tx-991"])]
    player: UUID
    direction: TransferDirection
    money_type: MoneyType
    amount: Annotated[Money, Meta(description="What was moved: zero where `all` found nothing.")]
    balance: Annotated[
        Money, Meta(description="On the account right afterwards, before money that came in has paid a debt.")
    ]
    at: Timestamp

    @classmethod
    def of(cls, transfer: Transfer) -> "TransferResponse":
        """Present a transfer."""
        return cls(
            id=transfer.id,
            reference=transfer.reference,
            player=transfer.player_id,
            direction=TransferDirection(transfer.direction),
            money_type=MoneyType(transfer.money_type),
            amount=Money.of(transfer.amount, transfer.currency),
            balance=Money.of(transfer.balance, transfer.currency),
            at=transfer.at,
        )


class TransferPage(Page[TransferResponse]):
    """Transfers, newest first."""


class TransfersQuery(PeriodQuery):
    """Filters of the list of transfers."""

    player: Annotated[UUID | None, Meta(description="Only those of this player.")] = None
    direction: Annotated[TransferDirection | None, Meta(description="Only those in this direction.")] = None


class PlayerTransfersView(OperatorView):
    """Transfers of one of the caller's players."""

    act = acts.TRANSFER

    @operation(
        "transferMoney",
        "Move money between your own wallet and a player's account",
        request=TransferRequest,
        example={"reference": "op-tx-991", "direction": "in", "amount": "100.00", "currency": "EUR"},
        returns=TransferResponse,
        status=201,
        description=(
            "Needs the funding `transfer`. It is done when you get the answer. Without an answer, send it again as it "
            "was: a reference moves money once, whatever the `Idempotency-Key`. An excluded or frozen player can't get "
            "money in, nor anybody while deposits are stopped, but out always. Beyond your daily cap on transfers in, "
            "`daily_cap_reached` has stored nothing; beyond one on wins that holds payouts, no money goes out until "
            "the day ends or the cap is raised."
        ),
        refusals=(
            DailyCapReached,
            DebtOutstanding,
            DepositsAreStopped,
            FundingDiffers,
            InsufficientFunds,
            KeyLimitReached,
            PlayerExcluded,
            PlayerIsBlocked,
            ReferenceDiffers,
            UnknownAccount,
            UnknownPlayer,
        ),
    )
    @idempotent
    def post(self, request: Request, player: UUID) -> Response:
        me, order = self.caller, TransferOrder(player=player, **asdict(parse_body(TransferRequest, request)))
        transfer = services.transfer(order, operator=me.operator, metadata=metadata(request), key=me.key_id)
        return Response(TransferResponse.of(transfer), status=201)

    def handle_exception(self, exc: Exception) -> Any:
        """Tell of a cap that was reached, after what it refused is rolled back."""
        if isinstance(exc, DailyCapReached):
            kind, currency = CapKind(str(exc.facts["kind"])), str(exc.facts["currency"])
            daily_caps.tell(kind, operator=self.caller.operator, currency=currency)
        return super().handle_exception(exc)


class TransferListView(OperatorView):
    """Transfers of all of the caller's players."""

    @operation(
        "listTransfers",
        "List transfers, newest first",
        parameters=[TransfersQuery, *paging.PARAMETERS],
        returns=TransferPage,
        description="Of all your players or one, in both directions or one, of all times or a period.",
        refusals=(PeriodReversed,),
    )
    def get(self, request: Request) -> Response:
        page, query = paging.parse_page_request(request, str), parse_query(TransfersQuery, request)
        where = TransferFilter(self.caller.operator, query.player, query.direction, query.since, query.until)
        before = None if page.after is None else paging.parse_uuid(page.after[0])
        rows = queries.list_transfers(where, before=before, limit=page.fetch_limit)
        return Response(paging.page(TransferPage, page, rows, key=lambda row: (str(row.id),), item=TransferResponse.of))


class TransferView(OperatorView):
    """One transfer."""

    @operation(
        "getTransfer",
        "Show a transfer by your reference",
        returns=TransferResponse,
        description="`unknown_transfer` means that no money has moved under this reference.",
        refusals=(UnknownTransfer,),
    )
    def get(self, _request: Request, reference: str) -> Response:
        return Response(TransferResponse.of(queries.find(operator=self.caller.operator, reference=reference)))
