"""How an operator's players come by money."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, parse_body, verbatim
from casino.api.shapes import Shape
from casino.operators.api.changes import LIVE, ChangeResponse
from casino.operators.base_views import OperatorView, metadata
from wallet import acts
from wallet.funding import services
from wallet.funding.conformance import LONGEST
from wallet.funding.events import Funding, WalletProfile
from wallet.funding.refusals import (
    FundingInUse,
    FundingMoneyHeld,
    WalletAddressInvalid,
    WalletKeyMissing,
    WalletNotConformant,
    WalletProfileUnavailable,
)
from wallet.funding.services import FundingChoice


class FundingRequest(Body):
    """The funding of all players of the operator."""

    funding: Funding
    wallet_url: (
        Annotated[str, verbatim(500, "Where your own wallet is asked, without `/v1`: for `seamless`, and only then.")]
        | None
    ) = None
    wallet_profile: Annotated[
        WalletProfile | None,
        Meta(description="The vocabulary in which your own wallet is asked: `standard` unless you say otherwise."),
    ] = None
    conformance: (
        Annotated[
            str,
            verbatim(
                LONGEST,
                "For `seamless` of a live operator: the `proof` of a report of `manage.py conform`, made within thirty "
                "days with the wallet at this address.",
            ),
        ]
        | None
    ) = None


class OperatorFundingResponse(Shape):
    """The funding of all players of the operator."""

    funding: Annotated[
        Funding,
        Meta(
            description="`house`: deposits and withdrawals by payment providers. `transfer`: your server moves money "
            "between your own wallet and the players' accounts. `seamless`: your own wallet is asked for each wager in "
            "real money, and paid what it returns."
        ),
    ]
    wallet_url: Annotated[str | None, Meta(description="Where your own wallet is asked; null unless `seamless`.")]
    wallet_profile: Annotated[
        WalletProfile | None,
        Meta(description="The vocabulary in which your own wallet is asked; null unless `seamless`."),
    ]

    @classmethod
    def of(cls, operator: UUID) -> "OperatorFundingResponse":
        """Present an operator's funding."""
        choice = services.choice_of(operator)
        return cls(choice.funding, choice.wallet_url or None, choice.profile if choice.wallet_url else None)


class FundingView(OperatorView):
    """The caller's funding."""

    act = acts.CHANGE_FUNDING

    @operation(
        "getFunding",
        "Show how your players come by money",
        description="`house` until it is changed.",
        returns=OperatorFundingResponse,
    )
    def get(self, _request: Request) -> Response:
        return Response(OperatorFundingResponse.of(self.caller.operator))

    @operation(
        "setFunding",
        "Change how your players come by money",
        request=FundingRequest,
        example={"funding": "transfer"},
        returns=OperatorFundingResponse,
        **{
            **LIVE,
            "description": (
                "Balances stay as they are. Refused while a deposit or a withdrawal has not ended, and to and from "
                "`seamless`, and to another profile, also while real money of players is here. For a live operator "
                "this needs the assertion of a person, and takes effect when another person confirms it (`POST "
                "/changes/{change}/confirm`); for a sandbox operator it takes effect at once."
            ),
        },
        refusals=(
            FundingInUse,
            FundingMoneyHeld,
            WalletAddressInvalid,
            WalletKeyMissing,
            WalletNotConformant,
            WalletProfileUnavailable,
        ),
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body, operator = parse_body(FundingRequest, request), self.caller.operator
        choice = FundingChoice(
            body.funding,
            body.wallet_url or "",
            body.conformance or "",
            body.wallet_profile or WalletProfile.STANDARD,
        )
        if not self.caller.sandbox:
            change = services.request_change(operator=operator, choice=choice, by=self.use_person())
            return Response(ChangeResponse.of(change), status=202)
        services.change(operator=operator, choice=choice, metadata=metadata(request))
        return Response(OperatorFundingResponse.of(operator))
