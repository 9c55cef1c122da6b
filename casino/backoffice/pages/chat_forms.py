"""What moderators do on a page about a player: the forms, and what was filled in."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest

from baccarat.chat.events import ModerationReason, ReportOutcome
from baccarat.chat.moderation import ModerationContext
from baccarat.chat.refusals import InvalidModeration
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.sections import Field, Form, Section
from casino.events.store import Metadata
from casino.observability.request_id import request_id
from casino.operators import memberships

MODERATE: Final = "chat.moderate"
REMOVE: Final = "chat.remove_player"
LIST: Final = "chat.list_word"
_REASONS: Final = [(reason.value, reason.value.capitalize()) for reason in ModerationReason]
_BAN: Final = (
    Field("reason", "Reason", choices=_REASONS),
    Field("minutes", "Minutes (empty for good)", required=False, longest=6),
    Field("note", "Remark for staff", required=False),
)
_NOTE: Final = (Field("note", "Remark for staff", required=False),)
_GONE: Final = "The session ends and none is opened; confirmed wagers are settled, and support pays out what is left."


def forms_about(request: HttpRequest, part: ReadOnlyAdmin, row: Any) -> Sequence[Section]:
    """Show the forms about a row's player, to those who may send them."""
    forms: list[Section] = []
    if request.user.has_perm(MODERATE):
        forms.append(Form("Mute the player", "Mute", part.perform_url("mute", row), _BAN, tone="bad"))
        forms.append(Form("Let the player write", "Unmute", part.perform_url("unmute", row), _NOTE))
    if request.user.has_perm(REMOVE):
        forms.append(Form("Remove from the casino", "Remove", part.perform_url("remove", row), _BAN, _GONE, tone="bad"))
        forms.append(Form("Let the player in again", "Readmit", part.perform_url("readmit", row), _NOTE))
    return forms


def moderator_of(request: HttpRequest, row: Any) -> ModerationContext:
    """Tell who acts about a row's player, and with what remark."""
    note = request.POST.get("note", "")
    return ModerationContext(row.operator_id, row.player_id, note, remembered(request, row.operator_id))


def reason_of(request: HttpRequest) -> ModerationReason:
    """Read the reason. Raises UnknownModeration."""
    given = request.POST.get("reason", "")
    if given not in {reason.value for reason in ModerationReason}:
        raise InvalidModeration(f"{given[:40]!r} is not one of the reasons.")
    return ModerationReason(given)


def outcome_of(request: HttpRequest) -> ReportOutcome:
    """Read what came of a report. Raises UnknownModeration."""
    given = request.POST.get("outcome", "")
    if given not in {outcome.value for outcome in ReportOutcome}:
        raise InvalidModeration(f"{given[:40]!r} is not one of the outcomes.")
    return ReportOutcome(given)


def minutes_of(request: HttpRequest) -> int | None:
    """Read for how long, None for good. Raises UnknownModeration."""
    given = request.POST.get("minutes", "").strip()
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 6):
        raise InvalidModeration(f"{given[:40]!r} is not a number of minutes.")
    return int(given)


def remembered(request: HttpRequest, operator: UUID | None) -> Metadata:
    """Build what events remember of an act of staff."""
    made = request_id(request)
    return Metadata(
        operator=str(operator or ""),
        actor=memberships.staff_actor(request.user),
        causation="",
        correlation=made,
        request=made,
    )
