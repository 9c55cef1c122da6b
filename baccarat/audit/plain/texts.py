"""Rows of ended rounds of the usual course, written just as PostgreSQL prints what it should have stored.

Texts compare at no cost, and nothing is read: ids, times and figures are put together. PostgreSQL prints a record in
parentheses with commas, an absent value as nothing, and a text with spaces in quotes; of a jsonb, shorter names first.
"""

import json
from collections.abc import Iterator
from typing import NamedTuple

from baccarat.audit.plain import forms as f
from baccarat.audit.plain.rounds import Held, PlainPart, PlainRound
from baccarat.audit.plain.seating import Due, Seating, printed_stakes, truth

_SPECIAL = frozenset('"\\(), \t\n\r\v\f')


class Words(NamedTuple):
    """What all rounds between two events of a table have in common; `seats` by number, `said` are all of them."""

    label: str
    label_in_row: str
    preset: str
    currency: str
    seats: dict[int, str]
    said: str


def words(seating: Seating) -> Words:
    """This will return them, written once."""
    found: Words | None = seating.words
    if found is None:
        rules, label = seating.rules, seating.table.label
        seats = {
            seat.seat: f'"book": "{seat.book}", "seat": {seat.seat}, "player": "{seat.player}"'
            for seat in seating.seats
        }
        said = ", ".join([f"{{{each}}}" for each in seats.values()])
        found = seating.words = Words(
            json.dumps(label, ensure_ascii=False),
            in_row(label),
            in_row(rules.preset),
            in_row(rules.currency),
            seats,
            said,
        )
    return found


def in_row(text: str) -> str:
    """This will write a text as it stands in a record that PostgreSQL prints."""
    if text and not _SPECIAL.intersection(text):
        return text
    doubled = text.replace("\\", "\\\\").replace('"', '""')
    return f'"{doubled}"'


def in_json(text: str | None) -> str:
    """This will write an id or a time, or that there is none, as it stands in a jsonb that PostgreSQL prints."""
    return "null" if text is None else f'"{text}"'


def time(text: str | None) -> str:
    """This will write an event's time, which is in UTC, as a timestamp in a record."""
    if text is None:
        return ""
    if text[-2] != "0":
        return f'"{text[:10]} {text[11:-1]}"'
    clock = text[11:-1]
    return f'"{text[:10]} {clock.rstrip("0") if "." in clock else clock}"'


def due_of(part: PlainPart) -> Due:
    """This will return what a wager came to. Raises LookupError where it was not settled."""
    if part.due is None:
        raise LookupError("a wager that was settled")
    return part.due


def round_row(round_: PlainRound, settled: f.RoundSettled) -> str:
    """This will write a round's row: its columns, then its state."""
    event, known = round_.opened, words(round_.seating)
    return (
        f"({event.round},{event.table},{event.operator},{event.number},{known.label_in_row},{known.currency},settled,"
        f'{time(event.opened_at)},{time(event.deadline_at)},{time(settled.settled_at)},"{" ".join(round_.cards)}",'
        f"{settled.outcome},{settled.player_total},{settled.banker_total},{len(settled.wagers)},,f,"
        f"{round_.version}){_state(round_, settled, known)}"
    )


def _state(round_: PlainRound, settled: f.RoundSettled, known: Words) -> str:
    closed, cards = round_.closed, '", "'.join(round_.cards)
    cut = "" if closed is None else closed.cut
    return (
        f'{{"cut": "{cut}", "seed": {in_json(settled.seed)}, "cards": ["{cards}"], "given": [{_given(round_)}], '
        f'"phase": "settled", '
        f'"seats": [{", ".join(_seats(round_, settled, known))}], "opened": {_opened(round_.opened, known)}, '
        f'"voided": null, "natural": {truth(settled.natural)}, "outcome": "{settled.outcome}", '
        f'"ceremony": {_ceremony(round_.ceremony)}, "ended_at": "{settled.settled_at}", "position": {round_.position}, '
        f'"closed_at": {in_json(None if closed is None else closed.closed_at)}, "set_aside": null, '
        f'"banker_total": {settled.banker_total}, "lapse_reason": null, "player_total": {settled.player_total}, '
        '"void_request": null}'
    )


def _given(round_: PlainRound) -> str:
    if not round_.given:
        return ""
    return ", ".join(
        [
            f'{{"seat": {seat}, "times": {given.times}, "player": "{round_.parts[seat].player}", '
            f'"contribution": "{given.contribution}"}}'
            for seat, given in sorted(round_.given.items())
        ]
    )


def _ceremony(held: Held | None) -> str:
    if held is None:
        return "null"
    return (
        f'{{"seat": {held.seat}, "until": "{held.until}", "looked_at": {in_json(held.looked_at)}, '
        f'"handed_back": {in_json(held.back)}}}'
    )


def _opened(event: f.RoundOpened, known: Words) -> str:
    return (
        f'{{"shoe": "{event.shoe}", "round": "{event.round}", "rules": {known.label}, "seats": [{known.said}], '
        f'"table": "{event.table}", "number": {event.number}, "operator": "{event.operator}", '
        f'"next_shoe": {_next_shoe(event)}, "opened_at": "{event.opened_at}", '
        f'"commitment": {in_json(event.commitment)}, "deadline_at": {in_json(event.deadline_at)}}}'
    )


def _next_shoe(event: f.RoundOpened) -> str:
    """The shoe of the round after; a state has none also where the event does not speak of one."""
    named = event.next_shoe
    if not isinstance(named, f.NamedShoe):
        return "null"
    made = named.shape
    end = "null" if made.cut_cards_from_end is None else made.cut_cards_from_end
    shape = f'{{"burn": {truth(made.burn)}, "decks": {made.decks}, "cut_cards_from_end": {end}}}'
    return f'{{"shoe": "{named.shoe}", "shape": {shape}, "commitment": "{named.commitment}"}}'


def _seats(round_: PlainRound, settled: f.RoundSettled, known: Words) -> Iterator[str]:
    for part in round_.parts.values():
        who, wager = known.seats[part.seat], part.wager
        if wager is None:
            yield (
                f'{{{who}, "raised": null, "stakes": null, "settled": null, "standing": "{part.standing}", '
                f'"placements": [], "confirmed_at": null}}'
            )
            continue
        due = due_of(part)
        yield (
            f'{{{who}, "raised": {printed_stakes(wager.raised)}, "stakes": {due.stakes}, '
            f'"settled": {{"won": {due.won}, {who}, {due.tail}}}, "standing": "confirmed", "placements": [], '
            f'"confirmed_at": "{wager.confirmed_at}"}}'
        )


def wager_rows(round_: PlainRound, settled: f.RoundSettled) -> Iterator[str]:
    """This will write the rows of a round's wagers, by seat: their columns, then their stakes."""
    event, known, ended = round_.opened, words(round_.seating), time(settled.settled_at)
    for part in round_.parts.values():
        wager = part.wager
        if wager is not None:
            due = due_of(part)
            yield (
                f"({event.round}/{part.seat},{event.round},{event.table},{event.operator},{part.player},{part.seat},"
                f"{known.preset},{part.book},{known.currency},{due.staked},{due.won},{due.commission},"
                f"{due.returned},{time(wager.confirmed_at)},{ended},){due.stakes}"
            )
