"""What stands on a round's page: the hands as pictures with the rules that drew them, and each seat's part."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from baccarat.admin import parts
from baccarat.admin.cards import pictures
from baccarat.admin.round_replay import Moment
from baccarat.admin.words import stakes_in_words
from baccarat.rounds.state import Phase, RoundSeat, RoundState
from baccarat.rules.cards import Card
from baccarat.rules.deal import IllegalDeal, replay, steps
from baccarat.rules.payouts import Result, SpotResult
from casino.admin import marks
from casino.admin.sections import Alert, Grid, Piece, Section
from casino.kernel.money import text
from wallet.admin import book_badge

_BECAME: Final = {Result.WIN: "won", Result.LOSE: "lost", Result.PUSH: "pushed"}


def hands(state: RoundState, moments: Sequence[Moment]) -> Sequence[Section]:
    """This will show the dealt hands as pictures, to step through, with the rules that drew them; only once dealt."""
    if not state.cards:
        return ()
    try:
        dealt = replay([Card(card) for card in state.cards])
    except IllegalDeal as trouble:
        return (Alert("These cards are not what the rules would have dealt", str(trouble)),)
    sides = [
        ("Player", "player", pictures(dealt.player), dealt.player_total),
        ("Banker", "banker", pictures(dealt.banker), dealt.banker_total),
    ]
    values = {
        "sides": sides,
        "outcome": dealt.outcome.value,
        "natural": dealt.natural,
        "steps": steps(dealt),
        "moments": moments,
    }
    return (Piece("Cards", "admin/baccarat/hands.html", values),)


def seats(state: RoundState, names: Mapping[UUID, str], currency: str) -> Grid:
    """This will show each seat's part: wager, result, commission and what came back."""
    headers = ("Seat", "Player", "Book", "Said", "Stakes", "Won", "Commission", "Returned", "Net")
    void = state.phase is Phase.VOIDED
    rows = [_seat(seat, names, currency, void=void) for seat in state.seats]
    note = "Void: stakes went back, and what these wagers had come to was undone, as the ledger shows." if void else ""
    return Grid("Seats", headers, rows, numeric=frozenset(headers[5:]), empty="Nobody is in this round.", note=note)


def results_in_words(results: Sequence[SpotResult], currency: str) -> str:
    """This will tell what became of each stake: "10.00 EUR on Banker won, 5.00 EUR on Tie lost"."""
    return ", ".join(
        f"{text(one.stake, currency)} {currency} on {one.spot.capitalize()} {_BECAME[one.result]}" for one in results
    )


def _seat(seat: RoundSeat, names: Mapping[UUID, str], currency: str, *, void: bool) -> tuple[object, ...]:
    settled, stakes = seat.settled, seat.stakes or seat.placed()
    said = marks.badge(seat.standing.replace("_", " "), parts.STANDINGS.get(seat.standing, "plain"))
    placed = stakes_in_words(stakes, lambda minor: f"{text(minor, currency)} {currency}") or marks.NOTHING
    who = marks.page("player", seat.player, names.get(seat.player, marks.short(seat.player)))
    if settled is None:
        return (str(seat.seat), who, book_badge(seat.book), said, placed, *(marks.NOTHING,) * 4)
    owed = marks.money(settled.commission, currency)
    return (
        str(seat.seat),
        who,
        book_badge(seat.book),
        said,
        results_in_words(settled.results, currency),
        marks.money(settled.won, currency),
        marks.both(owed, "owed") if settled.deferred and settled.commission else owed,
        marks.money(settled.returned, currency),
        marks.badge("voided", "bad") if void else marks.money(settled.returned - settled.staked, currency, signed=True),
    )
