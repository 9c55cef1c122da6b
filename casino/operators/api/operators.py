"""The caller's own operator, the origins of its sites, and its thresholds for significant events."""

from dataclasses import asdict
from typing import Annotated
from uuid import UUID

from django.db import transaction
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.openapi import JSON, operation
from casino.api.requests import Body, parse_body, verbatim
from casino.api.shapes import AmountText, CurrencyCode, ItemList, Shape, Timestamp
from casino.kernel import money
from casino.operators import acts, key_changes, origins, services
from casino.operators.api.changes import ChangeResponse, waits
from casino.operators.base_views import OperatorView, PlayerView
from casino.operators.refusals import ChangeNeedsSecondPerson, InvalidOrigin
from casino.significant import thresholds
from casino.significant.thresholds import CurrentThresholds


class OperatorResponse(Shape):
    """The operator that a key belongs to."""

    id: UUID
    slug: Annotated[str, Meta(examples=["lucky"])]
    currency: Annotated[CurrencyCode, Meta(description="The default where a request names no currency.")]
    currencies: Annotated[tuple[CurrencyCode, ...], Meta(description="All that you offer.", examples=[["EUR", "JPY"]])]
    sandbox: bool
    key_id: Annotated[str, Meta(examples=["op_5f0c9a1b2c3d4e5f6a7b"])]


class OwnOperatorResponse(Shape):
    """The casino that a player plays at."""

    name: Annotated[str, Meta(examples=["Lucky Casino"])]
    customer_care: Annotated[
        str,
        Meta(
            description="Where players find help: an e-mail address, a telephone number or an https address.",
            examples=["care@lucky.example"],
        ),
    ]


class OriginsRequest(Body):
    """All origins of the operator's sites; they replace the earlier ones."""

    origins: Annotated[tuple[Annotated[str, verbatim(origins.MAX_LENGTH)], ...], Meta(max_length=origins.MAX_ORIGINS)]


class OperatorOrigins(Shape):
    """The origins of an operator's sites."""

    origins: Annotated[tuple[str, ...], Meta(examples=[["https://play.lucky.example"]])]


class ThresholdsResponse(Shape):
    """The amounts in one currency from which something is a significant event."""

    currency: CurrencyCode
    wager: Annotated[AmountText, Meta(description="Wagers of a player in one round.", examples=["10000.00"])]
    wager_day: Annotated[AmountText, Meta(description="Wagers of a player in a day (UTC).", examples=["50000.00"])]
    win: Annotated[AmountText, Meta(description="Won by a player in one round.", examples=["10000.00"])]
    win_day: Annotated[AmountText, Meta(description="Won by a player in a day (UTC).", examples=["50000.00"])]
    payment: Annotated[AmountText, Meta(description="One deposit, withdrawal or transfer.", examples=["10000.00"])]
    set_at: Annotated[Timestamp | None, Meta(description="Null for the defaults.", examples=[None])]

    @classmethod
    def of(cls, current: CurrentThresholds) -> "ThresholdsResponse":
        """Present the thresholds of one currency."""
        currency = current.currency
        amounts = {name: money.format_amount(minor, currency) for name, minor in asdict(current.thresholds).items()}
        return cls(currency=currency, set_at=current.set_at, **amounts)


class ThresholdList(ItemList[ThresholdsResponse]):
    """In your own currency, and in all others for which they were set."""


class CurrentOperatorView(OperatorView):
    """The caller's own operator."""

    for_brands = frozenset({"GET"})

    @operation(
        "getOperator",
        "Show the operator that this key belongs to",
        returns=OperatorResponse,
        description=("Use it to check a key: it changes nothing and needs nothing else."),
    )
    def get(self, _request: Request) -> Response:
        me = self.caller
        return Response(
            OperatorResponse(
                id=me.operator,
                slug=me.slug,
                currency=me.currency,
                currencies=me.currencies,
                sandbox=me.sandbox,
                key_id=me.key_id,
            )
        )


class OwnOperatorView(PlayerView):
    """The player's own casino."""

    @operation(
        "getOwnOperator",
        "Show your casino and where to find help",
        description="The contact is set in the admin.",
        returns=OwnOperatorResponse,
    )
    def get(self, _request: Request) -> Response:
        operator = services.get_operator(self.caller.operator)
        return Response(OwnOperatorResponse(name=operator.name, customer_care=operator.customer_care))


class OperatorOriginsView(OperatorView):
    """The origins of the caller's sites."""

    act = acts.SET_ORIGINS

    @operation(
        "getOperatorOrigins",
        "Show the origins of your sites",
        description="Whose pages may frame the table page and call the API from a browser.",
        returns=OperatorOrigins,
    )
    def get(self, _request: Request) -> Response:
        return Response(OperatorOrigins(tuple(services.get_operator(self.caller.operator).origins)))

    @operation(
        "setOperatorOrigins",
        "Replace the origins of your sites",
        description=(
            "Pages of these origins may frame the table page and call the API from a browser, for your players only. "
            "An origin is a scheme, a host and a port unless it is the usual one; it must be https in production. "
            "Changes take effect within five seconds. For a live operator another origin needs the assertion of a "
            "person, and is in use once another person confirms it (`POST /changes/{change}/confirm`); to remove "
            "origins needs neither."
        ),
        request=OriginsRequest,
        example={"origins": ["https://play.lucky.example"]},
        returns=OperatorOrigins,
        responses={(202, JSON): ChangeResponse},
        examples=[waits(ChangeResponse)],
        refusals=(InvalidOrigin, ChangeNeedsSecondPerson),
    )
    @transaction.atomic  # an assertion is used up only with its effect
    def put(self, request: Request) -> Response:
        _ = request.body  # an assertion is bound to its bytes, which parsing would use up
        wanted = parse_body(OriginsRequest, request).origins
        operator = services.get_operator(self.caller.operator)
        alone = operator.sandbox or {*operator.origins}.issuperset(wanted)
        by = self.use_person_or_key() if alone else self.use_person()
        change = key_changes.set_origins(operator, wanted, by=by)
        if change is not None:
            return Response(ChangeResponse.of(change), status=202)
        return Response(OperatorOrigins(tuple(sorted(set(wanted)))))


class ThresholdListView(OperatorView):
    """The caller's thresholds."""

    @operation(
        "listThresholds",
        "Show the amounts from which wagers, wins and payments are significant events",
        description="They are set in the admin, where each change is recorded: who, before and after.",
        returns=ThresholdList,
    )
    def get(self, _request: Request) -> Response:
        current = thresholds.list_thresholds(self.caller.operator, currency=self.caller.currency)
        return Response(ThresholdList.of(map(ThresholdsResponse.of, current)))
