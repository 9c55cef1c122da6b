"""Rows of ended rounds of the usual course, written just as PostgreSQL prints what it should have stored.

Texts compare at no cost, and nothing is read: ids, times and figures are put together. PostgreSQL prints a record in
parentheses with commas, an absent value as nothing, and a text with spaces in quotes; of a jsonb, shorter names first.
"""

import json
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
    """Return them, written once."""
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
    """Write a text as it stands in a record that PostgreSQL prints."""
    if text and not _SPECIAL.intersection(text):
        return text
    doubled = text.replace("\\", "\\\\").replace('"', '""')
    return f'"{doubled}"'


def in_json(text: str | None) -> str:
    """Write an id or a time, or that there is none, as it stands in a jsonb that PostgreSQL prints."""
    return "null" if text is None else f'"{text}"'


def time(text: str | None) -> str:
    """Write an event's time, which is in UTC, as a timestamp in a record."""
    if text is None:
        return ""
    if text[-2] == "0":
        text = f"{text[:-1].rstrip('0').rstrip('.')}Z" if "." in text else text
    return f'"{text[:10]} {text[11:-1]}"'


def due_of(part: PlainPart) -> Due:
    """Return what a wager came to. Raises LookupError where it was not settled."""
    if part.due is None:
        raise LookupError("a wager that was settled")
    return part.due


def rows(round_: PlainRound, settled: f.RoundSettled) -> tuple[str, list[str]]:
    """Write a round's row and those of its wagers, by seat; of each its columns, then its state or stakes."""
    known, event = words(round_.seating), round_.opened
    opened, ended = time(event.opened_at), time(settled.settled_at)
    row = (
        f"({event.round},{event.table},{event.operator},{event.number},{known.label_in_row},{known.currency},settled,"
        f'{opened},{time(event.deadline_at)},{ended},"{" ".join(round_.cards)}",'
        f"{settled.outcome},{settled.player_total},{settled.banker_total},{len(settled.wagers)},,f,"
        f"{round_.version}){_state(round_, settled, known)}"
    )
    return row, _wagers(round_, known, ended)


def _state(round_: PlainRound, settled: f.RoundSettled, known: Words) -> str:
    closed, seed, cards, held = round_.closed, settled.seed, '", "'.join(round_.cards), round_.ceremony
    cut, closed_at = ("", "null") if closed is None else (closed.cut, f'"{closed.closed_at}"')
    return (
        f'{{"cut": "{cut}", "seed": {"null" if seed is None else in_json(seed)}, "cards": ["{cards}"], '
        f'"given": [{_given(round_) if round_.given else ""}], "phase": "settled", '
        f'"seats": [{", ".join(_seats(round_, known))}], "opened": {_opened(round_.opened, known)}, '
        f'"voided": null, "natural": {"true" if settled.natural else "false"}, "outcome": "{settled.outcome}", '
        f'"ceremony": {"null" if held is None else _ceremony(held)}, "ended_at": "{settled.settled_at}", '
        f'"position": {round_.position}, "closed_at": {closed_at}, "set_aside": null, '
        f'"banker_total": {settled.banker_total}, "lapse_reason": null, "player_total": {settled.player_total}, '
        '"void_request": null}'
    )


def _given(round_: PlainRound) -> str:
    return ", ".join(
        [
            f'{{"seat": {seat}, "times": {given.times}, "player": "{round_.parts[seat].player}", '
            f'"contribution": "{given.contribution}"}}'
            for seat, given in sorted(round_.given.items())
        ]
    )


def _ceremony(held: Held) -> str:
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


def _seats(round_: PlainRound, known: Words) -> list[str]:
    return [
        f'{{{known.seats[part.seat]}, "raised": null, "stakes": null, "settled": null, "standing": "{part.standing}", '
        f'"placements": [], "confirmed_at": null}}'
        if part.wager is None
        else _seat(part.wager, due_of(part), known.seats[part.seat])
        for part in round_.parts.values()
    ]


def _seat(wager: f.WagerConfirmed, due: Due, who: str) -> str:
    raised = printed_stakes(wager.raised) if wager.raised else "{}"
    return (
        f'{{{who}, "raised": {raised}, "stakes": {due.stakes}, "settled": {{"won": {due.won}, {who}, {due.tail}}}, '
        f'"standing": "confirmed", "placements": [], "confirmed_at": "{wager.confirmed_at}"}}'
    )


def _wagers(round_: PlainRound, known: Words, ended: str) -> list[str]:
    event = round_.opened
    before = f",{event.round},{event.table},{event.operator},"
    return [
        _wager(part, part.wager, f"({event.round}/{part.seat}{before}", known, ended)
        for part in round_.parts.values()
        if part.wager is not None
    ]


def _wager(part: PlainPart, wager: f.WagerConfirmed, before: str, known: Words, ended: str) -> str:
    due = due_of(part)
    return (
        f"{before}{part.player},{part.seat},{known.preset},{part.book},{known.currency},{due.staked},{due.won},"
        f"{due.commission},{due.returned},{time(wager.confirmed_at)},{ended},){due.stakes}"
    )
