"""Baccarat in lists and on pages: cards, badges of phases and outcomes, rounds and events by their names."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from baccarat.domain.rounds.state import Phase
from baccarat.domain.rules.cards import UnknownCard, card_name, parse
from baccarat.domain.rules.presets import PRESETS
from baccarat.domain.rules.spots import spot_title
from baccarat.queries.narrative import NarratedTable, sentences
from baccarat.storage.event_registry import CATALOGUE
from baccarat.storage.models import Round
from casino.backoffice import html
from casino.backoffice.columns import operator_link, table_link, with_names
from casino.backoffice.filters import choice_filter
from casino.backoffice.pages.events import timeline
from casino.backoffice.sections import Grid
from casino.crypto import crypto_shredding
from casino.events.codec import MalformedEvent, UnknownEvent
from casino.events.records import RecordedEvent
from casino.kernel.money import format_amount

OUTCOMES: Final = ("player", "banker", "tie")
_PHASE_TONES: Final = {
    Phase.BETTING: "good",
    Phase.CLOSED: "warn",
    Phase.DEALT: "warn",
    Phase.VOIDED: "bad",
}
_SIGNS: Final = {"c": "♣\ufe0e", "d": "♦\ufe0e", "h": "♥\ufe0e", "s": "♠\ufe0e"}
"""Each with the selector for text: a heart is a glyph in the line's colour, not an emoji."""
_RED: Final = frozenset("dh")


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """A dealt card as templates draw it: `rank` as printed on it, `suit` as one letter, its name in words."""

    rank: str
    suit: str
    name: str
    red: bool
    sideways: bool


def draw_card(card: str, *, sideways: bool = False) -> DrawnCard:
    """Describe a card for drawing; a third card lies sideways. Raises UnknownCard."""
    parsed = parse(card)
    rank, suit = parsed[0], parsed[1]
    return DrawnCard("10" if rank == "T" else rank, suit, card_name(parsed), suit in _RED, sideways)


def draw_hand(cards: Iterable[str]) -> list[DrawnCard]:
    """Describe a hand for drawing, in the order dealt. Raises UnknownCard."""
    return [draw_card(card, sideways=place == 2) for place, card in enumerate(cards)]


def cards_in_line(cards: Iterable[str]) -> SafeString:
    """Print cards as ranks with their suits, red ones in red. Raises UnknownCard."""
    drawn = [draw_card(card) for card in cards]
    marks = [("c-red" if card.red else "c-black", card.name, f"{card.rank}{_SIGNS[card.suit]}") for card in drawn]
    return format_html(
        '<span class="c-cards">{}</span>', format_html_join(" ", '<span class="{}" title="{}">{}</span>', marks)
    )


def round_cards(round_: Round) -> SafeString | str:
    """Print the cards of a round in deal order."""
    try:
        return cards_in_line(round_.cards.split()) if round_.cards else html.NOTHING
    except UnknownCard:
        return html.badge("unreadable", "bad")


def preset_filter(lookup: str) -> Any:
    """Make a filter by preset; `lookup` compares with the preset's name, or with name@ where it compares prefixes."""
    suffix = "@" if lookup.endswith("__startswith") else ""
    return choice_filter(
        "preset",
        choices={name: preset.title for name, preset in PRESETS.items()},
        where=lambda value: Q(**{lookup: value + suffix}),
    )


def with_round_numbers(wagers: QuerySet[Any]) -> QuerySet[Any]:
    """Add operator, table and the number of each wager's round, in the same query."""
    number = Round.objects.filter(id=OuterRef("round_id")).values("number")
    numbered: QuerySet[Any] = with_names(wagers, "operator", "table").annotate(round_number=Subquery(number))
    return numbered


def round_link(wager: Any) -> SafeString | str:
    """Link to the round of a wager, annotated by `with_round_numbers`."""
    number = wager.round_number
    return html.page("round", wager.round_id, html.short(wager.round_id) if number is None else f"No. {number}")


def numbered_round(round_: Round) -> SafeString | str:
    """Link to a round by its number."""
    return html.page("round", round_.pk, f"No. {round_.number}")


def phase_badge(round_: Round) -> SafeString:
    """Print the phase of a round, or that it is suspended."""
    if round_.suspension_reason is not None:
        return html.badge("suspended", "bad")
    return html.badge(round_.phase, _PHASE_TONES.get(Phase(round_.phase), "plain"))


def outcome_badge(outcome: str | None) -> SafeString | str:
    """Print who won, in the colour of the spot."""
    return html.NOTHING if outcome is None else html.badge(outcome, outcome if outcome in OUTCOMES else "bad")


def money_type_badge(money_type: str) -> SafeString:
    """Print real or play."""
    return html.badge(money_type, "good" if money_type == "real" else "plain")


def stakes_of(wager: Any, *, with_currency: bool = False) -> str:
    """Write the stakes of a wager: "10.00 on Banker"."""
    return write_stakes(wager.stakes, wager.currency, with_currency=with_currency)


def write_stakes(stakes: Mapping[Any, int], currency: str, *, with_currency: bool = True) -> str:
    """Write stakes: "10.00 EUR on Banker and 5.00 EUR on Tie"."""
    unit = f" {currency}" if with_currency else ""
    return " and ".join(
        f"{format_amount(amount, currency)}{unit} on {spot_title(spot)}" for spot, amount in stakes.items()
    )


def staked_by(wager: Any) -> SafeString | str:
    """Print what was staked, marking play money."""
    staked = html.money(wager.staked, wager.currency)
    return staked if wager.money_type == "real" else html.with_note(staked, "play money")


def net_of(wager: Any) -> SafeString | str:
    """Print what a player won or lost, or that the wager is in play or voided."""
    if wager.voided_at is not None:
        return html.badge("voided", "bad")
    if wager.returned is None:
        return html.badge("in play", "warn")
    return html.money(wager.returned - wager.staked, wager.currency, signed=True)


WAGER_HEADERS: Final = ("Confirmed", "Round", "Table", "On", "Staked", "Returned", "Net")


def wager_cells(wager: Any) -> tuple[object, ...]:
    """Show a wager, annotated by `with_round_numbers`, in the columns of WAGER_HEADERS."""
    return (
        wager.confirmed_at,
        round_link(wager),
        table_link(wager),
        stakes_of(wager),
        staked_by(wager),
        html.money(wager.returned, wager.currency),
        net_of(wager),
    )


def round_grid(
    title: str, rounds: Iterable[Any], *, columns: Sequence[str], empty: str = "No round yet.", note: object = ""
) -> Grid:
    """Show rounds, annotated by `with_names` where the columns need names."""
    rows = [[ROUND_COLUMNS[name](round_) for name in columns] for round_ in rounds]
    return Grid(title, columns, rows, empty=empty, note=note)


ROUND_COLUMNS: Final[dict[str, Callable[[Any], object]]] = {
    "Round": numbered_round,
    "Table": table_link,
    "Operator": operator_link,
    "Phase": phase_badge,
    "Cards": round_cards,
    "Won by": lambda round_: outcome_badge(round_.outcome),
    "Wagers": lambda round_: str(round_.wagers),
    "Opened": lambda round_: round_.opened_at,
}


def event_grid(title: str, events: Sequence[RecordedEvent], table: NarratedTable) -> Grid:
    """Show a stream of the game in sentences; an event that cannot be decoded is shown as such."""
    texts = crypto_shredding.decrypt_many(list(_describe(events, table)))
    return timeline(title, events, {event.id: text or "" for event, text in zip(events, texts, strict=True)})


def _describe(events: Iterable[RecordedEvent], table: NarratedTable) -> Iterator[str]:
    for event in events:
        try:
            decoded = CATALOGUE.decode(event.type, event.schema, event.data)
            table = table.after(decoded)
            yield " ".join(sentences(decoded, table))
        except (UnknownEvent, MalformedEvent, UnknownCard) as error:
            yield f"This event can't be read: {error}"
