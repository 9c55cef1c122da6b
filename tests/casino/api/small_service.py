"""A service with three URLs that the tests of the API's edge use as URL configuration."""

from dataclasses import dataclass
from typing import Annotated, Any, cast
from uuid import UUID

from django.db import connection
from django.urls import include, path, re_path
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging, views
from casino.api.idempotency import idempotent, idempotent_without_storing
from casino.api.openapi import operation
from casino.api.requests import Amount, AmountOrZero, Body, OfferedCurrency, Text, parse_body, verbatim
from casino.api.shapes import Money, Page
from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.events.store import VersionConflict
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType
from casino.operators.models import Operator


@dataclass(frozen=True, slots=True)
class Alice:
    currencies: tuple[str, ...] = ("EUR",)
    owner: str = "player:alice"


@dataclass(frozen=True, slots=True)
class Bob:
    currencies: tuple[str, ...] = ("EUR",)
    owner: str = "player:bob"


class ByName(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Any, None]:
        return (Bob() if request.META.get("HTTP_AUTHORIZATION") == "bob" else Alice()), None


class Name(Text):
    limit = 10


class LongName(Text):
    limit = 200


class Everything(Body):
    amount: Amount | UnsetType = UNSET
    fee: AmountOrZero | UnsetType = UNSET
    currency: OfferedCurrency | UnsetType = UNSET
    money_type: MoneyType | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    slug: Annotated[str, verbatim(4)] | UnsetType = UNSET
    seat: Annotated[int, Meta(ge=1, le=14)] | UnsetType = UNSET
    loud: bool | UnsetType = UNSET
    table: UUID | UnsetType = UNSET
    stakes: dict[str, Amount] | UnsetType = UNSET


class NeedsName(Body):
    name: LongName


class HouseIsClosed(Refusal):
    code = "house_is_closed"
    title = "The house is closed"
    remedy = "Come back tomorrow."


class Read(views.BaseApiView):
    authentication_classes = [ByName]

    def post(self, request: Request) -> Response:
        found = asdict(parse_body(Everything, request))
        return Response({name: str(value) for name, value in found.items() if value is not UNSET})


class ReadName(views.BaseApiView):
    authentication_classes = [ByName]

    def post(self, request: Request) -> Response:
        return Response(parse_body(NeedsName, request))


class Ring(views.BaseApiView):
    authentication_classes = [ByName]

    @operation("ring", "Ring the bell", description="Whoever rings has nothing to say.", returns=Money)
    def post(self, _request: Request) -> Response:
        return Response()


class Fail(views.BaseApiView):
    def get(self, request: Request) -> Response:
        with connection.cursor() as cursor:
            cursor.execute("SELECT secret_column FROM no_such_table")
        return Response()


class Refuse(views.BaseApiView):
    def get(self, request: Request) -> Response:
        raise HouseIsClosed("It is Monday.", minimum=500, currency="EUR", opens="Tuesday", title="not this one")


class Found(views.BaseApiView):
    """Founds an operator: an effect that can be counted. What the body says decides how it goes wrong."""

    authentication_classes = [ByName]
    conflicts = 0

    @idempotent
    def post(self, request: Request) -> Response:
        fresh = new_id(database_now())
        Operator.objects.create(id=fresh, slug=str(fresh), name="", currencies=["EUR"])
        how = cast("dict[str, Any]", request.data).get("how")
        if how == "refused" or (how == "first only" and Operator.objects.count() > 1):
            raise HouseIsClosed
        if how == "fails":
            raise ZeroDivisionError
        if how == "dies":
            connection.connection.close()
        if how == "conflicts" or (how == "conflicts once" and self.first_time()):
            raise VersionConflict("stream", 1, 2)
        return Response({"id": fresh, "price": Money.of(1950, "EUR")}, status=201)

    def first_time(self) -> bool:
        self.conflicts += 1
        return self.conflicts == 1


class Peek(views.BaseApiView):
    """Shows the same secret as often as it is asked."""

    authentication_classes = [ByName]

    @idempotent_without_storing
    def post(self, _request: Request) -> Response:
        return Response({"secret": "queen of hearts"})


class NumberPage(Page[dict[str, int]]):
    """Some of the numbers."""


class Numbers(views.BaseApiView):
    """The numbers 1 to 7, by pages, and a text beside each."""

    def get(self, request: Request) -> Response:
        page = paging.parse_page_request(request, int, str)
        after = page.after[0] if page.after else 0
        rows = list(range(1, 8))[after : after + page.fetch_limit]
        return Response(
            paging.page(NumberPage, page, rows, key=lambda row: (row, f"n{row}"), item=lambda row: {"number": row})
        )


class Thing(views.BaseApiView):
    def get(self, request: Request, thing: UUID) -> Response:
        return Response({"id": str(thing)})


handler400 = views.handler400
handler404 = views.handler404
handler500 = views.handler500
urlpatterns = [
    path("api/v1/read", Read.as_view()),
    path("api/v1/read-name", ReadName.as_view()),
    path("api/v1/ring", Ring.as_view()),
    path("api/v1/fail", Fail.as_view()),
    path("api/v1/refuse", Refuse.as_view()),
    path("api/v1/peek", Peek.as_view()),
    path("api/v1/found", Found.as_view()),
    path("api/v1/numbers", Numbers.as_view()),
    path("api/v1/things/<uuid:thing>", Thing.as_view()),
    path("api/v1/", include("casino.api.urls")),
    re_path("^api/", views.unknown),
]
