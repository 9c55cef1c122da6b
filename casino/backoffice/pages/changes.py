"""Changes that need two persons, and the keys of operators' assertions."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction, SecretAnswer, hand_over
from casino.backoffice.badges import DECIDE_CHANGE as DECIDE
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.columns import RemovableAdmin, column, staff_column, status_column, time_column
from casino.backoffice.filters import enum_filter, operator_filter
from casino.backoffice.forms import AssignForm, label
from casino.backoffice.pages.holds import before_money_leaves
from casino.backoffice.pages.inbox import effect_of, payout_of
from casino.backoffice.sections import Banner, Section
from casino.backoffice.subjects import Names, subject_link, subject_names
from casino.crypto.crypto_shredding import decrypt_text, is_encrypted
from casino.kernel.persons import STAFF, is_another_person, is_person
from casino.operators import assertions, changes, memberships
from casino.operators.change import ChangeStatus
from casino.operators.memberships import colleagues_filter
from casino.operators.models import AssertionKey, Change
from casino.staff import password_codes

RESET: Final = "staff.reset_authenticator"
REMOVE_KEY: Final = "operators.delete_assertionkey"
_TONES: Final = {
    "requested": "warn",
    "confirmed": "warn",
    "effective": "good",
    "declined": "bad",
    "cancelled": "bad",
    "failed": "bad",
}


def _may_decide(request: HttpRequest, change: Change) -> bool:
    return change.status == ChangeStatus.REQUESTED and request.user.has_perm(changes.act_of(change.kind).name)


def _may_confirm(request: HttpRequest, change: Change) -> bool:
    by = memberships.staff_actor(request.user)
    return _may_decide(request, change) and _is_new(by, change)


def _is_new(person: str, change: Change) -> bool:
    agreed = [each for each in (change.requested_by, *change.confirmed_by) if is_person(each)]
    return person != change.subject and all(is_another_person(person, one) for one in agreed)


def _may_cancel(request: HttpRequest, change: Change) -> bool:
    return change.status == ChangeStatus.CONFIRMED and request.user.has_perm(changes.act_of(change.kind).name)


class AssignChangeForm(AssignForm):
    def prepare(self) -> None:
        """Ask for the permission to decide this kind of change."""
        self.permission = changes.act_of(self.row.kind).name
        super().prepare()

    def may_own(self, person: str) -> bool:
        """Return whether somebody may still confirm the change."""
        return _is_new(person, self.row)


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    """Changes that need two persons, newest first; the filter `requested` is the queue."""

    list_display = ("summary", "status_badge", "operator_", "requester", "requested", "decider", "effective")
    list_filter = (operator_filter(), enum_filter(ChangeStatus))
    list_select_related = ("operator",)
    search_fields = ("pk",)
    search_help_text = "id"
    status_badge = status_column(_TONES)
    operator_ = column(
        "operator", lambda change: change.operator and html.page("operator", change.operator_id, change.operator.slug)
    )
    requester = staff_column("requested_by", "requested by")
    requested = time_column("requested_at", "requested")
    decider = staff_column("decided_by", "decided by")
    effective = time_column("effective_at", "effective from")

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Select changes of these operators, those about colleagues who work for several, and for staff of all, all."""
        if scope.are_all_operators(operators):
            return super().owned_by(operators) | Q(operator_id=None)
        colleagues = User.objects.filter(colleagues_filter(operators)).values_list("pk", flat=True)
        return super().owned_by(operators) | Q(operator_id=None, subject__in=[f"{STAFF}:{user}" for user in colleagues])

    @RowAction(
        "Confirm",
        permission=DECIDE,
        applies=_may_confirm,
        tone="good",
        question="Confirm this change as the second person?",
    )
    def confirm(self, request: HttpRequest, change: Change, _data: dict[str, Any]) -> str:
        _require(request, change)
        confirmed = changes.confirm(change.pk, by=memberships.staff_actor(request.user))
        if confirmed.status == ChangeStatus.EFFECTIVE:
            return "Confirmed; it is in effect."
        return f"Confirmed; it takes effect at {html.plain_moment(confirmed.effective_at)}."  # type: ignore[arg-type]

    @RowAction("Hand over", permission=DECIDE, form=AssignChangeForm, applies=_may_decide)
    def assign(self, request: HttpRequest, change: Change, data: dict[str, Any]) -> str:
        _require(request, change)
        return hand_over(request, change.summary, data["owner"], partial(changes.assign, change.pk))

    @RowAction("Decline", permission=DECIDE, applies=_may_decide, tone="bad")
    def decline(self, request: HttpRequest, change: Change, _data: dict[str, Any]) -> str:
        _require(request, change)
        changes.decline(change.pk, by=memberships.staff_actor(request.user))
        return "Declined; nothing has changed."

    @RowAction(
        "Cancel", permission=DECIDE, applies=_may_cancel, tone="bad", help_text="Before it takes effect, one is enough."
    )
    def cancel(self, request: HttpRequest, change: Change, _data: dict[str, Any]) -> str:
        _require(request, change)
        changes.cancel(change.pk, by=memberships.staff_actor(request.user))
        return "Cancelled; nothing has changed."

    @RowAction(
        "Show my half",
        name="half",
        title="Code for a password",
        permission=RESET,
        applies=lambda request, change: password_codes.waits_for(change, memberships.staff_actor(request.user)),
        help_text="It is shown once. Give it to the user yourself, in person or by telephone, and to nobody else.",
    )
    def show_half(self, request: HttpRequest, change: Change, _data: dict[str, Any]) -> SecretAnswer:
        half = password_codes.take_half(change, memberships.staff_actor(request.user))
        return SecretAnswer("Showed one half of the code", half, "The user needs the other person's half, too.")

    def sections(self, request: HttpRequest, obj: Change) -> Sequence[Section]:
        decides = request.user.has_perm(changes.act_of(obj.kind).name)
        found = {name: _words(value) for name, value in changes.readable_details(obj).items()}
        names = subject_names([obj.subject, obj.owner, *map(":".join, found.items())])
        details = [
            (label(name), _named(name, text, names) or (decrypt_text(text) if decides else _public(text)))
            for name, text in found.items()
        ]
        effect = effect_of(obj) if obj.status == ChangeStatus.REQUESTED else ""
        facts = self.facts(
            obj,
            *("summary", "status_badge", "operator_"),
            ("Subject", subject_link(obj.subject, names)),
            *("requester", "requested"),
            *((("Handed to", subject_link(obj.owner, names)),) if obj.owner else ()),
            "decider",
            ("Decided", obj.decided_at),
            "effective",
            *((("What it does", effect),) if effect else ()),
            *(() if changes.is_secret(obj) else details),
            "pk",
        )
        if _may_decide(request, obj) and not _may_confirm(request, obj):
            text = "The requester and the person concerned can't confirm it, nor can who acts by assertions unlinked."
            return [facts, Banner("Waiting for another person", text), *_before_money_leaves(request, obj)]
        return [facts, *_before_money_leaves(request, obj)]


def _words(value: object) -> str:
    """Write a detail for people: what is in it with its names, one after the other."""
    if isinstance(value, dict):
        return "; ".join(f"{label(str(name)).lower()} {_words(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_words, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _before_money_leaves(request: HttpRequest, change: Change) -> Sequence[Section]:
    """Show what is known of the player whose withdrawal a change pays out or releases."""
    withdrawal = payout_of(change)
    return () if withdrawal is None else before_money_leaves(request, withdrawal)


def _named(kind: str, text: str, names: Names) -> SafeString | str:
    """Name what a detail is the id of; nothing where it is no id."""
    return "" if as_uuid(text) is None or kind not in html.PAGES else subject_link(f"{kind}:{text}", names)


def _public(text: str) -> str:
    return "encrypted" if is_encrypted(text) else text


def _require(request: HttpRequest, change: Change) -> None:
    if not request.user.has_perm(changes.act_of(change.kind).name):
        raise PermissionDenied


@admin.register(AssertionKey)
class AssertionKeyAdmin(RemovableAdmin):
    """Public keys of the assertions of operators' staff, newest first."""

    list_display = ("name", "operator_", "person", "created", "status")
    search_fields = ("pk", "key_id")
    search_help_text = "id or thumbprint"
    person = column("names", lambda key: key.subject or "anybody")

    @RowAction(
        "Remove",
        title="Remove this key",
        permission=REMOVE_KEY,
        applies=lambda _, key: key.removed_at is None,
        tone="bad",
        help_text="One person is enough. Assertions by it are refused at once.",
        question="Remove this key? A new one needs two persons again.",
    )
    def remove(self, request: HttpRequest, key: AssertionKey, _data: dict[str, Any]) -> str:
        assertions.remove_key(key.pk, by=memberships.staff_actor(request.user))
        return f"Removed {key.name}."

    def sections(self, _request: HttpRequest, obj: AssertionKey) -> Sequence[Section]:
        facts = self.facts(
            obj,
            *("name", "operator_", "person"),
            ("Thumbprint", html.code(obj.key_id)),
            *self.life(obj),
        )
        return [facts]
