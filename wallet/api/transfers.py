"""Transfers between an operator's own wallet and its players' accounts."""

import re
from typing import Annotated, Any, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema_field
from msgspec import Meta
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.fields import (
    AMOUNT_PATTERN,
    AmountField,
    CurrencyField,
    EnumField,
    IdField,
    MoneyTypeField,
    PeriodQuery,
    ReferenceField,
    StrictSerializer,
    parse_body,
    parse_query,
)
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
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
_REFERENCE_PATTERN: Final = "[A-Za-z0-9][A-Za-z0-9._:-]{0,79}"
_REFERENCE: Final = re.compile(_REFERENCE_PATTERN, re.ASCII)


@extend_schema_field({"type": "string", "pattern": f"^{_REFERENCE_PATTERN}$", "examples": ["op-tx-991"]})
class TransferReferenceField(ReferenceField):
    """An operator's own id of a transfer, which fits into an address."""

    def to_internal_value(self, data: Any) -> str:
        text = super().to_internal_value(data)
        if not _REFERENCE.fullmatch(text):
            raise ValidationError("A reference is 1 to 80 letters, digits and ._:-", code="field_invalid")
        return text


@extend_schema_field({"type": "string", "pattern": f"{AMOUNT_PATTERN}|^{ALL}$", "examples": ["25.00"]})
class AmountOrAllField(AmountField):
    """A decimal string, or `all` for everything on the account, which becomes None."""

    def to_internal_value(self, data: Any) -> Any:
        return None if data == ALL else super().to_internal_value(data)


class TransferRequest(StrictSerializer):
    """A transfer to a player's account (`in`) or back to your wallet (`out`)."""

    reference = TransferReferenceField(help_text="Your own id of the transfer, unique among all of yours.")
    direction = EnumField(TransferDirection)
    amount = AmountOrAllField(help_text="With `out` also `all`, for everything on the account.")
    currency = CurrencyField()
    money_type = MoneyTypeField(required=False, default=MoneyType.REAL)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse to take in everything. Raises ValidationError."""
        if attrs["amount"] is None and attrs["direction"] is TransferDirection.IN:
            raise ValidationError({"amount": [ErrorDetail("Only `out` moves all.", "field_invalid")]})
        return attrs


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

    player = IdField(required=False, default=None, help_text="Only those of this player.")
    direction = EnumField(TransferDirection, required=False, default=None, help_text="Only those in this direction.")


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
        me, order = self.caller, TransferOrder(player=player, **parse_body(TransferRequest, request))
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
        where = TransferFilter(self.caller.operator, query["player"], query["direction"], query["from"], query["to"])
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
    def get(self, request: Request, reference: str) -> Response:
        del request
        return Response(TransferResponse.of(queries.find(operator=self.caller.operator, reference=reference)))
