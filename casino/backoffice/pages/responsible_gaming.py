"""What protects players as staff see it: limits and what is used of them, exclusions; and what the operator may do."""

from collections.abc import Sequence
from typing import Any, Final

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils import timezone
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.filters import chosen
from casino.backoffice.pages.operators import operator_filter
from casino.backoffice.sections import Deed, Facts, Field, Form, Grid, Section
from casino.events.store import Metadata
from casino.kernel import money
from casino.kernel.money import MoneyType
from casino.observability.request_id import request_id
from casino.operators import memberships
from casino.operators.models import Operator, Player
from wallet.ledger.accounts import AccountKind
from wallet.models import Account, PlayerRestrictions
from wallet.responsible_gaming import exclusions, queries, services
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.queries import LimitStatus
from wallet.responsible_gaming.refusals import InvalidPlayLimit, format_limit
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import Exclusion, ExclusionKind

CHANGE: Final = "wallet.change_playerrestrictions"
_MEASURES: Final = [(measure.value, measure.value.capitalize()) for measure in LimitType]
_PERIODS: Final = [(period.value, period.value.capitalize()) for period in LimitPeriod]
_EXCLUSIONS: Final = ("Kind", "Set by", "Since (UTC)", "Until (UTC)", "Ended (UTC)", "Why")
_HEADERS: Final = ("Measure", "Period", "Limit", "Used", "Own", "Operator's", "Everyone's", "Asked for")


@admin.register(PlayerRestrictions)
class ProtectionAdmin(ReadOnlyAdmin):
    """Players with limits or exclusions. Found by the player's id."""

    list_display = ("title", "operator", "limits", "away")
    list_filter = (
        operator_filter(),
        chosen(
            title="exclusion",
            parameter="exclusion",
            choices={"yes": "Cooling off or self-excluded"},
            where=lambda _: (
                Q(excluded_until__isnull=False)
                & (Q(excluded_until__gt=timezone.now()) | Q(state__exclusion__kind="self_exclusion"))
            ),
        ),
    )
    ordering = ("player_id",)
    search_help_text = "player's id"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Add names and the operator's currency."""
        operator = Operator.objects.filter(id=OuterRef("operator_id"))
        nickname = Player.objects.filter(id=OuterRef("player_id")).values("nickname")
        rows: QuerySet[Any] = super().get_queryset(request)
        named: QuerySet[Any] = rows.annotate(
            slug=Subquery(operator.values("slug")),
            currency=Subquery(operator.values("currency")),
            nickname=Subquery(nickname),
        )
        return named

    def found_by(self, term: str) -> Q | None:
        """Look for a player."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the address of `end`."""
        return [self.perform_path("end", CHANGE, self.end), *super().get_urls()]

    def end(self, request: HttpRequest, protection: Any) -> str:
        """End a self-exclusion that is over. Raises NotSelfExcluded, ExclusionNotOver."""
        on = PlayerContext(
            protection.operator_id, protection.player_id, protection.currency, _remembered(request, protection)
        )
        services.end_exclusion(context=on)
        return "The self-exclusion is over; the player may play again."

    @admin.display(description="player")
    def title(self, protection: Any) -> str:
        return protection.nickname or html.short(protection.player_id)

    @admin.display(description="operator")
    def operator(self, protection: Any) -> SafeString | str:
        return html.page("operator", protection.operator_id, protection.slug or html.short(protection.operator_id))

    @admin.display(description="limits")
    def limits(self, protection: PlayerRestrictions) -> str:
        """How many are set, by the player or for the player."""
        return str(len(protection.state["limits"]))

    @admin.display(description="away until (UTC)")
    def away(self, protection: PlayerRestrictions) -> SafeString | str:
        """Until when the player stays away, as far as is known."""
        return html.moment(protection.excluded_until)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show the limits with what is used of them, and the exclusion with its end."""
        found = queries.limits(operator=obj.operator_id, player=obj.player_id)
        exclusion = found.restrictions.active_exclusion(found.now)
        facts = (
            ("Player", html.page("player", obj.player_id, self.title(obj))),
            ("Operator", self.operator(obj)),
            ("Exclusion", html.NOTHING if exclusion is None else exclusion.kind.replace("_", " ")),
            ("Set by", html.NOTHING if exclusion is None else exclusion.by),
            ("Until (UTC)", html.NOTHING if exclusion is None else html.moment(exclusion.until)),
            ("Log", html.listing("events_event", "all events", q=f"responsible-gaming-{obj.player_id}")),
        )
        rows = [_row(found, line, obj.currency) for line in found.limits]
        limits, history = Grid("Limits", _HEADERS, rows), _history(obj)
        return (Facts("Protection", facts), limits, history, *self._end(request, obj, exclusion))

    def _end(
        self, request: HttpRequest, protection: PlayerRestrictions, exclusion: Exclusion | None
    ) -> Sequence[Section]:
        if exclusion is None or exclusion.kind is not ExclusionKind.SELF_EXCLUSION or not request.user.has_perm(CHANGE):
            return ()
        deed = Deed("End it", self.perform_url("end", protection), "Let this player play again?", tone="bad")
        return (Grid("Self-exclusion", ("It can be ended once its time is over",), [(deed,)]),)


def _history(protection: PlayerRestrictions) -> Grid:
    rows = [
        (
            told.record.exclusion.kind.replace("_", " "),
            told.record.exclusion.by.value,
            html.moment(told.record.exclusion.since),
            html.moment(told.record.exclusion.until),
            html.moment(told.record.ended_at),
            told.note or html.NOTHING,
        )
        for told in exclusions.list_exclusions(operator=protection.operator_id, player=protection.player_id)
    ]
    return Grid("Exclusions", _EXCLUSIONS, rows, empty="The player was never away.")


def limit(request: HttpRequest, account: Account) -> str:
    """Limit the player of a real account in the operator's name, as the form says; nothing given lifts it.

    Raises PermissionDenied for any other account, and the refusals of `operations.set_limit`.
    """
    if account.player_id is None or not _is_real(account):
        raise PermissionDenied
    measure, period = _choice(LimitType, request.POST.get("measure")), _choice(LimitPeriod, request.POST.get("period"))
    on = PlayerContext(account.operator_id, account.player_id, account.currency, _remembered(request, account))
    most = _most(request.POST.get("most", "").strip(), measure, account.currency)
    services.set_limit(context=on, by=Initiator.OPERATOR, limit_type=measure, period=period, limit=most)
    return f"The operator's {measure} limit per {period} is changed."


def form_of(request: HttpRequest, account: Account, url: str) -> Sequence[Section]:
    """Show the form that limits the player of a real account, for those who may."""
    if not _is_real(account) or not request.user.has_perm(CHANGE):
        return ()
    fields = (
        Field("measure", "What", choices=_MEASURES),
        Field("period", "Per", choices=_PERIODS),
        Field("most", f"At most, in {account.currency} or minutes (empty: no limit)", required=False, longest=20),
    )
    says = "It holds at once, beside the player's own: the lower one counts."
    return (Form("Limit this player", "Set the limit", url, fields, says),)


def _row(found: queries.LimitsOverview, line: LimitStatus, currency: str) -> tuple[object, ...]:
    def text(most: int | None) -> str:
        if most is None:
            return html.NOTHING
        return f"{format_limit(most, line.limit_type, currency)} {'min' if line.limit_type is LimitType.TIME else currency}"

    wish = found.restrictions.pending_increase(line.limit_type, line.period)
    asked = html.NOTHING if wish is None else text(wish.limit) if wish.limit is not None else "no limit"
    held = (line.limit, max(0, line.used), line.player_limit, line.operator_limit, line.operator_wide_limit)
    return (line.limit_type.value, line.period.value, *(text(each) for each in held), asked)


def _is_real(account: Account) -> bool:
    return account.kind == AccountKind.ACCOUNT and account.money_type == MoneyType.REAL


def _most(text: str, measure: LimitType, currency: str) -> int | None:
    if not text:
        return None
    if measure is not LimitType.TIME:
        return money.parse_positive(text, currency)
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        raise InvalidPlayLimit
    return int(text)


def _choice(kind: Any, given: str | None) -> Any:
    if given not in {member.value for member in kind}:
        raise InvalidPlayLimit
    return kind(given)


def _remembered(request: HttpRequest, row: Account | PlayerRestrictions) -> Metadata:
    made, who = request_id(request), memberships.staff_actor(request.user)
    return Metadata(operator=str(row.operator_id), actor=who, causation="", correlation=made, request=made)
