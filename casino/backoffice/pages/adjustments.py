"""Corrections by hand as staff see them: a queue, a page where another person decides, and the form that asks."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from casino.backoffice import html, staff_names
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.filters import chosen, since_by_uuid
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.sections import Alert, Facts, Field, Form, Section
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.observability.request_id import request_id
from casino.operators import memberships
from casino.operators.models import Operator, Player
from wallet.adjustments import queries, services
from wallet.adjustments.events import AdjustmentReason, Direction
from wallet.adjustments.refusals import InvalidAdjustmentChoice
from wallet.adjustments.state import AdjustmentStatus
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, player_account
from wallet.models import Account, Adjustment

REQUEST: Final = "wallet.request_adjustment"
DECIDE: Final = "wallet.approve_adjustment"
_REASONS: Final = [(reason.value, reason.value.capitalize()) for reason in AdjustmentReason]
_WAYS: Final = [(Direction.CREDIT.value, "Credit the player"), (Direction.DEBIT.value, "Debit the player")]
_TONES: Final = {"requested": "warn", "approved": "good", "rejected": "bad"}
_STATUSES: Final = {status.value: status.value.capitalize() for status in AdjustmentStatus}


@admin.register(Adjustment)
class AdjustmentAdmin(ReadOnlyAdmin):
    """Corrections, newest first: a queue of those that wait, by the filter `requested`."""

    list_display = ("title", "standing", "way", "sum", "why", "operator", "player", "asked_by", "when")
    list_filter = (
        operator_filter(),
        chosen(title="status", parameter="status", choices=_STATUSES, where=lambda value: Q(status=value)),
        chosen(title="reason", parameter="reason", choices=dict(_REASONS), where=lambda value: Q(reason=value)),
        since_by_uuid(),
    )
    ordering = ("-id",)
    search_help_text = "id, or player's id"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        slug = Operator.objects.filter(id=OuterRef("operator_id")).values("slug")
        nickname = Player.objects.filter(id=OuterRef("player_id")).values("nickname")
        named: QuerySet[Any] = super().get_queryset(request).annotate(slug=Subquery(slug), nickname=Subquery(nickname))
        return named

    def found_by(self, term: str) -> Q | None:
        """Look for an id or a player."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity) | Q(player_id=identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the addresses of `approve` and `reject`."""
        return [
            self.perform_path("approve", DECIDE, self.approve),
            self.perform_path("reject", DECIDE, self.reject),
            *super().get_urls(),
        ]

    def approve(self, request: HttpRequest, adjustment: Adjustment) -> str:
        """Agree. Raises the refusals of `operations.approve`."""
        done = services.approve(
            adjustment.pk,
            operator=adjustment.operator_id,
            by=memberships.staff_actor(request.user),
            as_debt=request.POST.get("as_debt") == "yes",
            answer=request.POST.get("answer", ""),
            metadata=_remembered(request, adjustment),
        )
        owed = f"; {money.format_amount(done.owed, adjustment.currency)} of it is owed" if done.owed else ""
        return f"Approved{owed}. The player has been told."

    def reject(self, request: HttpRequest, adjustment: Adjustment) -> str:
        """Refuse. Raises the refusals of `operations.reject`."""
        services.reject(
            adjustment.pk,
            operator=adjustment.operator_id,
            by=memberships.staff_actor(request.user),
            answer=request.POST.get("answer", ""),
            metadata=_remembered(request, adjustment),
        )
        return "Rejected; nothing has moved."

    @admin.display(description="id")
    def title(self, adjustment: Adjustment) -> str:
        """The end of its id."""
        return html.short(adjustment.pk)

    @admin.display(description="status")
    def standing(self, adjustment: Adjustment) -> SafeString:
        return html.badge(adjustment.status, _TONES[adjustment.status])

    @admin.display(description="way")
    def way(self, adjustment: Adjustment) -> str:
        """To the player or from the player."""
        return adjustment.direction

    @admin.display(description="amount")
    def sum(self, adjustment: Adjustment) -> SafeString | str:
        """How much."""
        amount = html.money(adjustment.amount, adjustment.currency)
        return amount if adjustment.money_type == MoneyType.REAL else html.both(amount, "play money")

    @admin.display(description="reason")
    def why(self, adjustment: Adjustment) -> str:
        """The reason's code."""
        return adjustment.reason

    @admin.display(description="operator")
    def operator(self, adjustment: Any) -> SafeString | str:
        return html.page("operator", adjustment.operator_id, adjustment.slug or html.short(adjustment.operator_id))

    @admin.display(description="player")
    def player(self, adjustment: Any) -> SafeString | str:
        return html.page("player", adjustment.player_id, adjustment.nickname or html.short(adjustment.player_id))

    @admin.display(description="asked by")
    def asked_by(self, adjustment: Adjustment) -> str:
        return staff_names.named(adjustment.requested_by)

    @admin.display(description="requested (UTC)")
    def when(self, adjustment: Adjustment) -> SafeString | str:
        """When it was asked for."""
        return html.moment(adjustment.requested_at)

    def sections(self, request: HttpRequest, obj: Adjustment) -> Sequence[Section]:
        """Show an adjustment with its words, and the forms to decide it for those who may."""
        words = queries.load_adjustment_texts([obj.pk]).get(obj.pk)
        whose = {"operator": obj.operator_id, "player": obj.player_id}
        account = player_account(money_type=MoneyType(obj.money_type), currency=obj.currency, **whose)
        facts = (
            ("Status", self.standing(obj)),
            ("Amount", html.both(self.sum(obj), obj.direction)),
            ("Reason", obj.reason),
            ("Operator", self.operator(obj)),
            ("Player", self.player(obj)),
            ("Why, in words", html.NOTHING if words is None else words.note),
            ("To the player", html.NOTHING if words is None else words.message or html.NOTHING),
            ("Asked by", obj.requested_by),
            ("Requested (UTC)", self.when(obj)),
            ("Decided by", obj.decided_by or html.NOTHING),
            ("Decided (UTC)", html.moment(obj.decided_at)),
            ("Answer", html.NOTHING if words is None else words.answer or html.NOTHING),
            ("On the account now", html.money(store.balances([account])[account], obj.currency)),
            ("Taken from the account", html.money(obj.taken, obj.currency)),
            ("Recorded as a debt", html.money(obj.owed, obj.currency)),
            ("Log", html.listing("events_event", "all events", q=f"adjustment-{obj.pk}")),
            ("Id", html.code(obj.pk)),
        )
        return (Facts("Adjustment", facts), *self._decision(request, obj))

    def _decision(self, request: HttpRequest, adjustment: Adjustment) -> Sequence[Section]:
        if adjustment.status != AdjustmentStatus.REQUESTED or not request.user.has_perm(DECIDE):
            return ()
        if adjustment.requested_by == memberships.staff_actor(request.user):
            return (Alert("Waiting for another person", "Who asked for an adjustment can't decide it."),)
        debt = Field("as_debt", "Record what is missing as a debt", mark=True)
        remark = Field("answer", "Remark", required=False)
        agree = (debt, remark) if adjustment.direction == Direction.DEBIT else (remark,)
        says = "The money moves at once, and the player is told."
        return (
            Form("Approve", "Approve", self.perform_url("approve", adjustment), agree, says, tone="good"),
            Form("Reject", "Reject", self.perform_url("reject", adjustment), (Field("answer", "Why"),), tone="bad"),
        )


def ask(request: HttpRequest, account: Account) -> str:
    """Ask for the correction of a player's account, as its form says.

    Raises PermissionDenied for any other account, and the refusals of `operations.request`.
    """
    given, player = request.POST, account.player_id
    if account.kind != AccountKind.ACCOUNT or player is None:
        raise PermissionDenied
    services.request(
        operator=account.operator_id,
        player=player,
        money_type=MoneyType(account.money_type),
        currency=account.currency,
        direction=_choice(Direction, given.get("direction", "")),
        amount=money.parse_positive(given.get("amount", ""), account.currency),
        reason=_choice(AdjustmentReason, given.get("reason", "")),
        note=given.get("note", ""),
        message=given.get("message", ""),
        by=memberships.staff_actor(request.user),
        metadata=_remembered(request, account),
    )
    return "Asked for an adjustment; another person has to agree."


def form_of(request: HttpRequest, account: Account, url: str) -> Sequence[Section]:
    """Show the form that asks for a correction of a player's account, for those who may."""
    if account.kind != AccountKind.ACCOUNT or not request.user.has_perm(REQUEST):
        return ()
    fields = (
        Field("direction", "Way", choices=_WAYS),
        Field("amount", f"Amount in {account.currency}", longest=20),
        Field("reason", "Reason", choices=_REASONS),
        Field("note", "Why, for staff", lines=2),
        Field("message", "For the player (may stay empty)", required=False, lines=2),
    )
    says = "Nothing moves until another person agrees."
    return (Form("Correct this account", "Ask for the adjustment", url, fields, says),)


def _choice(kind: Any, given: str) -> Any:
    if given not in {member.value for member in kind}:
        raise InvalidAdjustmentChoice(f"{given[:40]!r} is not one of the choices.")
    return kind(given)


def _remembered(request: HttpRequest, row: Account | Adjustment) -> Metadata:
    made = request_id(request)
    who = memberships.staff_actor(request.user)
    return Metadata(operator=str(row.operator_id), actor=who, causation="", correlation=made, request=made)
