"""Counts in the sidebar: how many rows of each queue are waiting. One statement counts all of them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import BooleanField, Exists, OuterRef, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.http import HttpRequest

from baccarat.chat.models import ChatReport, ChatReportClosure
from baccarat.storage.models import Table
from casino.backoffice import scope
from casino.compliance.cases import RESOLVED
from casino.compliance.models import Case, CaseAction
from casino.significant.models import Unacknowledged
from wallet.models import Adjustment, Discrepancy, Withdrawal

MAX_COUNT: Final = 100
"""Rows are counted up to this number; the badge says "100+" from there on."""
_EVERY_OPERATOR: Final = "NOT EXISTS (SELECT FROM operators_operator WHERE id <> ALL (%s::uuid[]))"


def resolved_cases() -> Exists:
    """Return the condition that a case is resolved."""
    return Exists(CaseAction.objects.filter(case_id=OuterRef("pk"), action=RESOLVED))


def closed_reports() -> Exists:
    """Return the condition that a report of a chat message is closed."""
    return Exists(ChatReportClosure.objects.filter(report_id=OuterRef("pk")))


def _unacknowledged(request: HttpRequest) -> QuerySet[Any]:
    """Select unacknowledged events; staff of every operator also see those of the installation."""
    allowed = scope.operators(request)
    if allowed is None:
        return Unacknowledged.objects.all()
    everyone = RawSQL(_EVERY_OPERATOR, [list(allowed)], output_field=BooleanField())  # noqa: S611  (a constant)
    return Unacknowledged.objects.filter(Q(operator_id__in=allowed) | Q(everyone, operator_id__isnull=True))


QUEUES: Final[Mapping[str, tuple[str, Callable[[HttpRequest], QuerySet[Any]]]]] = {
    "significant_significantevent": ("significant.view_significantevent", _unacknowledged),
    "compliance_case": (
        "compliance.view_case",
        lambda request: scope.within(Case.objects.filter(~resolved_cases()), request),
    ),
    "baccarat_round": (
        "baccarat.view_round",
        lambda request: scope.within(Table.objects.filter(suspension_reason__isnull=False), request),
    ),
    "wallet_withdrawal": (
        "wallet.view_withdrawal",
        lambda request: scope.within(Withdrawal.objects.filter(status="requested"), request),
    ),
    "wallet_adjustment": (
        "wallet.view_adjustment",
        lambda request: scope.within(Adjustment.objects.filter(status="requested"), request),
    ),
    "wallet_discrepancy": (
        "wallet.view_discrepancy",
        lambda request: scope.within(Discrepancy.objects.filter(status__in=["open", "assigned"]), request),
    ),
    "chat_chatreport": (
        "chat.view_chatreport",
        lambda request: scope.within(ChatReport.objects.filter(~closed_reports()), request),
    ),
}
"""For each page (app_model): the permission to see it, and the rows that wait."""


def counts(request: HttpRequest) -> dict[str, str]:
    """Count the rows of each queue that this person may see; queues without any are left out."""
    statements = {}
    for name, (permission, rows) in QUEUES.items():
        if not request.user.has_perm(permission):
            continue
        try:
            statements[name] = rows(request).order_by().values("pk")[:MAX_COUNT].query.sql_with_params()
        except EmptyResultSet:  # of a member who works for no operator
            continue
    if not statements:
        return {}
    columns = ", ".join(f"(SELECT count(*) FROM ({sql}) AS queue)" for sql, _ in statements.values())  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}", [value for _, values in statements.values() for value in values])
        row: tuple[int, ...] = cursor.fetchone()
    return {
        name: f"{MAX_COUNT}+" if count >= MAX_COUNT else str(count)
        for name, count in zip(statements, row, strict=True)
        if count
    }
