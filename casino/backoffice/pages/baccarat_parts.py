"""What lists and pages of this game share: filters, names of tables, badges, and a stream told in words."""

from collections.abc import Sequence
from typing import Any, Final

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils.safestring import SafeString

from baccarat.domain.rounds.state import Phase, SeatStatus
from baccarat.domain.rules.cards import UnknownCard
from baccarat.domain.rules.presets import PRESETS
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.models import Round, Table
from casino.backoffice import html
from casino.backoffice.badges import Waiting
from casino.backoffice.filters import chosen
from casino.backoffice.pages.events import timeline
from casino.backoffice.pages.narrative import words
from casino.backoffice.sections import Grid
from casino.crypto import crypto_shredding
from casino.events.codec import MalformedEvent, UnknownEvent
from casino.events.records import RecordedEvent
from casino.operators.models import Operator

OUTCOMES: Final = {"player": "player", "banker": "banker", "tie": "tie"}
PHASES: Final = {
    Phase.BETTING: "good",
    Phase.CLOSED: "warn",
    Phase.DEALT: "warn",
    Phase.SETTLED: "plain",
    Phase.LAPSED: "plain",
    Phase.VOIDED: "bad",
}
STANDINGS: Final = {SeatStatus.CONFIRMED: "good", SeatStatus.DECIDING: "warn"}


def preset_filter(where: str) -> Any:
    """Make a filter by preset; `where` is a lookup that the preset's name, or name@, is given to."""
    ending = "@" if where.endswith("__startswith") else ""
    return chosen(
        title="preset",
        parameter="preset",
        choices={name: preset.title for name, preset in PRESETS.items()},
        where=lambda value: Q(**{where: value + ending}),
    )


def with_names(rows: QuerySet[Any], *, table: bool) -> QuerySet[Any]:
    """Add the operator's slug, and the table's name, in the same query."""
    slug = Operator.objects.filter(id=OuterRef("operator_id")).values("slug")
    names = {"slug": Subquery(slug)}
    if table:
        names["table_name"] = Subquery(Table.objects.filter(id=OuterRef("table_id")).values("name"))
    named: QuerySet[Any] = rows.annotate(**names)
    return named


def with_numbers(wagers: QuerySet[Any]) -> QuerySet[Any]:
    """Add the number of each wager's round, in the same query."""
    number = Round.objects.filter(id=OuterRef("round_id")).values("number")
    numbered: QuerySet[Any] = wagers.annotate(round_number=Subquery(number))
    return numbered


def round_link(wager: Any) -> SafeString | str:
    """Link to the round of a wager that `with_numbers` made."""
    number = wager.round_number
    return html.page("round", wager.round_id, html.short(wager.round_id) if number is None else f"No. {number}")


def operator_link(row: Any) -> SafeString | str:
    """Link to the operator of a row that `with_names` made."""
    return html.page("operator", row.operator_id, row.slug or html.short(row.operator_id))


def phase_badge(phase: str, suspended: str | None) -> SafeString:
    """Print where a round stands; one set aside stands out."""
    if suspended is not None:
        return html.badge("set aside", "bad")
    return html.badge(phase, PHASES.get(Phase(phase), "plain"))


def outcome_badge(outcome: str | None) -> SafeString | str:
    """Print who won, in the colour of the spot."""
    return html.NOTHING if outcome is None else html.badge(outcome, OUTCOMES.get(outcome, "bad"))


set_aside_count: Final = Waiting("baccarat.view_round", lambda: Table.objects.filter(suspension_reason__isnull=False))
"""Rounds that wait for a person, for the side bar."""


def told(title: str, events: Sequence[RecordedEvent], currency: str) -> Grid:
    """Tell a stream of this game in words; an event that can't be read says so instead of failing."""
    said = crypto_shredding.decrypt_many([_told(event, currency) for event in events])
    return timeline(title, events, {event.id: words or "" for event, words in zip(events, said, strict=True)})


def _told(event: RecordedEvent, currency: str) -> str:
    try:
        return words(CATALOGUE.decode(event.type, event.schema, event.data), currency)
    except (UnknownEvent, MalformedEvent, UnknownCard) as trouble:
        return f"This event can't be read: {trouble}"
