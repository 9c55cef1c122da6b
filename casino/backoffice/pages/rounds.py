"""Rounds: their list and pages, and staff actions on a round."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_safe

from baccarat.audit import verdict
from baccarat.domain.postings import TableAccounts
from baccarat.domain.rounds.events import VoidReason
from baccarat.domain.rounds.refusals import RoundNotSuspended, UnknownRound
from baccarat.domain.rounds.state import Phase, RoundState
from baccarat.proofs import dispute_pack
from baccarat.queries.narrative import NarratedTable
from baccarat.services import dealing, voiding
from baccarat.storage import projections, repository
from baccarat.storage.models import Round, RoundFlag, Table
from casino.backoffice import game, html
from casino.backoffice.actions import RowAction, SecretAnswer, staff_metadata
from casino.backoffice.base import as_number, as_uuid
from casino.backoffice.columns import LabelledRowsAdmin, column, time_column
from casino.backoffice.filters import case_filter, operator_filter, since_by_uuid, table_brand_filter
from casino.backoffice.forms import EnumSelectField, RowForm, text_field
from casino.backoffice.pages import round_sections, search
from casino.backoffice.pages.events import latest_events
from casino.backoffice.pages.ledger import entries_of
from casino.backoffice.pages.significant_events import latest_significant
from casino.backoffice.sections import Banner, Facts, Grid, Section
from casino.backoffice.subjects import nicknames
from casino.crypto.crypto_shredding import decrypt_text
from casino.events.codec import MalformedEvent, UnknownEvent
from casino.events.records import RecordedEvent
from casino.events.store import Metadata
from casino.operators import changes, memberships

RESUME: Final = "baccarat.change_round"
REQUEST_VOID: Final = "baccarat.request_void"
PACK: Final = "baccarat.share_dispute_pack"
# Running rounds are selected by their tables, of which there are few.
_PHASES: Final = {
    "running": ("Running", Q(id__in=Table.objects.filter(round_id__isnull=False).values("round_id"))),
    "settled": ("Settled", Q(phase="settled")),
    **{flag.value: (flag.replace("_", " ").capitalize(), Q(flag=flag.value)) for flag in RoundFlag},
}


class VoidForm(RowForm):
    reason = EnumSelectField(VoidReason, label="Reason")
    note = text_field("Explanation", rows=3)


def _is_suspended(_request: HttpRequest, round_: Round) -> bool:
    return round_.suspension_reason is not None


@admin.register(Round)
class RoundAdmin(LabelledRowsAdmin):
    """Every round, newest first. Found by its id or number, or by its table's id."""

    names = ("operator", "table")
    list_display = (
        "number_",
        "table",
        "operator",
        "rules_label",
        "phase_",
        "cards_",
        "outcome_",
        "score",
        "wagers",
        "opened",
    )
    list_filter = (
        case_filter("phase", _PHASES), game.preset_filter("rules_label__startswith"), operator_filter(),
        table_brand_filter("table_id"), since_by_uuid(),
    )  # fmt: skip
    search_help_text = "id of a round or a table, or a round's number"
    number_ = column("round", lambda round_: f"No. {round_.number}")
    phase_ = column("phase", game.phase_badge)
    cards_ = column("cards", game.round_cards)
    outcome_ = column("won by", lambda round_: game.outcome_badge(round_.outcome))
    score = column(
        "P : B",
        lambda round_: html.NOTHING if round_.outcome is None else f"{round_.player_total} : {round_.banker_total}",
    )
    opened = time_column("opened_at", "opened")

    def title_of(self, obj: Any) -> str:
        return f"Round {obj.number} at {obj.table_name}"

    def search_condition(self, term: str) -> Q | None:
        """Search for the id of a round or of a table, or for a round's number, at any table."""
        identity, number = as_uuid(term), as_number(term)
        if number is not None and number < 2**31:
            return Q(table_id__in=Table.objects.values("id"), number=number)
        return None if identity is None else Q(pk=identity) | Q(table_id=identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the page that asks before a void, the link to the dispute pack, and the search."""
        void = self.admin_site.admin_view(require_safe(self.void_page))
        return [
            path("<path:object_id>/void/", void, name="baccarat_round_void"),
            path("search/", self.admin_site.admin_view(require_safe(search.search_page)), name="desk_search"),
            *super().get_urls(),
        ]

    @RowAction(
        "Resume",
        permission=RESUME,
        applies=_is_suspended,
        placed=True,
        tone="good",
        question="Return this round to be dealt? If the error persists it is suspended again.",
    )
    def resume(self, request: HttpRequest, round_: Round, _data: dict[str, Any]) -> str:
        """Return a suspended round to be dealt. Raises RoundNotSuspended."""
        if round_.suspension_reason is None:
            raise RoundNotSuspended
        metadata = _metadata(request, round_)
        dealing.resume(round_=round_.pk, operator=round_.operator_id, metadata=metadata)
        return f"Round {round_.number} will be dealt again."

    @RowAction(
        "Void this round",
        permission=REQUEST_VOID,
        form=VoidForm,
        placed=True,
        tone="bad",
        help_text="While nobody may know the cards, every stake goes back at once. Once they may be known, also to one "
        "player or to a witness, another member of staff has to agree.",
    )
    def request_void(self, request: HttpRequest, round_: Round, data: dict[str, Any]) -> str:
        """Void a round, or request it if its cards may be known."""
        waits = voiding.void(round_=round_.pk, operator=round_.operator_id, metadata=_metadata(request, round_), **data)
        if waits is None:
            return f"Round {round_.number} is void; every stake went back."
        return f"Requested to void round {round_.number}; another member of staff has to agree."

    @RowAction(
        "Make a link",
        title="Dispute pack",
        permission=PACK,
        applies=lambda _, round_: round_.phase in {Phase.SETTLED, Phase.VOIDED},
        placed=True,
        help_text="Events, cards, rules, wagers, entries, chat and proofs in one signed ZIP, with a verifier.",
        question="Make a link to the pack of this round? Whoever has it can download the pack for a day.",
    )
    def pack(self, request: HttpRequest, round_: Round, _data: dict[str, Any]) -> SecretAnswer:
        """Make a link to the round's dispute pack, which whoever has it may open."""
        by = memberships.staff_actor(request.user)
        signed = dispute_pack.sign_pack_url(round_=round_.pk, operator=round_.operator_id, by=by)
        url = request.build_absolute_uri(reverse("dispute-pack", args=[signed.token]))
        advice = f"It is good until {html.plain_moment(signed.expires_at)}. Copy this link."
        return SecretAnswer("Made a link to the dispute pack", html.link(url, url), advice)

    def void_page(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """Show the page where a void is requested. Raises PermissionDenied, Http404."""
        round_ = self.find_row(request, object_id)
        if round_ is None:
            raise Http404
        if not request.user.has_perm(REQUEST_VOID):
            raise PermissionDenied
        sections = self.action_sections(request, round_, {}, "request_void")
        response: HttpResponse = self.changeform_view(request, object_id, extra_context={"sections": sections})
        return response

    def sections(self, request: HttpRequest, obj: Round) -> Sequence[Section]:
        """Show a round in full; reasons why it is stopped come first."""
        events = latest_events(f"round-{obj.pk}")
        accounts = TableAccounts(operator=obj.operator_id, table=obj.table_id, currency=obj.currency)
        check = verdict.check_round(obj.pk, accounts=accounts)
        try:
            state = _state(obj)
        except (MalformedEvent, UnknownEvent, UnknownRound, LookupError) as error:
            alert = Banner("The events of this round can't be read", str(error))
            return (alert, round_sections.proofs(check), _events(obj, events))
        names = nicknames([seat.player for seat in state.seats])
        steps = round_sections.replay_steps(check, state, events)
        return [
            *self._suspension(request, obj),
            *self._forced(obj),
            *self._void(request, obj, state),
            *round_sections.replay(state, steps),
            round_sections.proofs(round_sections.with_export(check, obj)),
            *self.action_sections(request, obj, {}, "pack"),
            self._facts(obj, state),
            round_sections.seats(state, names, obj.currency),
            entries_of("Ledger", [event.id for event in events]),
            round_sections.access(obj, state, events, names),
            latest_significant("Significant events", f"round:{obj.pk}"),
            *(() if steps else (_events(obj, events),)),
        ]

    def _suspension(self, request: HttpRequest, round_: Round) -> Sequence[Section]:
        if round_.suspension_reason is None:
            return ()
        button = next(iter(self.action_sections(request, round_, {}, "resume")), None)
        return (Banner("Suspended: this round could not be dealt", round_.suspension_reason, button),)

    def _forced(self, round_: Round) -> Sequence[Section]:
        text = "A sandbox operator chose them. No statistic counts this round, and no verifier calls it verified."
        return (Banner("Test round: its cards were chosen", text),) if round_.forced else ()

    def _void(self, request: HttpRequest, round_: Round, state: RoundState) -> Sequence[Section]:
        if state.voided is not None:
            void = state.voided
            approved = f", approved by {void.approved_by}" if void.approved_by else ""
            text = f"“{decrypt_text(void.note)}” By {void.requested_by}{approved}."
            return (Banner(f"Void: {_plain(void.reason)}", text),)
        waits = changes.waiting(voiding.KIND, f"round:{round_.pk}")
        if waits is not None:
            return (Banner("A void waits for another person", html.page("change", waits.pk, waits.summary)),)
        if not request.user.has_perm(REQUEST_VOID) or not (state.is_running() or state.phase is Phase.SETTLED):
            return ()
        link = html.link(self.action_url("void", round_), "Void this round")
        return (Facts("Void", (("Malfunction voids all pays and plays", link),)),)

    def _facts(self, round_: Any, state: RoundState) -> Facts:
        opened = state.require_opened()
        return self.facts(
            round_,
            *("table", "operator", "rules_label", "rules", "phase_"),
            ("Opened", html.moment(round_.opened_at, fine=True)),
            ("Turn ends", html.moment(round_.deadline_at, fine=True)),
            ("Ended", html.moment(round_.ended_at, fine=True)),
            ("Shoe", html.code(opened.shoe)),
            ("Commitment", html.code(opened.commitment) if opened.commitment else "the table's shoe"),
            ("Seed", html.code(state.seed) if state.seed else "not revealed by this round"),
            "pk",
            ("Operator's own wallet", html.listing("wallet_remotetransaction", "debits and credits", q=str(round_.pk))),
            ("Log", html.event_log(f"round-{round_.pk}")),
        )


def _events(round_: Round, events: Sequence[RecordedEvent]) -> Grid:
    """Show each event on its own: there is no replay."""
    table = Table.objects.get(pk=round_.table_id)
    rules = projections.decode_table(msgspec.json.encode(table.state)).rules
    return game.event_grid("Events", events, NarratedTable(table.name, rules))


def _state(round_: Round) -> RoundState:
    return repository.read_round(round_=round_.pk, operator=round_.operator_id)


def _plain(reason: str) -> str:
    return reason.replace("_", " ")


def _metadata(request: HttpRequest, round_: Round) -> Metadata:
    return staff_metadata(request, round_.operator_id, causation="admin", correlation=f"round-{round_.pk}")
