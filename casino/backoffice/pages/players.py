"""A player's page: figures and status, what staff may do, then money, play, sessions, payments and chats."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import DateTimeField, Q
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Now
from django.db.models.lookups import GreaterThan
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from baccarat.domain.tables.kill_switch import StopScope
from baccarat.risk.players import statuses_of
from baccarat.services import exclusion, freezing
from casino.backoffice import html, scope
from casino.backoffice.actions import WAITS, RowAction, done_or_waits, staff_metadata
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.columns import column, operator_column, time_column
from casino.backoffice.filters import brand_filter, choice_filter, operator_filter, since_by_uuid
from casino.backoffice.forms import UNCHOSEN, EnumSelectField, RowForm, text_field
from casino.backoffice.pages import kill_switch, player_risk, player_sections
from casino.backoffice.pages.brands import LimitsGroupChoiceForm
from casino.backoffice.pages.operator_export import export_link
from casino.backoffice.pages.player_sections import open_sessions
from casino.backoffice.pages.responsible_gaming import excluded, restrictions_of
from casino.backoffice.sections import ActionBar, Section, contents
from casino.backoffice.subjects import players_named
from casino.compliance import data_exports, exports
from casino.compliance import erasure as erasures
from casino.compliance.api import file_response
from casino.crypto.crypto_shredding import ERASED
from casino.kernel.text import isolate
from casino.operators import bounds, complaint_terms, pins, sessions
from casino.operators.acts import UNLOCK_PIN
from casino.operators.memberships import staff_actor
from casino.operators.models import Player, PlayerBan, PlayerPin
from casino.staff.access_log import record_access
from wallet import acts
from wallet.models import PlayerRestrictions
from wallet.payments.withdrawals import MAX_REASON_LENGTH
from wallet.responsible_gaming import changes as protection_changes
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.exclusions import require_note
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import ExclusionKind

END_SESSIONS: Final = "operators.change_playersession"
REQUEST_ERASURE: Final = "compliance.request_erasure"
SET_LIMITS_GROUP: Final = "wallet.change_playerrestrictions"
EXCLUDE: Final = "wallet.exclude_player"
EXPORT: Final = "compliance.export_player"
_RESTRICTIONS: Final = "wallet_playerrestrictions"
_PERMANENT: Final = "permanent"
_EXCLUSIONS: Final = (
    (ExclusionKind.COOLING_OFF.value, "Cooling-off, for 24 to 1008 hours"),
    (ExclusionKind.SELF_EXCLUSION.value, "Exclusion, for 6 to 120 months"),
    (_PERMANENT, "Exclusion, permanent"),
)


def _restricted_players(condition: Q) -> Q:
    return Q(pk__in=PlayerRestrictions.objects.filter(condition).values("player_id"))


def _self_excluded(whose: str) -> Q:
    return Q(**{f"state__{whose}__kind": ExclusionKind.SELF_EXCLUSION.value})


def _excluded(whose: str) -> Q:
    """Select those with such an exclusion that is active, among those with any, who are found by an index."""
    until = Cast(KT(f"state__{whose}__until"), DateTimeField())
    return excluded() & (_self_excluded(whose) | Q(GreaterThan(until, Now())))


def _banned_players() -> Q:
    bans = PlayerBan.objects.filter(Q(until=None) | Q(until__gt=timezone.now()))
    return Q(pk__in=bans.values("player_id"))


_OWN: Final = "own_exclusion"
_EXCLUDED: Final[Mapping[str, tuple[str, Callable[[], Q]]]] = {
    "self_excluded": ("Self-excluded", lambda: _restricted_players(_excluded(_OWN) & _self_excluded(_OWN))),
    "cooling_off": ("Cooling off", lambda: _restricted_players(_excluded(_OWN) & ~_self_excluded(_OWN))),
    "by_house": ("Excluded by the house", lambda: _restricted_players(_excluded("house_exclusion"))),
    "stopped": ("Stopped by staff", lambda: _restricted_players(Q(blocked=True))),
    "frozen": ("Frozen by compliance", lambda: _restricted_players(Q(frozen=True))),
    "banned": ("Banned by a moderator", _banned_players),
}
"""Why players can't play, with the condition for them at the time of asking."""


def _exclusion_choices(request: HttpRequest) -> Mapping[str, str]:
    may_view = scope.has_view_permission(request, _RESTRICTIONS)
    return {value: text for value, (text, _) in _EXCLUDED.items()} if may_view else {}


def _badges(player: Any) -> SafeString | str:
    badges = [*player_risk.badges(player), *(_restricted(player.restrictions) if scope.may_view(_RESTRICTIONS) else ())]
    return format_html_join(" ", "{}", ((badge,) for badge in badges)) or html.NOTHING


def _restricted(row: PlayerRestrictions | None) -> Iterator[SafeString]:
    if row is None:
        return
    for each in restrictions_of(row).active_exclusions(timezone.now()):
        own = "cooling off" if each.kind is ExclusionKind.COOLING_OFF else "self-excluded"
        yield html.badge("excluded by the house" if each.by is Initiator.OPERATOR else own, "bad")
    if row.blocked:
        yield html.badge("stopped", "bad")
    if row.frozen:
        yield html.badge("frozen", "bad")


def _may_exclude(_request: HttpRequest, player: Any) -> bool:
    """Return whether the player's own exclusion or the house's can still be extended."""
    state = restrictions_of(player.restrictions)
    known = (state.own_exclusion, state.house_exclusion)
    return any(each is None or each.until is not None for each in known)


class ExclusionForm(RowForm):
    by = EnumSelectField(
        Initiator,
        labels={Initiator.PLAYER: "The player, whose wish I record", Initiator.OPERATOR: "The house"},
        label="Who excludes",
    )
    kind = forms.ChoiceField(choices=[UNCHOSEN, *_EXCLUSIONS], label="Kind")
    length = forms.IntegerField(
        label="How many hours or months (empty: permanent)", min_value=1, max_value=9999, required=False
    )
    note = text_field("Reason, for staff")

    def clean(self) -> dict[str, Any]:
        """Reduce the kinds to one kind with its length, None for a permanent self-exclusion."""
        data: dict[str, Any] = super().clean() or self.cleaned_data
        if "kind" not in data or "length" not in data:
            return data
        is_permanent = data["kind"] == _PERMANENT
        if is_permanent != (data["length"] is None):
            self.add_error("length", "Leave this empty." if is_permanent else "Enter the number of hours or months.")
        data["kind"] = ExclusionKind.SELF_EXCLUSION if is_permanent else ExclusionKind(data["kind"])
        return data


class FreezeForm(RowForm):
    reason = text_field("Reason, for staff", max_length=MAX_REASON_LENGTH, rows=3)


class ErasureForm(RowForm):
    reason = EnumSelectField(erasures.ErasureReason, label="Reason")
    overrides_retention = forms.BooleanField(
        label="Erase although the retention period of ten years has not ended", required=False
    )


@admin.register(Player)
class PlayerAdmin(player_risk.PlayerAssessments, ReadOnlyAdmin):
    """Players. Found by id, by the operator's own reference, or by nickname."""

    list_display = ("nickname", "operator_", "brand_", "reference", "status", "registered")
    list_filter = (
        operator_filter(), brand_filter(), player_risk.kyc_filter(), player_risk.tag_filter(),
        choice_filter("exclusion", choices=_exclusion_choices, where=lambda value: _EXCLUDED[value][1]()),
        since_by_uuid(),
    )  # fmt: skip
    list_select_related = ("operator", "brand")
    search_help_text = "id, the operator's reference, or the whole nickname"
    operator_ = operator_column
    brand_ = column("brand", lambda player: player.brand and html.page("brand", player.brand_id, player.brand.slug))
    status = column("status", _badges)
    registered = time_column("created_at", "registered")

    def prepare_rows(self, rows: Any) -> None:
        """Read what staff recorded about the players, and what keeps them from playing."""
        keys = [player.pk for player in rows]
        restrictions, assessments = PlayerRestrictions.objects.in_bulk(keys), statuses_of(keys)
        for player in rows:
            player.restrictions, player.assessment = restrictions.get(player.pk), assessments.get(player.pk)

    def search_condition(self, term: str) -> Q | None:
        """Search for an id, the operator's reference, or the whole nickname in whatever spelling."""
        identity = as_uuid(term)
        return players_named(term) if identity is None else players_named(term) | Q(pk=identity)

    def title_of(self, obj: Player) -> str:
        return f"{isolate(obj.nickname)} ({isolate(obj.reference)}, {obj.operator.slug})"

    def get_urls(self) -> list[URLPattern]:
        export = self.admin_site.admin_view(self.export)
        return [path("<path:object_id>/export.zip", export, name="operators_player_export"), *super().get_urls()]

    def export(self, request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Return the file of an export, named in the query. Raises PermissionDenied."""
        player = self.find_row(request, object_id)
        if request.method != "GET" or player is None or not request.user.has_perm(EXPORT):
            raise PermissionDenied
        rows = data_exports.list_of_player(player.pk, files=exports.files_for(request.user.has_perm))
        row = next((each for each in rows if str(each.pk) == request.GET.get("export") and each.ready_at), None)
        if row is None:
            return HttpResponseRedirect(self.page_url(player))
        record_access(request, subject=f"player:{player.pk}", operator=player.operator_id)
        return file_response(row, f"{player.operator.slug}-player-{player.pk}.zip")

    @RowAction(
        "Export",
        name="request_export",
        title="Export what you may see of this player",
        permission=EXPORT,
        help_text="A ZIP of JSON files and a workbook. It is on this page once it is made, and for a day.",
    )
    def request_export(self, request: HttpRequest, player: Player, _data: dict[str, Any]) -> str:
        by = staff_actor(request.user)
        files = exports.files_for(request.user.has_perm)
        data_exports.request_player(operator=player.operator_id, player=player.pk, files=files, by=by)
        return "Requested. The file is here once it is made, and for a day."

    @RowAction(
        "End open sessions",
        name="end",
        permission=END_SESSIONS,
        applies=lambda _, player: bool(open_sessions(player)),
        tone="bad",
        help_text="Seats and confirmed wagers stay as they are.",
        question="End every open session of this player? The player has to come back through the operator.",
    )
    def end_sessions(self, _request: HttpRequest, player: Player, _data: dict[str, Any]) -> str:
        running = open_sessions(player)
        for session in running:
            sessions.end_session(session=bytes(session.token_hash))
        return f"Ended {len(running)} session{'' if len(running) == 1 else 's'}."

    @RowAction(
        "Unlock",
        name="unlock_pin",
        title="Lift the lock of the PIN",
        permission=UNLOCK_PIN.name,
        applies=lambda _, player: PlayerPin.objects.filter(player=player.pk, locked_until__gt=Now()).exists(),
        help_text="After three wrong PINs. The PIN stays as it is.",
    )
    def unlock_pin(self, request: HttpRequest, player: Player, _data: dict[str, Any]) -> str:
        pins.unlock(operator=player.operator_id, player=player.pk, by=staff_actor(request.user))
        return "The player may try the PIN again."

    @RowAction(
        "Request the erasure",
        name="erase",
        title="Erase personal data",
        permission=REQUEST_ERASURE,
        form=ErasureForm,
        tone="bad",
        help_text="Another person has to confirm it. Then names and texts are erased permanently; rounds and money "
        "stay provable.",
    )
    def request_erasure(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        erasures.request(operator=player.operator_id, player=player.pk, by=staff_actor(request.user), **data)
        return "Requested the erasure; another person has to confirm it."

    @RowAction(
        "Move",
        name="limits_group",
        title="Change the limits group",
        permission=SET_LIMITS_GROUP,
        form=LimitsGroupChoiceForm,
        help_text="Applies to wagers from now on. At a live operator another person confirms a group of wider limits.",
    )
    def move_to_limits_group(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        by, name = staff_actor(request.user), data["group"]
        change = bounds.move_player(player, name=name, by=by)
        return done_or_waits(change, f"Moved to {name}.")

    @RowAction(
        "Stop",
        title="Stop this player",
        permission=kill_switch.STOP_PLAY,
        form=kill_switch.StopForm,
        applies=lambda request, player: (
            kill_switch.may_stop(request, StopScope.PLAYER) and not kill_switch.is_player_stopped(player)
        ),
        tone="bad",
        help_text=kill_switch.STOP_HELP,
    )
    def stop(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        return kill_switch.stop(request, StopScope.PLAYER, str(player.pk), data)

    @RowAction(
        "Exclude",
        name="exclude",
        title="Exclude this player",
        permission=EXCLUDE,
        form=ExclusionForm,
        applies=_may_exclude,
        tone="bad",
        help_text="At once no deposit, seat, rebuy or wager, in any session. It can be extended, never shortened; "
        "a permanent one cannot be ended by anybody. The house's and the player's own stand beside each other. Leaving "
        "stays possible, and withdrawing; where the house excludes, the player is told so, and withdrawals are held "
        "until compliance decides.",
        question="Exclude this player from deposits and play?",
    )
    def exclude_player(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        metadata = staff_metadata(request, player.operator_id)
        state = exclusion.exclude(
            subject=PlayerContext(player.operator_id, player.pk, "", metadata),
            by=data["by"],
            kind=data["kind"],
            length=data["length"],
            note=require_note(data["note"]),
        )
        made = state.exclusion_by(data["by"])
        until = None if made is None else made.until
        house = ", by the house" if data["by"] is Initiator.OPERATOR else ""
        return f"The player is excluded from deposits and play {_until(until)}{house}."

    @RowAction(
        "Freeze",
        title="Freeze the account",
        permission=acts.FREEZE.name,
        form=FreezeForm,
        applies=lambda _, player: not _is_frozen(player.restrictions),
        tone="bad",
        help_text="At once no play and no money in or out; sessions end, and seats are left after the round. The "
        "player is not told why. Two persons lift it.",
        question="Freeze this account?",
    )
    def freeze(self, request: HttpRequest, player: Player, data: dict[str, Any]) -> str:
        metadata = staff_metadata(request, player.operator_id)
        freezing.freeze(operator=player.operator_id, player=player.pk, reason=data["reason"], metadata=metadata)
        return "The account is frozen."

    @RowAction(
        "Request",
        name="unfreeze",
        title="Lift the freeze",
        permission=acts.UNFREEZE.name,
        applies=lambda _, player: _is_frozen(player.restrictions),
        help_text="Another person has to confirm it. Held payments stay held.",
    )
    def unfreeze(self, request: HttpRequest, player: Player, _data: dict[str, Any]) -> str:
        by = staff_actor(request.user)
        protection_changes.request_unfreeze(operator=player.operator_id, player=player.pk, by=by)
        return WAITS

    def sections(self, request: HttpRequest, obj: Player) -> Sequence[Section]:
        player = str(obj.pk)
        facts: list[tuple[str, object]] = [
            *player_sections.status(request, obj),
            ("Reference", html.code(obj.reference)),
            ("Operator's record", _record(obj)),
            ("Brand", obj.brand.slug if obj.brand else html.NOTHING),
            ("Registered", self.registered(obj)),
            ("Id", html.code(player)),
            ("Accounts", html.listing("wallet_account", "balances and postings", q=player)),
            ("Wagers", html.listing("baccarat_wager", "all wagers", q=player)),
            ("Operator's own wallet", html.listing("wallet_remotetransaction", "its debits and credits", q=player)),
            ("Events", html.event_log(player, "all events of this player")),
        ]
        if request.user.has_perm(EXPORT):
            made = data_exports.list_of_player(obj.pk, files=exports.files_for(request.user.has_perm))
            facts.append(("Personal data", export_link(made[0]) if made else "no export in the last day"))
        figures = player_sections.figures(request, obj)
        return [
            *kill_switch.player_sections(request, obj),
            *(() if figures is None else (figures,)),
            self.facts(obj, "nickname", "operator_", *facts),
            ActionBar(),
            *contents(player_sections.sections(request, obj)),
        ]


def _record(player: Player) -> SafeString | str:
    """Link to the operator's own record of a player, where names and addresses are."""
    address = complaint_terms.record_of(player.operator, player.reference)
    return html.link(address, "open") if address and player.reference != ERASED else html.NOTHING


def _is_frozen(row: PlayerRestrictions | None) -> bool:
    return row is not None and row.frozen


def _until(until: datetime | None) -> str:
    return "permanently" if until is None else f"until {html.plain_moment(until)}"
