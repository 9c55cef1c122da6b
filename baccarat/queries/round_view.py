"""A round as it is drawn for one viewer: plain JSON-ready values, money as decimal strings."""

from collections.abc import Iterable
from typing import Any
from uuid import UUID

from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.rounds.cut import SeatContribution
from baccarat.domain.rounds.state import RoundSeat, RoundState
from baccarat.domain.rounds.void_events import SeatVoided
from baccarat.domain.rules.hands import total
from baccarat.domain.rules.wagers import Spot
from casino.kernel.money import format_amount


def present_round(round_: RoundState, *, viewer: UUID | None, currency: str) -> dict[str, Any]:
    """Draw one round: phase, cards in deal order, hands, outcome, and each seat's chips, wager and result."""
    facts = round_.require_opened()
    player, banker = split_hands(round_.cards)
    return {
        "id": str(facts.round),
        "table": str(facts.table),
        "number": facts.number,
        "rules": facts.rules,
        "currency": currency,
        "phase": round_.phase,
        "opened_at": facts.opened_at,
        "deadline_at": facts.deadline_at,
        "ended_at": round_.ended_at,
        "commitment": facts.commitment,
        "shoe": str(facts.shoe),
        "contributions": present_contributions(round_.contributions),
        "cut": round_.cut,
        "seed": round_.seed,
        "cards": list(round_.cards),
        "player_hand": {"cards": player, "total": round_.player_total},
        "banker_hand": {"cards": banker, "total": round_.banker_total},
        "natural": round_.natural,
        "outcome": round_.outcome,
        "suspended": round_.suspension_reason is not None,
        "void": None
        if round_.voided is None
        else {"reason": round_.voided.reason, "voided_at": round_.voided.voided_at},
        "ceremony": _ceremony(round_, viewer),
        "seats": [
            _round_seat(seat, viewer, currency, _undone(round_.void_of(seat.seat), viewer, currency))
            for seat in round_.seats
        ],
    }


def present_contributions(given: Iterable[SeatContribution | Contribution]) -> list[dict[str, Any]]:
    """Draw what seats have added to a cut; everyone at the table may see it."""
    return [{"seat": each.seat, "contribution": each.contribution} for each in given]


def split_hands(cards: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Split cards in deal order (P B P B, thirds) into the Player's and the Banker's hand."""
    player, banker = list(cards[0:4:2]), list(cards[1:4:2])
    thirds = list(cards[4:])
    if thirds and total(player) <= 5:  # type: ignore[arg-type]
        player.append(thirds.pop(0))
    return player, banker + thirds


def player_id_for(player: UUID, viewer: UUID | None) -> str | None:
    """The operator is told who sits where; players know each other by seat."""
    return str(player) if viewer is None else None


def present_stakes(stakes: dict[Any, int], currency: str) -> list[dict[str, str]]:
    # In the layout's order: a stored state comes back in the database's own.
    return [{"spot": spot, "amount": format_amount(stakes[spot], currency)} for spot in Spot if spot in stakes]


def _ceremony(round_: RoundState, viewer: UUID | None) -> dict[str, Any] | None:
    """Who has the Player's cards and until when; the cards themselves are in no picture before they are turned."""
    ceremony = round_.ceremony
    if ceremony is None:
        return None
    return {
        "seat": ceremony.seat,
        "you": any(seat.seat == ceremony.seat and seat.player == viewer for seat in round_.seats),
        "until": ceremony.until,
        "looked": ceremony.looked_at is not None,
        "handed_back": ceremony.handed_back,
    }


def _undone(undone: SeatVoided | None, viewer: UUID | None, currency: str) -> dict[str, str] | None:
    """How a wager was undone; where the money was taken from is between the player and the house."""
    if undone is None:
        return None
    public = {"stake_returned": undone.staked, "winnings_taken": undone.paid}
    private = {
        "to_game": undone.to_game,
        "to_account": undone.to_account,
        "from_game": undone.from_game,
        "from_account": undone.from_account,
        "owed": undone.owed,
        "forgiven": undone.forgiven,
    }
    shown = public | private if viewer in {None, undone.player} else public
    return {name: format_amount(amount, currency) for name, amount in shown.items()}


def _round_seat(seat: RoundSeat, viewer: UUID | None, currency: str, undone: dict[str, str] | None) -> dict[str, Any]:
    settled = seat.settlement
    return {
        "seat": seat.seat,
        "player": player_id_for(seat.player, viewer),
        "you": seat.player == viewer,
        "money_type": seat.money_type,
        "standing": seat.status,
        "placed": present_stakes(seat.placed_stakes(), currency),
        "wager": None if seat.stakes is None else present_stakes(seat.stakes, currency),
        "raised": None if not seat.raised else present_stakes(seat.raised, currency),
        "confirmed_at": seat.confirmed_at,
        "result": None
        if settled is None
        else {
            "staked": format_amount(settled.staked, currency),
            "won": format_amount(settled.won, currency),
            "commission": format_amount(settled.commission, currency),
            "commission_deferred": settled.deferred,
            "returned": format_amount(settled.returned, currency),
            "spots": [
                {
                    "spot": result.spot,
                    "stake": format_amount(result.stake, currency),
                    "result": result.result,
                    "win": format_amount(result.win, currency),
                    "commission": format_amount(result.commission, currency),
                    "returned": format_amount(result.returned, currency),
                }
                for result in settled.results
            ],
        },
        "void": undone,
    }
