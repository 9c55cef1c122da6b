"""Limit pages to what the user may see: pages by permission, rows by operator. A superuser sees everything.
Times are in the user's time zone.

The middleware keeps the request, so that no page links to a page that the user may not see.
"""

from collections.abc import Callable, Collection, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from casino.operators import memberships
from casino.operators.models import Brand, Operator
from casino.staff.models import StaffTimeZone

ADMIN: Final = "/admin/"
# django-unfold's Alpine.js evaluates expressions and sets styles; no inline script runs.
POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Content security policy: the admin's own files, and nothing from another host."""
Value = TypeVar("Value")
_request: ContextVar[HttpRequest | None] = ContextVar("casino_admin_request", default=None)


def may_view(model: str) -> bool:
    """Return whether the user may see the pages of a model (app_model); true outside of the admin."""
    request = _request.get()
    return request is None or has_view_permission(request, model)


def current_request() -> HttpRequest | None:
    """Return the request of the admin that is being answered, None outside of the admin."""
    return _request.get()


def has_view_permission(request: HttpRequest, model: str) -> bool:
    """Return whether the user may see the pages of a model (app_model)."""
    app, _, name = model.partition("_")
    return request.user.has_perm(f"{app}.view_{name}")


def cached_per_request(name: str, make: Callable[[], Value]) -> Value:
    """Compute a value once per request; outside of the admin, each time."""
    request = _request.get()
    if request is None:
        return make()
    values: dict[str, Any] = request.__dict__.setdefault("casino_once", {})
    if name not in values:
        values[name] = make()
    value: Value = values[name]
    return value


@contextmanager
def use_request(request: HttpRequest) -> Generator[None]:
    """Build pages for this request within the block."""
    token = _request.set(request)
    try:
        yield
    finally:
        _request.reset(token)


def middleware(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Keep the request of admin pages and set their time zone and policy; comes after authentication."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(ADMIN):
            response: HttpResponseBase = get_response(request)
            return response
        with use_request(request), timezone.override(time_zone(request)):
            return _with_policy(get_response(request))

    return handle


def time_zone(request: HttpRequest) -> ZoneInfo:
    """Return the time zone that the user has chosen; UTC also for one that the installed data no longer has."""
    row = StaffTimeZone.objects.filter(user_id=request.user.pk).first() if request.user.is_authenticated else None
    try:
        return ZoneInfo("UTC" if row is None else row.name)
    except ZoneInfoNotFoundError:
        return ZoneInfo("UTC")


def _with_policy(response: HttpResponseBase) -> HttpResponseBase:
    response.headers.setdefault("Content-Security-Policy", POLICY)
    return response


MAX_ROWS_BACK: Final = 100_000
"""Rows that a list reaches back if its table has no index by operator; older ones are found by searching."""
MAX_NAMED: Final = 3
"""Operators whose names stand in the name of a file."""
MAX_OPERATORS: Final = 50
"""The most operators that a filter or a select offers."""


def operators(request: HttpRequest) -> Collection[UUID] | None:
    """Return the operators whose rows the user may see, None for all of them; read once for each request."""
    if not hasattr(request, "casino_operators"):
        request.casino_operators = memberships.operators_of(request.user)  # type: ignore[attr-defined]
    allowed: Collection[UUID] | None = request.casino_operators  # type: ignore[attr-defined]
    return allowed


def are_all_operators(operators: Collection[UUID] | None) -> bool:
    """Return whether these are all existing operators: a member who works for all of them works for the house."""
    return operators is None or not Operator.objects.exclude(id__in=operators).exists()


def operator_slugs(request: HttpRequest) -> Mapping[str, str]:
    """Return the slugs of the operators that the user works for, by id as text; read once for each request."""
    if not hasattr(request, "casino_operator_slugs"):
        rows = within(Operator.objects.order_by("slug"), request, "id").values_list("id", "slug")[:MAX_OPERATORS]
        request.casino_operator_slugs = {str(key): slug for key, slug in rows}  # type: ignore[attr-defined]
    slugs: Mapping[str, str] = request.casino_operator_slugs  # type: ignore[attr-defined]
    return slugs


def file_stem(request: HttpRequest, what: str) -> str:
    """Return the name of a file, without its format: the user's operators, what it is, and the day (UTC)."""
    slugs = list(operator_slugs(request).values())
    whose = "-".join(slugs) if 0 < len(slugs) <= MAX_NAMED else "operators"
    return f"{whose}-{what}-{datetime.now(UTC):%Y-%m-%d}"


def brand_slugs(request: HttpRequest) -> Mapping[str, str]:
    """Return the brands of the operators that the user works for, by id as text, and `none`; empty without brands."""
    brands = within(Brand.objects.order_by("operator__slug", "slug"), request)
    rows = brands.values_list("id", "operator__slug", "slug")[:MAX_OPERATORS]
    found = {str(key): f"{operator}: {slug}" for key, operator, slug in rows}
    return {"none": "no brand", **found} if found else {}


def within(rows: QuerySet[Any], request: HttpRequest, column: str = "operator_id") -> QuerySet[Any]:
    """Leave out rows of operators that the user does not work for."""
    allowed = operators(request)
    return rows if allowed is None else rows.filter(**{f"{column}__in": allowed})


def mine(rows: QuerySet[Any], column: str = "operator_id") -> QuerySet[Any]:
    """Do the same for the user whose request is being answered; outside of the admin nothing is left out."""
    request = _request.get()
    return rows if request is None else within(rows, request, column)


def serves_several(request: HttpRequest) -> bool:
    """Return whether the user works for several operators, so that lists and choices name them."""
    return len(operator_slugs(request)) > 1


def name_choice(text: str, operator: UUID, request: HttpRequest) -> str:
    """Name a choice, with its operator where the user works for several."""
    slug = operator_slugs(request).get(str(operator), "")
    return f"{slug}: {text}" if slug and serves_several(request) else text


def latest(model: type[Model], request: HttpRequest) -> Q:
    """Limit a list by serial ids to the last MAX_ROWS_BACK rows, for those who may not see all of them."""
    if operators(request) is None:
        return Q()
    last = model._default_manager.order_by("-pk").values_list("pk", flat=True).first() or 0  # noqa: SLF001  (Django's own name)
    return Q(pk__gt=last - MAX_ROWS_BACK)
