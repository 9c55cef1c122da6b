"""What stands on a round's page: the hands as pictures with the rules that drew them, and each seat's part."""

from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from baccarat.domain.rounds.state import Phase, RoundSeat, RoundState
from baccarat.domain.rules.cards import Card
from baccarat.domain.rules.deal import IllegalDeal, describe_steps, replay
from baccarat.domain.rules.payouts import SpotResult, StakeResult
from casino.backoffice import html
from casino.backoffice.pages import baccarat_parts
from casino.backoffice.pages.cards import pictures
from casino.backoffice.pages.ledger import money_type_badge
from casino.backoffice.pages.narrative import stakes_in_words
from casino.backoffice.pages.round_replay import Moment
from casino.backoffice.sections import Alert, Grid, Piece, Section
from casino.kernel.money import format_amount

_BECAME: Final = {StakeResult.WIN: "won", StakeResult.LOSE: "lost", StakeResult.PUSH: "pushed"}


def hands(state: RoundState, moments: Sequence[Moment]) -> Sequence[Section]:
    """Show the dealt hands as pictures, to step through, with the rules that drew them; only once dealt."""
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
        "steps": describe_steps(dealt),
        "moments": moments,
    }
    return (Piece("Cards", "admin/baccarat/hands.html", values),)


def seats(state: RoundState, names: Mapping[UUID, str], currency: str) -> Grid:
    """Show each seat's part: wager, result, commission and what came back."""
    headers = ("Seat", "Player", "Book", "Said", "Stakes", "Won", "Commission", "Returned", "Net")
    void = state.phase is Phase.VOIDED
    rows = [_seat(seat, names, currency, void=void) for seat in state.seats]
    note = "Void: stakes went back, and what these wagers had come to was undone, as the ledger shows." if void else ""
    return Grid("Seats", headers, rows, numeric=frozenset(headers[5:]), empty="Nobody is in this round.", note=note)


def results_in_words(results: Sequence[SpotResult], currency: str) -> str:
    """Tell what became of each stake: "10.00 EUR on Banker won, 5.00 EUR on Tie lost"."""
    return ", ".join(
        f"{format_amount(one.stake, currency)} {currency} on {one.spot.capitalize()} {_BECAME[one.result]}"
        for one in results
    )


def _seat(seat: RoundSeat, names: Mapping[UUID, str], currency: str, *, void: bool) -> tuple[object, ...]:
    settled, stakes = seat.settlement, seat.stakes or seat.placed_stakes()
    said = html.badge(seat.status.replace("_", " "), baccarat_parts.STANDINGS.get(seat.status, "plain"))
    placed = stakes_in_words(stakes, lambda minor: f"{format_amount(minor, currency)} {currency}") or html.NOTHING
    who = html.page("player", seat.player, names.get(seat.player, html.short(seat.player)))
    if settled is None:
        return (str(seat.seat), who, money_type_badge(seat.money_type), said, placed, *(html.NOTHING,) * 4)
    owed = html.money(settled.commission, currency)
    return (
        str(seat.seat),
        who,
        money_type_badge(seat.money_type),
        said,
        results_in_words(settled.results, currency),
        html.money(settled.won, currency),
        html.both(owed, "owed") if settled.deferred and settled.commission else owed,
        html.money(settled.returned, currency),
        html.badge("voided", "bad") if void else html.money(settled.returned - settled.staked, currency, signed=True),
    )
