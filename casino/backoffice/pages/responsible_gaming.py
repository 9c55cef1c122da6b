"""Players' limits and exclusions, with what is used of each limit."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from django.contrib import admin
from django.db.models import OuterRef, Q, Subquery
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.actions import WAITS, RowAction
from casino.backoffice.columns import LabelledRowsAdmin, column, name_of_player
from casino.backoffice.filters import choice_filter, operator_filter
from casino.backoffice.sections import Grid, Section
from casino.operators import memberships
from casino.operators.models import Operator
from wallet.models import PlayerRestrictions
from wallet.responsible_gaming import changes, exclusions, queries
from wallet.responsible_gaming.events import Initiator, responsible_gaming_stream
from wallet.responsible_gaming.queries import LimitsOverview, LimitStatus
from wallet.responsible_gaming.refusals import format_limit
from wallet.responsible_gaming.state import Exclusion, ExclusionKind, PlayerRestrictionsState

CHANGE: Final = "wallet.change_playerrestrictions"
_EXCLUSION_HEADERS: Final = ("Kind", "Set by", "Since", "Until", "Ended", "Reason")
_LIMIT_HEADERS: Final = (
    "Limit on", "Period", "Limit", "Used", "Player's own", "Operator's", "Operator-wide", "Pending increase",
)  # fmt: skip


def excluded() -> Q:
    """Select players who are excluded now, by whomever."""
    return Q(excluded_until__gt=timezone.now()) | Q(self_excluded=True)


def restrictions_of(row: PlayerRestrictions | None) -> PlayerRestrictionsState:
    """Return the state in a player's row, if there is one."""
    return PlayerRestrictionsState() if row is None else msgspec.convert(row.state, PlayerRestrictionsState)


def _may_end(_request: HttpRequest, row: Any) -> bool:
    active = restrictions_of(row).active_exclusions(timezone.now())
    is_any_to_end = any(each.kind is ExclusionKind.SELF_EXCLUSION for each in active)
    return is_any_to_end and all(each.until is not None for each in active)


@admin.register(PlayerRestrictions)
class PlayerRestrictionsAdmin(LabelledRowsAdmin):
    """Players with limits or exclusions. Found by the player's id."""

    list_display = ("nickname_", "operator", "limit_count", "excluded")
    list_filter = (
        operator_filter(),
        choice_filter("exclusion", choices={"yes": "Excluded or cooling off"}, where=lambda _: excluded()),
    )
    ordering = ("player_id",)
    annotations = {"currencies": Subquery(Operator.objects.filter(id=OuterRef("operator_id")).values("currencies"))}
    search_help_text = "player's id"
    nickname_ = column("player", name_of_player)
    limit_count = column("limits", lambda row: str(len(row.state["limits"])))
    excluded = column(
        "excluded until",
        lambda row: (
            "permanent" if row.self_excluded and row.excluded_until is None else html.moment(row.excluded_until)
        ),
    )

    def title_of(self, obj: Any) -> str:
        return f"Limits and exclusions of {name_of_player(obj)}"

    @RowAction(
        "End the exclusion",
        title="Exclusion",
        permission=CHANGE,
        applies=_may_end,
        tone="bad",
        help_text="Once its time is over and another person confirms, the player may play again after a day.",
        question="Request that this player may play again?",
    )
    def end(self, request: HttpRequest, row: Any, _data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        changes.request_end_of_exclusion(operator=row.operator_id, player=row.player_id, by=by)
        return WAITS

    def sections(self, _request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show the limits with what is used of them, and the exclusions."""
        overview = queries.limits(operator=obj.operator_id, player=obj.player_id, currencies=obj.currencies)
        facts = self.facts(
            obj,
            *("player", "operator"),
            ("Exclusion", exclusion_badges(overview.restrictions)),
            ("Log", html.event_log(responsible_gaming_stream(obj.player_id))),
            title="Limits and exclusions",
        )
        limits = [_limit_row(overview, limit) for limit in overview.limits]
        return (facts, Grid("Limits", _LIMIT_HEADERS, limits), _history(obj))


def name_of_exclusion(exclusion: Exclusion) -> str:
    """Word an exclusion for staff: whose it is decides whether money is held."""
    if exclusion.by is Initiator.PLAYER:
        return exclusion.kind.replace("_", " ")
    return f"{'cooling off' if exclusion.kind is ExclusionKind.COOLING_OFF else 'exclusion'} by the house"


def exclusion_badges(restrictions: PlayerRestrictionsState) -> SafeString:
    """Show the active exclusions, the player's own and the house's, with their ends."""
    active = restrictions.active_exclusions(timezone.now())
    return format_html_join(" ", "{}", ((_badge(each),) for each in active)) or html.badge("none", "good")


def _badge(exclusion: Exclusion) -> SafeString:
    kind = name_of_exclusion(exclusion)
    if exclusion.until is None:
        return html.badge(f"permanent {kind}", "bad")
    return html.with_note(html.badge(kind, "bad"), f"until {html.plain_moment(exclusion.until)}")


def _until(exclusion: Exclusion) -> SafeString | str:
    return "permanent" if exclusion.until is None else html.moment(exclusion.until)


def _history(row: PlayerRestrictions) -> Grid:
    rows = [
        (
            name_of_exclusion(each.record.exclusion),
            each.record.exclusion.by.value,
            each.record.exclusion.since,
            _until(each.record.exclusion),
            each.record.ended_at,
            each.note,
        )
        for each in exclusions.list_exclusions(operator=row.operator_id, player=row.player_id)
    ]
    return Grid("Exclusions", _EXCLUSION_HEADERS, rows, empty="The player was never excluded.")


def _limit_row(overview: LimitsOverview, limit: LimitStatus) -> tuple[object, ...]:
    def text(value: int | None) -> str:
        if value is None:
            return html.NOTHING
        return f"{format_limit(value, limit.limit_type, limit.currency)} {limit.currency or 'min'}"

    pending = overview.restrictions.pending_increase(limit.limit_type, limit.period, limit.currency)
    increase = html.NOTHING if pending is None else "no limit" if pending.limit is None else text(pending.limit)
    values = (limit.limit, max(0, limit.used), limit.player_limit, limit.operator_limit, limit.operator_wide_limit)
    return (limit.limit_type.value, limit.period.value, *(text(value) for value in values), increase)
