"""Staff decisions on a round that cannot be dealt or is disputed: suspend, resume, void. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from baccarat.domain.fairness.closing import Closing
from baccarat.domain.rounds import commands as c
from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.dealing import close_round
from baccarat.domain.rounds.state import Phase, RoundSeat, RoundState
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind

Events = Sequence[e.RoundEvent]

VOID_CAUSES: Final[Mapping[e.VoidReason, int]] = {reason: number for number, reason in enumerate(e.VoidReason, 1)}
"""The cause of a void in its closing: malfunction 1, misdeal 2, wrong rules 3, fraud 4, other 5."""


ANSWER_LIMIT: Final = timedelta(seconds=45)
"""How long after its closing a round waits for its witnesses' links before its stakes go back."""
BY_LIMIT: Final = "system:witnesses"
"""Who voids a round then."""


def _suspend(command: c.SuspendRound, state: RoundState) -> Events:
    if not state.is_running() or state.suspension_reason is not None:
        return ()
    return (e.RoundSuspended(reason=command.reason, suspended_at=command.now),)


def _resume(command: c.ResumeRound, state: RoundState) -> Events:
    if state.suspension_reason is None:
        raise r.RoundNotSuspended
    return (e.RoundResumed(by=command.by, resumed_at=command.now),)


def _void(command: c.VoidRound, state: RoundState) -> Events:
    """Void, while nobody may know the cards as one person alone."""
    if state.phase is Phase.VOIDED:
        raise r.RoundAlreadyVoided
    if not state.is_running() and state.phase is not Phase.SETTLED:
        raise r.RoundNotVoidable
    if needs_second_person(state) and command.approved_by is None:
        raise r.VoidNeedsSecondPerson
    if state.is_running():
        voided = _voided_in_play(state, command.seed, command.burn, by=command.by, now=command.now)
    else:
        funds = {each.player: each for each in command.funds}
        seats = (undo_settlement(seat, funds[seat.player], forgive=command.forgive) for seat in state.confirmed_seats())
        voided = _voided(state, tuple(seats), by=command.by, now=command.now)
    closing, agreed = _closing(command, state), command.approved_by
    return (replace(voided, reason=command.reason, note=command.note, approved_by=agreed, closing=closing),)


def needs_second_person(state: RoundState) -> bool:
    """Return whether cards may be known: to a Caller who looked, to whoever asked the witnesses, or to everybody."""
    if not state.is_running() or state.phase is Phase.DEALT:
        return True
    return state.phase is Phase.CLOSED and (bool(state.require_opened().witnesses) or _was_looked_at(state))


def _voided_in_play(state: RoundState, seed: str | None, burn: int, *, by: str, now: datetime) -> e.RoundVoided:
    voided = _voided(state, tuple(_return_stake(seat) for seat in state.confirmed_seats()), by=by, now=now)
    return replace(voided, seed=seed, burned_count=burn if _was_looked_at(state) else 0)


def _voided(state: RoundState, seats: tuple[e.SeatVoided, ...], *, by: str, now: datetime) -> e.RoundVoided:
    opened = state.require_opened()
    return e.RoundVoided(
        round=opened.round,
        was_settled=not state.is_running(),
        requested_by=by,
        approved_by=None,
        reason=e.VoidReason.OTHER,
        note="",
        seats=seats,
        voided_at=now,
        seed=None,
        number=opened.number,
        burned_count=0,
        closing=None,
    )


def _void_unanswered(command: c.VoidUnanswered, state: RoundState) -> Events:
    """Give stakes back after the limit. The closing stands: a link that comes later shows what would have been."""
    if not state.awaits_links() or state.closed_at is None or command.now < state.closed_at + ANSWER_LIMIT:
        return ()
    voided = _voided_in_play(state, command.seed, command.burn, by=BY_LIMIT, now=command.now)
    return (replace(voided, reason=e.VoidReason.MALFUNCTION, note=command.note),)


def _closing(command: c.VoidRound, state: RoundState) -> Closing | None:
    """Return the closing of a round that is voided while betting is open; afterwards it is closed already."""
    if command.closing is None or command.rules is None or state.phase is not Phase.BETTING:
        return None
    cause = VOID_CAUSES[command.reason]
    return close_round(command.closing, state, ClosingKind.VOID, command.rules, now=command.now, cause=cause)


def _was_looked_at(state: RoundState) -> bool:
    return state.ceremony is not None and state.ceremony.looked_at is not None


def _return_stake(seat: RoundSeat) -> e.SeatVoided:
    """Undo a wager in play. Its player has a seat, because nobody can leave with a wager in play."""
    staked = sum((seat.stakes or {}).values())
    return _seat_voided(seat, staked=staked, returned=0, commission=0, to_game=staked)


def undo_settlement(seat: RoundSeat, funds: c.PlayerFunds, *, forgive: bool) -> e.SeatVoided:
    """Return how a settled wager is undone, given its player's current funds. Raises LookupError if it is not settled.

    Real money that the player no longer has is owed, unless the house forgives it; play money is never owed. What the
    operator's own wallet paid goes back by the game balance, and what it got is owed until it gives it back.
    """
    wager = seat.settlement
    if wager is None:
        raise LookupError("the wager was never settled")
    to_return, to_collect = max(wager.staked - wager.returned, 0), max(wager.returned - wager.staked, 0)
    remote = seat.debit is not None
    from_game = 0 if remote else min(to_collect, funds.game)
    from_account = 0 if remote else min(to_collect - from_game, funds.account)
    missing = to_collect - from_game - from_account
    forgiven = missing if forgive or seat.money_type is MoneyType.PLAY else 0
    return _seat_voided(
        seat,
        staked=wager.staked,
        returned=wager.returned,
        commission=wager.commission,
        from_rack=min(wager.commission, funds.rack) if wager.deferred else 0,
        to_game=to_return if funds.seated or remote else 0,
        to_account=0 if funds.seated or remote else to_return,
        from_game=from_game,
        from_account=from_account,
        owed=missing - forgiven,
        forgiven=forgiven,
    )


_NO_TRANSFERS: Final[Mapping[str, int]] = dict.fromkeys(
    ("from_rack", "to_game", "to_account", "from_game", "from_account", "owed", "forgiven"), 0
)


def _seat_voided(seat: RoundSeat, *, staked: int, returned: int, commission: int, **transfers: int) -> e.SeatVoided:
    return e.SeatVoided(
        wager=seat.require_wager(),
        seat=seat.seat,
        player=seat.player,
        money_type=seat.money_type,
        staked=staked,
        returned=returned,
        commission=commission,
        **{**_NO_TRANSFERS, **transfers},
    )


DECIDE: Final[dict[type, Callable[[Any, RoundState], Events]]] = {
    c.SuspendRound: _suspend,
    c.ResumeRound: _resume,
    c.VoidRound: _void,
    c.VoidUnanswered: _void_unanswered,
}
