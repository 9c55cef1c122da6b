"""Use cases of a player's turn: new game, place, undo, clear, rebet, deal, pass. Each is one transaction."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rounds import commands as c
from baccarat.domain.rounds.events import ChipsPlaced, StakesRebet, WagerConfirmed
from baccarat.domain.rounds.refusals import NoOpenRound, RoundIsOpen
from baccarat.domain.rules.wagers import Spot
from baccarat.domain.tables.kill_switch import require_playing
from baccarat.domain.tables.refusals import NotSeated, WrongCurrency
from baccarat.domain.tables.state import Seat
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.queries.table_state import load_table_state
from baccarat.queries.table_view import TableStateResponse
from baccarat.services.table_actor import TableActor
from baccarat.storage import repository
from wallet.responsible_gaming.table_limit import require_within
from wallet.responsible_gaming.table_limit_projection import WagerEligibility, load_wager_eligibility


@dataclass(slots=True)
class Turn:
    """The player's seat at a locked table, the time, and the player's wager eligibility."""

    uow: UnitOfWork
    seat: Seat
    now: datetime
    funds: WagerEligibility

    @property
    def balance(self) -> int:
        return self.funds.balance

    @property
    def player(self) -> UUID:
        return self.seat.player


def new_game(*, actor: TableActor) -> TableStateResponse:
    """Open a round if none is open; otherwise clear the player's unconfirmed chips.

    Raises NotSeated, RoundIsOpen if others are playing a round, AlreadyConfirmed, NotYourTurn, BettingIsClosed, and
    while the table or the player is stopped PlayIsStopped, PlayerIsBlocked.
    """

    def play(turn: Turn) -> None:
        if turn.uow.table.round is None:
            _open_if_none(turn)
        elif turn.uow.table.rules.turn_seconds is not None:
            raise RoundIsOpen
        else:
            turn.uow.decide_on_round(c.ClearChips(player=turn.player, now=turn.now))

    return _take_turn(actor, play)


def place(*, actor: TableActor, spot: Spot, amount: int, currency: str) -> TableStateResponse:
    """Put `amount` minor units of chips on a spot. The first chip opens a round if none is open.

    Raises NotSeated, BettingIsClosed, NotYourTurn, AlreadyConfirmed, AmountNotInChips, OverMaximum, OverOwnTableLimit,
    PlayerExcluded, PlayIsStopped, PlayerIsBlocked, OneSpotOnly, InsufficientFunds, WrongCurrency.
    """

    def play(turn: Turn) -> None:
        _require_currency(currency, turn)
        _open_if_none(turn)
        turn.uow.decide_on_round(_placing(turn, spot, amount))

    return _take_turn(actor, play)


def undo(*, actor: TableActor) -> TableStateResponse:
    """Take back the last placement. Raises NoChipsPlaced, NoOpenRound and the refusals of a turn."""
    return _take_turn(actor, lambda turn: _on_open_round(turn, c.UndoPlacement(player=turn.player, now=turn.now)))


def clear(*, actor: TableActor) -> TableStateResponse:
    """Take back all unconfirmed chips. Raises NoOpenRound and the refusals of a turn."""
    return _take_turn(actor, lambda turn: _on_open_round(turn, c.ClearChips(player=turn.player, now=turn.now)))


def pass_turn(*, actor: TableActor) -> TableStateResponse:
    """Sit out this round. Raises NoOpenRound and the refusals of a turn."""
    return _take_turn(actor, lambda turn: _on_open_round(turn, c.PassTurn(player=turn.player, now=turn.now)))


def rebet(*, actor: TableActor) -> TableStateResponse:
    """Place the last wager again on a cleared table.

    Raises NothingToRepeat, ChipsAlreadyPlaced, OverOwnTableLimit.
    """
    return _take_turn(actor, _repeat)


def rebet_and_deal(*, actor: TableActor) -> TableStateResponse:
    """Place the last wager again and confirm it, in one transaction."""

    def play(turn: Turn) -> None:
        _repeat(turn)
        _confirm(turn)

    return _take_turn(actor, play)


def deal(
    *, actor: TableActor, stakes: Mapping[Spot, int], currency: str, contribution: str | None = None
) -> TableStateResponse:
    """Confirm the placed chips; `stakes` first replace them, all in one transaction.

    A `contribution` (hex) to the cut is recorded first, even if the stakes open the round, because its shoe was
    committed to before. Raises NoChipsPlaced, UnderMinimum, NoOpenRound, DebtOutstanding, PlayLimitReached and the
    refusals of `place` and of a cut. Stakes under the minimum are raised if the table's rules say so; `raised` in the
    response contains the amounts added.
    """

    def play(turn: Turn) -> None:
        _require_currency(currency, turn)
        if contribution is not None:
            _contribute(turn, contribution, opening=bool(stakes))
        if stakes:
            _open_if_none(turn)
            turn.uow.decide_on_round(c.ClearChips(player=turn.player, now=turn.now))
            for spot, amount in stakes.items():
                turn.uow.decide_on_round(_placing(turn, spot, amount))
        _confirm(turn)

    return _take_turn(actor, play)


def _take_turn(guest: TableActor, play: Callable[[Turn], None]) -> TableStateResponse:
    with transaction.atomic(savepoint=False):
        journal, now = repository.lock_table(table=guest.table, operator=guest.operator)
        seat = journal.table.seat_of(guest.player)
        if seat is None:
            raise NotSeated
        account = repository.accounts_of(journal).game(guest.player, seat.money_type)
        means = load_wager_eligibility(account, now=now)
        turn = Turn(uow=journal, seat=seat, now=now, funds=means)
        play(turn)
        _require_allowed(means, journal, guest.player)
        repository.save([(journal, guest.metadata)])
    balance = turn.balance - _just_staked(journal)
    return load_table_state(journal.table, journal.round, viewer=guest.player, now=now, balance=balance)


def _require_allowed(means: WagerEligibility, journal: UnitOfWork, player: UUID) -> None:
    """Check that the player may place chips, and for a wager also that there is no debt and every limit allows it."""
    stakes, staked = _stakes_of(journal, player), _just_staked(journal)
    require_within(means.table_limit, stakes)
    if stakes:
        means.eligibility.require_may_play()
    if staked:
        means.eligibility.require_wager(staked)


def _stakes_of(journal: UnitOfWork, player: UUID) -> Collection[int]:
    """Return the spots' stakes if this transaction added to them, otherwise nothing."""
    bets = (ChipsPlaced, StakesRebet, WagerConfirmed)
    seat = journal.round.seat_of(player)
    if seat is None or not any(isinstance(event, bets) for page in journal.changes for event in page.events):
        return ()
    return (seat.placed_stakes() if seat.stakes is None else seat.stakes).values()


def _just_staked(journal: UnitOfWork) -> int:
    """Return the amount that this transaction moved from the game balance into play: at most one wager."""
    events = [event for page in journal.changes for event in page.events]
    return sum(sum(event.stakes.values()) for event in events if isinstance(event, WagerConfirmed))


def _open_if_none(turn: Turn) -> None:
    """Open a round if none is open. Raises the refusal of a stop on the table or the player."""
    require_playing(turn.uow.table)
    turn.funds.eligibility.require_not_blocked()
    dealer.open_round(turn.uow, entropy=repository.draw_entropy(turn.uow, defer_seed_check=True), now=turn.now)


def _contribute(turn: Turn, contribution: str, *, opening: bool) -> None:
    """Add to the cut. Stakes may open a round for it if the round's own shoe was announced before."""
    table = turn.uow.table
    if opening and table.next_shoe is not None and not table.has_long_shoe():
        _open_if_none(turn)
    dealer.contribute_to_cut(turn.uow, player=turn.player, contribution=contribution, now=turn.now)


def _on_open_round(turn: Turn, command: c.PlayerCommand) -> None:
    if turn.uow.table.round is None:
        raise NoOpenRound
    turn.uow.decide_on_round(command)


def _placing(turn: Turn, spot: Spot, amount: int) -> c.PlaceChips:
    return c.PlaceChips(
        player=turn.player,
        spot=spot,
        amount=amount,
        available=turn.balance,
        rules=turn.uow.table.rules,
        now=turn.now,
    )


def _repeat(turn: Turn) -> None:
    _open_if_none(turn)
    rules = turn.uow.table.rules
    turn.uow.decide_on_round(
        c.RepeatWager(
            player=turn.player,
            stakes=dict(turn.seat.last_wager or {}),
            available=turn.balance,
            rules=rules,
            now=turn.now,
        )
    )


def _confirm(turn: Turn) -> None:
    require_playing(turn.uow.table)
    rules = turn.uow.table.rules
    _on_open_round(turn, c.ConfirmWager(player=turn.player, available=turn.balance, rules=rules, now=turn.now))


def _require_currency(currency: str, turn: Turn) -> None:
    expected = turn.uow.table.rules.currency
    if currency != expected:
        raise WrongCurrency(f"This table plays in {expected}.", currency=expected)
