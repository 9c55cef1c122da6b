"""Decisions while betting is open. Each returns events, none if it changes nothing, or raises a refusal. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from uuid import UUID

from baccarat.domain.rounds import events as e
from baccarat.domain.rounds import refusals as r
from baccarat.domain.rounds.forcing import CardsForced, require_dealable
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.rounds.state import Phase, RoundSeat, RoundState, SeatStatus
from baccarat.domain.rules.table_rules import SpotKind, SpotsPerRound, TableRules, UnderMinimumPolicy
from baccarat.domain.rules.wagers import require_makeable
from casino.kernel.money import format_amount
from wallet.ledger.accounts import game_account
from wallet.ledger.refusals import InsufficientFunds
from wallet.responsible_gaming.allowance import Allowance

Events = Sequence[e.RoundEvent]


def open_round(state: RoundState, opened: e.RoundOpened) -> Events:
    """Open betting on these terms."""
    if state.phase is not Phase.UNOPENED:
        raise r.RoundIsOpen
    return (opened,)


def _require_turn(state: RoundState, player: UUID, at: datetime) -> RoundSeat:
    """Return the player's seat if it may still act: betting is open and the seat has not acted."""
    _require_open(state, at)
    seat = state.seat_of(player)
    if seat is None:
        raise r.NotYourTurn
    if seat.status is SeatStatus.CONFIRMED:
        raise r.AlreadyConfirmed
    if seat.status is not SeatStatus.DECIDING:
        raise r.NotYourTurn
    return seat


def _require_open(state: RoundState, at: datetime) -> None:
    if state.phase is Phase.UNOPENED:
        raise r.NoOpenRound
    if state.phase is not Phase.BETTING or state.suspension_reason is not None:
        raise r.BettingIsClosed
    deadline = state.require_opened().deadline_at
    if deadline is not None and at >= deadline:
        raise r.BettingIsClosed(deadline_at=deadline)


def place_chips(
    state: RoundState, *, player: UUID, spot: str, amount: int, allowance: Allowance, rules: TableRules, at: datetime
) -> Events:
    """Put chips on a spot, in minor units."""
    seat = _require_turn(state, player, at)
    require_makeable(amount, rules)
    stakes = _add_stakes(seat.placed_stakes(), {spot: amount})
    _require_within_rules(stakes, rules)
    _require_allowed(state, seat, stakes, allowance, rules)
    return (e.ChipsPlaced(seat=seat.seat, spot=spot, amount=amount),)


def undo_placement(state: RoundState, *, player: UUID, at: datetime) -> Events:
    seat = _require_turn(state, player, at)
    if not seat.placements:
        raise r.NoChipsPlaced
    return (e.PlacementUndone(seat=seat.seat),)


def clear_chips(state: RoundState, *, player: UUID, at: datetime) -> Events:
    seat = _require_turn(state, player, at)
    return (e.ChipsCleared(seat=seat.seat),) if seat.placements else ()


def repeat_wager(
    state: RoundState, *, player: UUID, stakes: Mapping[str, int], allowance: Allowance, rules: TableRules, at: datetime
) -> Events:
    """Place the last wager again. `stakes` is that wager, empty if there was none."""
    seat = _require_turn(state, player, at)
    if seat.placements:
        raise r.ChipsAlreadyPlaced
    if not stakes:
        raise r.NothingToRepeat
    _require_within_rules(stakes, rules)
    _require_allowed(state, seat, stakes, allowance, rules)
    return (e.StakesRebet(seat=seat.seat, stakes=dict(stakes)),)


def double_stakes(state: RoundState, *, player: UUID, allowance: Allowance, rules: TableRules, at: datetime) -> Events:
    """Place the chips that lie there once more."""
    seat = _require_turn(state, player, at)
    placed = seat.placed_stakes()
    if not placed:
        raise r.NoChipsPlaced
    stakes = _add_stakes(placed, placed)
    _require_within_rules(stakes, rules)
    _require_allowed(state, seat, stakes, allowance, rules)
    return (e.StakesRebet(seat=seat.seat, stakes=placed),)


def confirm_wager(
    state: RoundState,
    *,
    player: UUID,
    allowance: Allowance,
    rules: TableRules,
    at: datetime,
    signature: e.WagerSignature | None = None,
    stakes: Mapping[str, int] = MappingProxyType({}),
    debit: UUID | None = None,
) -> Events:
    """Confirm the placed chips as a wager; the player's "deal". `stakes` replace them. A `signature` was verified.

    `debit` is the transaction by which the operator's own wallet has paid the stakes.
    """
    seat = _require_turn(state, player, at)
    placed = stakes or seat.placed_stakes()
    if not placed:
        raise r.NoChipsPlaced
    for stake in stakes.values():
        require_makeable(stake, rules)
    _require_within_rules(placed, rules)
    raised = _shortfalls(placed, rules)
    wagered = _add_stakes(placed, raised)
    _require_within_rules(wagered, rules)
    _require_allowed(state, seat, wagered, allowance, rules, confirmed=True)
    return (
        *((e.ChipsCleared(seat=seat.seat),) if stakes and seat.placements else ()),
        e.WagerConfirmed(
            wager=wager_id(state.require_opened().round, seat.seat),
            seat=seat.seat,
            player=seat.player,
            money_type=seat.money_type,
            stakes=wagered,
            raised=raised,
            confirmed_at=at,
            signature=signature,
            debit=debit,
        ),
    )


def _shortfalls(placed: Mapping[str, int], rules: TableRules) -> dict[str, int]:
    """Return by how much stakes are under their minimum. Raises UnderMinimum unless the table raises such stakes.

    Only stakes on main spots are raised.
    """
    under = [(spot, rules.limits_of(spot)[0]) for spot in rules.spots if placed.get(spot.name, 0) > 0]
    under = [(spot, minimum) for spot, minimum in under if placed[spot.name] < minimum]
    raises = rules.under_minimum is UnderMinimumPolicy.RAISE
    refused = {spot.name: minimum for spot, minimum in under if not raises or spot.kind is not SpotKind.MAIN}
    if refused:
        spots, minimum = _alike(refused)
        raise r.UnderMinimum(minimum=format_amount(minimum, rules.currency), currency=rules.currency, spots=spots)
    return {spot.name: minimum - placed[spot.name] for spot, minimum in under}


def _add_stakes(stakes: Mapping[str, int], more: Mapping[str, int]) -> dict[str, int]:
    return {spot: stakes.get(spot, 0) + more.get(spot, 0) for spot in (*stakes, *(more.keys() - stakes.keys()))}


def _require_within_rules(stakes: Mapping[str, int], rules: TableRules) -> None:
    unknown = sorted(stakes.keys() - set(rules.spot_names))
    if unknown:
        raise r.UnknownSpot(unknown=unknown, spots=list(rules.spot_names))
    staked = [spot for spot in rules.spots if spot.name in stakes]
    over = {spot.name: rules.limits_of(spot)[1] for spot in staked if stakes[spot.name] > rules.limits_of(spot)[1]}
    if over:
        spots, maximum = _alike(over)
        raise r.OverMaximum(maximum=format_amount(maximum, rules.currency), currency=rules.currency, spots=spots)
    if rules.spots_per_round is SpotsPerRound.ONE and len(stakes) > 1:
        raise r.OneSpotOnly
    alone = next((spot for spot in staked if spot.needs and stakes.keys().isdisjoint(spot.needs)), None)
    if alone:
        raise r.SpotNeedsAnother(spot=alone.name, needs=list(alone.needs))


def _alike(limits: Mapping[str, int]) -> tuple[list[str], int]:
    """Return the spots whose limit is the first one's, and that limit."""
    limit = next(iter(limits.values()))
    return sorted(spot for spot, each in limits.items() if each == limit), limit


def _require_allowed(
    state: RoundState,
    seat: RoundSeat,
    stakes: Mapping[str, int],
    allowance: Allowance,
    rules: TableRules,
    *,
    confirmed: bool = False,
) -> None:
    """Check stakes against what the player has and may stake, and a wager also against debts and limits on play."""
    total, round_ = sum(stakes.values()), state.require_opened()
    if total > allowance.available:
        account = game_account(
            operator=round_.operator,
            player=seat.player,
            table=round_.table,
            money_type=seat.money_type,
            currency=rules.currency,
        )
        raise InsufficientFunds(account=account, balance=allowance.available, needed=total)
    allowance.require_stakes(stakes.values(), confirmed=confirmed)
    if allowance.bets_stopped:
        raise r.DailyWinsReached
    if confirmed:
        allowance.require_wager(total)


def pass_turn(state: RoundState, *, player: UUID, at: datetime) -> Events:
    return (e.SeatPassed(seat=_require_turn(state, player, at).seat),)


def force_cards(state: RoundState, *, cards: Sequence[str], decks: int, at: datetime) -> Events:
    """Choose what the round is dealt, in deal order, from so many decks.

    Once, before any seat has acted: whoever wagers can know that the cards are chosen.
    """
    _require_open(state, at)
    if state.forced or not all(seat.status in {SeatStatus.DECIDING, SeatStatus.LEFT} for seat in state.seats):
        raise r.TooLateToForce
    return (CardsForced(cards=require_dealable(cards, decks=decks), forced_at=at),)


def leave_round(state: RoundState, *, player: UUID) -> Events:
    """Leave the round before confirming, to leave the table or change seats."""
    if not state.is_running():
        return ()
    seat = state.seat_of(player)
    if seat is None or seat.status in {SeatStatus.PASSED, SeatStatus.TIMED_OUT, SeatStatus.LEFT}:
        return ()
    if seat.status is SeatStatus.CONFIRMED:
        raise r.WagerInPlay(round=str(state.require_opened().round), deadline_at=state.require_opened().deadline_at)
    return (e.SeatLeftRound(seat=seat.seat),)
