"""Staff decisions on a round that cannot be dealt or is disputed: suspend, resume, void. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.dealing import ClosingInputs, close_round
from baccarat.domain.rounds.state import Phase, RoundSeat, RoundState
from baccarat.domain.rules.table_rules import TableRules
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind

Events = Sequence[e.RoundEvent]

VOID_CAUSES: Final[Mapping[e.VoidReason, int]] = {reason: number for number, reason in enumerate(e.VoidReason, 1)}
"""The cause of a void in its closing: malfunction 1, misdeal 2, wrong rules 3, fraud 4, other 5."""


ANSWER_LIMIT: Final = timedelta(seconds=45)
"""How long after its closing a round waits for its witnesses' links before its stakes go back."""
BY_LIMIT: Final = "system:witnesses"
"""Who voids a round then."""


@dataclass(frozen=True, slots=True)
class PlayerFunds:
    """Current funds of a player of a settled round, in the wager's money type: minor units of game, account and rack.

    `seated` is whether the player still sits at the table with this money type.
    """

    player: UUID
    money_type: MoneyType
    seated: bool
    game: int
    account: int
    rack: int


def suspend_round(state: RoundState, *, reason: str, at: datetime) -> Events:
    if not state.is_running() or state.suspension_reason is not None:
        return ()
    return (e.RoundSuspended(reason=reason, suspended_at=at),)


def resume_round(state: RoundState, *, by: str, at: datetime) -> Events:
    if state.suspension_reason is None:
        raise r.RoundNotSuspended
    return (e.RoundResumed(by=by, resumed_at=at),)


def void_round(
    state: RoundState,
    *,
    by: str,
    reason: e.VoidReason,
    note: str,
    at: datetime,
    seed: str | None = None,
    burn: int = 0,
    closing: ClosingInputs | None = None,
    rules: TableRules | None = None,
    approved_by: str | None = None,
    funds: Iterable[PlayerFunds] = (),
    forgive: bool = False,
) -> Events:
    """Void a round, alone while nobody may know the cards, and then as two; with `forgive`, the house bears winnings
    that were spent.

    `seed` is the shoe's seed in hex if this round has a shoe of its own and the seed can be read. `burn` is the number
    of cards to burn from a continuing shoe because a player may have seen some of them. `closing` and the table's
    `rules` are for a round whose betting is open, `funds` are those of the players of a settled one.
    """
    if state.phase is Phase.VOIDED:
        raise r.RoundAlreadyVoided
    if not state.is_running() and state.phase is not Phase.SETTLED:
        raise r.RoundNotVoidable
    if needs_second_person(state) and approved_by is None:
        raise r.VoidNeedsSecondPerson
    if state.is_running():
        voided = _voided_in_play(state, seed, burn, by=by, at=at)
    else:
        funds_of = {each.player: each for each in funds}
        seats = (undo_settlement(seat, funds_of[seat.player], forgive=forgive) for seat in state.confirmed_seats())
        voided = _voided(state, tuple(seats), by=by, at=at)
    closed = None
    if closing is not None and rules is not None and state.phase is Phase.BETTING:  # afterwards it is closed already
        closed = close_round(closing, state, ClosingKind.VOID, rules, at=at, cause=VOID_CAUSES[reason])
    return (replace(voided, reason=reason, note=note, approved_by=approved_by, closing=closed),)


def needs_second_person(state: RoundState) -> bool:
    """Return whether cards may be known: to a Caller who looked, to whoever asked the witnesses, or to everybody."""
    if not state.is_running() or state.phase is Phase.DEALT:
        return True
    return state.phase is Phase.CLOSED and (bool(state.require_opened().witnesses) or _was_looked_at(state))


def _voided_in_play(state: RoundState, seed: str | None, burn: int, *, by: str, at: datetime) -> e.RoundVoided:
    voided = _voided(state, tuple(_return_stake(seat) for seat in state.confirmed_seats()), by=by, at=at)
    return replace(voided, seed=seed, burned_count=burn if _was_looked_at(state) else 0)


def _voided(state: RoundState, seats: tuple[e.SeatVoided, ...], *, by: str, at: datetime) -> e.RoundVoided:
    opened = state.require_opened()
    return e.RoundVoided(
        round=opened.round,
        was_settled=not state.is_running(),
        requested_by=by,
        approved_by=None,
        reason=e.VoidReason.OTHER,
        note="",
        seats=seats,
        voided_at=at,
        seed=None,
        number=opened.number,
        burned_count=0,
        closing=None,
    )


def void_unanswered(state: RoundState, *, note: str, seed: str | None, burn: int, at: datetime) -> Events:
    """Void a round whose witnesses have not answered in time; nobody asks for it, and nobody approves it.

    The closing stands: a link that comes later shows what would have been.
    """
    if not state.awaits_links() or state.closed_at is None or at < state.closed_at + ANSWER_LIMIT:
        return ()
    voided = _voided_in_play(state, seed, burn, by=BY_LIMIT, at=at)
    return (replace(voided, reason=e.VoidReason.MALFUNCTION, note=note),)


def _was_looked_at(state: RoundState) -> bool:
    return state.ceremony is not None and state.ceremony.looked_at is not None


def _return_stake(seat: RoundSeat) -> e.SeatVoided:
    """Undo a wager in play. Its player has a seat, because nobody can leave with a wager in play."""
    staked = sum((seat.stakes or {}).values())
    return _seat_voided(seat, staked=staked, returned=0, commission=0, to_game=staked)


def undo_settlement(seat: RoundSeat, funds: PlayerFunds, *, forgive: bool) -> e.SeatVoided:
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
