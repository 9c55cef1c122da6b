"""What each page shows of the house: whether all gaming is stopped, and counts in the sidebar of what waits."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import admin
from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import BooleanField, Exists, OuterRef, Q, QuerySet, TextField, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import Cast, Concat
from django.http import HttpRequest

from baccarat.chat.models import ChatReport, ChatReportClosure
from baccarat.domain.tables.kill_switch import StopScope, stop_id
from baccarat.storage.models import KillSwitch, Table
from casino.backoffice import scope
from casino.compliance.cases import is_resolved
from casino.compliance.models import Case
from casino.operators import changes
from casino.operators.change import ChangeStatus
from casino.operators.models import Change, ChangeName
from casino.significant.models import SignificantEvent, Unacknowledged
from wallet.models import Discrepancy, Hold, Withdrawal

MAX_COUNT: Final = 100
"""Rows are counted up to this number; the badge says "100+" from there on."""
_EVERY_OPERATOR: Final = "NOT EXISTS (SELECT FROM operators_operator WHERE id <> ALL (%s::uuid[]))"


STOP_GAMING: Final = "baccarat.stop_gaming"
GAMING: Final = stop_id(StopScope.GAMING, "")
STOPS: Final = "baccarat_killswitch"
"""What `counts` counts while all gaming is stopped, for everybody who may see switches."""


@dataclass(frozen=True, slots=True)
class EmergencyBar:
    """The bar above each page: all gaming is stopped, by a switch, or may be stopped by the user."""

    switch: KillSwitch | None
    target: str


def emergency_bar(request: HttpRequest, waiting: Mapping[str, int]) -> EmergencyBar | None:
    """Return the bar for the user, from `counts`; None for those whom it does not concern."""
    switch = KillSwitch.objects.filter(pk=GAMING).first() if STOPS in waiting else None
    may_stop = request.user.has_perm(STOP_GAMING) and scope.are_all_operators(scope.operators(request))
    return EmergencyBar(switch, GAMING) if switch is not None or may_stop else None


def closed_reports() -> Exists:
    """Return the condition that a report of a chat message is closed."""
    return Exists(ChatReportClosure.objects.filter(report_id=OuterRef("pk")))


def _with_installation(rows: QuerySet[Any], request: HttpRequest) -> QuerySet[Any]:
    """Select rows that the user may see; staff of every operator also see those of the installation."""
    allowed = scope.operators(request)
    if allowed is None:
        return rows
    everyone = RawSQL(_EVERY_OPERATOR, [list(allowed)], output_field=BooleanField())  # noqa: S611  (a constant)
    return rows.filter(Q(operator_id__in=allowed) | Q(everyone, operator_id__isnull=True))


QUEUES: Final[Mapping[str, QuerySet[Any]]] = {
    "compliance_case": Case.objects.filter(~is_resolved()),
    "baccarat_round": Table.objects.filter(suspension_reason__isnull=False),
    "chat_chatreport": ChatReport.objects.filter(~closed_reports()),
}
"""The rows that wait for each page (app_model)."""
DECIDE_CHANGE: Final = "operators.change_change"
INBOX_PAGE: Final = "desk_inbox"


def _asked(kind: ChangeName, about: str, payment: str) -> Exists:
    """Return the condition that a change about a payment waits for another person."""
    subject = Concat(Value(f"{about}:"), Cast(OuterRef(payment), TextField()))
    return Exists(Change.objects.filter(status=ChangeStatus.REQUESTED, kind=kind, subject=subject))


DECISIONS: Final[Mapping[str, QuerySet[Any]]] = {
    "wallet.decide_hold": Hold.objects.filter(
        ~_asked(ChangeName.RELEASE_PAYMENT, "payment", "withdrawal_id"), status="open"
    ),
    "wallet.change_withdrawal": Withdrawal.objects.filter(
        ~_asked(ChangeName.WITHDRAWAL, "withdrawal", "pk"), status="requested"
    ),
    DECIDE_CHANGE: Change.objects.filter(status=ChangeStatus.REQUESTED),
    "wallet.change_discrepancy": Discrepancy.objects.filter(status__in=["open", "assigned"]),
    "significant.acknowledge_significantevent": SignificantEvent.objects.filter(
        pk__in=Unacknowledged.objects.values("pk")
    ),
}
"""What waits in the inbox, by the permission to decide it. Of a payment about which a change waits, it is that."""


def decisions(request: HttpRequest) -> list[QuerySet[Any]]:
    """Return what waits for the user's decision, of each kind: the rows of its list that the user may see."""
    found = []
    for permission, rows in DECISIONS.items():
        if not request.user.has_perm(permission):
            continue
        waiting = admin.site.get_model_admin(rows.model).get_queryset(request).filter(pk__in=rows.values("pk"))
        if permission == DECIDE_CHANGE:
            kinds = [kind for kind in changes.kinds() if request.user.has_perm(changes.act_of(kind).name)]
            waiting = waiting.filter(kind__in=kinds)
        if rows.model is SignificantEvent:  # all staff see the installation's, staff of every operator decide them
            waiting = _with_installation(waiting, request)
        found.append(waiting)
    return found


def counts(request: HttpRequest) -> dict[str, int]:
    """Count the rows of each queue that the user may see, up to MAX_COUNT; queues without any are left out."""
    pages = {name: scope.within(rows, request) for name, rows in QUEUES.items()}
    pages[STOPS] = KillSwitch.objects.filter(pk=GAMING, active=True)
    queues = [(name, rows) for name, rows in pages.items() if scope.has_view_permission(request, name)]
    names, statements = [], []
    for name, rows in [*queues, *((INBOX_PAGE, rows) for rows in decisions(request))]:
        try:
            statements.append(rows.order_by().values("pk")[:MAX_COUNT].query.sql_with_params())
        except EmptyResultSet:  # of a member who works for no operator
            continue
        names.append(name)
    if not statements:
        return {}
    columns = ", ".join(f"(SELECT count(*) FROM ({sql}) AS queue)" for sql, _ in statements)  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}", [value for _, values in statements for value in values])
        row: tuple[int, ...] = cursor.fetchone()
    found = Counter[str]()
    for name, count in zip(names, row, strict=True):
        found[name] += count
    return {name: min(count, MAX_COUNT) for name, count in found.items() if count}


def text_of(count: int) -> str:
    """Write a count as a badge."""
    return f"{MAX_COUNT}+" if count >= MAX_COUNT else str(count)
