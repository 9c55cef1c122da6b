"""A service with three URLs that the tests of the API's edge use as URL configuration."""

from dataclasses import dataclass
from typing import Any, cast
from uuid import UUID

from django.db import connection
from django.urls import include, path, re_path
from rest_framework import serializers
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging, views
from casino.api.fields import (
    AmountField,
    CurrencyField,
    FlagField,
    IdField,
    MoneyTypeField,
    StrictSerializer,
    TextField,
    WholeNumberField,
    parse_body,
)
from casino.api.idempotency import idempotent, idempotent_without_storing
from casino.api.shapes import Money, Page
from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.events.store import VersionConflict
from casino.kernel.errors import Refusal
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


class Stakes(serializers.DictField):
    child = AmountField()


class Body(StrictSerializer):
    amount = AmountField(required=False)
    fee = AmountField(required=False, allow_zero=True)
    currency = CurrencyField(required=False)
    money_type = MoneyTypeField(required=False)
    name = TextField(required=False, max_length=10)
    seat = WholeNumberField(required=False, min_value=1, max_value=14)
    loud = FlagField(required=False)
    table = IdField(required=False)
    stakes = Stakes(required=False)


class NeedsName(StrictSerializer):
    name = TextField(max_length=200)


class HouseIsClosed(Refusal):
    code = "house_is_closed"
    title = "The house is closed"
    remedy = "Come back tomorrow."


class Read(views.BaseApiView):
    authentication_classes = [ByName]

    def post(self, request: Request) -> Response:
        found = parse_body(Body, request)
        return Response({name: str(value) for name, value in found.items()})


class ReadName(views.BaseApiView):
    authentication_classes = [ByName]

    def post(self, request: Request) -> Response:
        return Response(parse_body(NeedsName, request))


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
    def post(self, request: Request) -> Response:
        del request
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
    path("api/v1/fail", Fail.as_view()),
    path("api/v1/refuse", Refuse.as_view()),
    path("api/v1/peek", Peek.as_view()),
    path("api/v1/found", Found.as_view()),
    path("api/v1/numbers", Numbers.as_view()),
    path("api/v1/things/<uuid:thing>", Thing.as_view()),
    path("api/v1/", include("casino.api.urls")),
    re_path("^api/", views.unknown),
]
