"""Use cases of a player in a round: bet, and add to the cut.

Each is one transaction under the table's lock. None of them deals a card: the workers do, in `dealing.py`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rounds import commands as c
from baccarat.domain.rounds.events import ChipsPlaced, StakesRebet, WagerConfirmed, WagerSignature
from baccarat.domain.rounds.refusals import (
    AlreadyConfirmed,
    BettingIsClosed,
    CutChangedTooOften,
    NoChipsPlaced,
    NoOpenRound,
    NoShoeToCut,
    NotYourTurn,
    OneSpotOnly,
    OverMaximum,
    RoundIsOpen,
    UnderMinimum,
    WagerSignatureInvalid,
)
from baccarat.domain.rounds.signed_wager import bytes_to_sign
from baccarat.domain.rules.wagers import AmountNotInChips, Spot
from baccarat.domain.tables.commands import RequestShowSkip
from baccarat.domain.tables.decider import require_playing, require_show_over
from baccarat.domain.tables.kill_switch import STOPS
from baccarat.domain.tables.refusals import (
    BettingNotOpen,
    NextShoeUnreadable,
    NotSeated,
    RulesAreRetired,
    TableIsClosing,
    UnknownTable,
    WrongCurrency,
)
from baccarat.domain.tables.state import Seat
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.queries.receipts import WagerResponse, present_wager
from baccarat.queries.table_view import TableStateResponse
from baccarat.queries.tables import load_table_state
from baccarat.services.seats import TableActor, game_balance, lock, require_currency, require_seat
from baccarat.storage import repository
from casino.crypto import ed25519
from wallet.ledger.refusals import DebtOutstanding, InsufficientFunds
from wallet.responsible_gaming.eligibility import PlayerEligibility
from wallet.responsible_gaming.refusals import (
    OverGroupMaximum,
    PlayerExcluded,
    PlayerIsBlocked,
    PlayLimitReached,
    UnderGroupMinimum,
)
from wallet.responsible_gaming.table_limit import OverOwnTableLimit, PersonalTableLimit, require_within
from wallet.responsible_gaming.table_limit_services import load_wager_eligibility

TURN: Final = (
    UnknownTable,
    NotSeated,
    NoOpenRound,
    NotYourTurn,
    AlreadyConfirmed,
    BettingIsClosed,
    BettingNotOpen,
)
"""Refusals of whatever a player does in a round."""
OPENING: Final = (*STOPS, TableIsClosing, RulesAreRetired, PlayerIsBlocked, NextShoeUnreadable)
"""Refusals where no round may open."""
STAKING: Final = (
    WrongCurrency,
    AmountNotInChips,
    OverMaximum,
    OneSpotOnly,
    InsufficientFunds,
    OverOwnTableLimit,
    OverGroupMaximum,
    PlayerExcluded,
)
WAGER: Final = (
    NoChipsPlaced,
    UnderMinimum,
    UnderGroupMinimum,
    DebtOutstanding,
    PlayLimitReached,
    WagerSignatureInvalid,
)
"""Refusals of a confirmation, beside those of its chips."""
CUT: Final = (NoShoeToCut, CutChangedTooOften)
"""Refusals of a contribution, beside those of who may contribute."""


@dataclass(slots=True)
class Turn:
    """The player's seat at a locked table, the time, and what the player's wagers are checked against."""

    uow: UnitOfWork
    seat: Seat
    now: datetime
    eligibility: PlayerEligibility
    table_limit: PersonalTableLimit | None

    @property
    def balance(self) -> int:
        """The game balance, in minor units."""
        return self.eligibility.balance

    @property
    def player(self) -> UUID:
        return self.seat.player


def new_game(*, actor: TableActor) -> TableStateResponse:
    """Open a round if none is open; otherwise clear the player's unconfirmed chips.

    Raises NotSeated, RoundIsOpen if others are playing a round, AlreadyConfirmed, NotYourTurn, BettingIsClosed,
    BettingNotOpen, and while the table or the player is stopped PlayIsStopped, PlayerIsBlocked.
    """

    def play(turn: Turn) -> None:
        if turn.uow.table.round is None:
            _open_if_none(turn)
        elif turn.uow.table.rules.turn_seconds is not None:  # a table with turns opens its rounds by itself
            raise RoundIsOpen
        else:
            turn.uow.decide_on_round(c.ClearChips(player=turn.player, now=turn.now))

    return _take_turn(actor, play)


def place(*, actor: TableActor, spot: Spot, amount: int, currency: str) -> TableStateResponse:
    """Put `amount` minor units of chips on a spot. The first chip opens a round if none is open.

    Raises NotSeated, BettingNotOpen while the last deal is shown to several players, BettingIsClosed, NotYourTurn,
    AlreadyConfirmed, AmountNotInChips, OverMaximum, OverOwnTableLimit, OverGroupMaximum, UnderGroupMinimum,
    PlayerExcluded, PlayIsStopped, PlayerIsBlocked,
    OneSpotOnly, InsufficientFunds, WrongCurrency.
    """

    def play(turn: Turn) -> None:
        require_currency(currency, turn.uow)
        _open_if_none(turn)
        _place(turn, spot, amount)

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


def rebet_and_deal(*, actor: TableActor, signature: WagerSignature | None = None) -> WagerResponse:
    """Place the last wager again and confirm it, in one transaction. Raises WagerSignatureInvalid."""

    def play(turn: Turn) -> None:
        _repeat(turn)
        _confirm(turn, signature)

    return _wager(actor, play)


def deal(
    *,
    actor: TableActor,
    stakes: Mapping[Spot, int],
    currency: str | None,
    contribution: str | None = None,
    signature: WagerSignature | None = None,
) -> WagerResponse:
    """Confirm the placed chips as the seat's wager; `stakes` first replace them, all in one transaction.

    A `contribution` (hex) is recorded first, for a later round than the one that is bet on, whose cut is closed. Stakes
    under the minimum are raised if the table's rules say so; `raised` in the response contains the amounts added. A
    `signature` is over the stakes before that. Raises NoChipsPlaced, UnderMinimum, NoOpenRound, DebtOutstanding,
    PlayLimitReached, WagerSignatureInvalid and the refusals of `place` and of a cut.
    """

    def play(turn: Turn) -> None:
        if currency is not None:  # chips on the table are in the table's own
            require_currency(currency, turn.uow)
        if contribution is not None:
            _contribute(turn, contribution)
        if stakes:
            _open_if_none(turn)
        _confirm(turn, signature, stakes)

    return _wager(actor, play)


def skip_show(*, actor: TableActor) -> TableStateResponse:
    """Ask to skip the rest of the show. The next round opens at once when every seated player has asked.

    Asking again changes nothing. Raises UnknownTable, NotSeated, NoShow.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        balance = game_balance(uow, actor.player)
        uow.decide_on_table(RequestShowSkip(player=actor.player, now=now))
        dealer.open_round(uow, entropy=repository.draw_entropy(uow, now=now, defer_seed_check=True), now=now)
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance)


def contribute_to_cut(*, actor: TableActor, contribution: str) -> TableStateResponse:
    """Record the seat's contribution to the cut, 1 to 32 bytes in lower-case hex, replacing its earlier one.

    It goes to the next shoe that is not cut yet. Returns the new state of the table. Raises UnknownTable, NotSeated,
    NoShoeToCut, CutChangedTooOften.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        balance = game_balance(uow, actor.player)
        dealer.contribute_to_cut(uow, player=actor.player, contribution=contribution, now=now)
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance)


def _take_turn(actor: TableActor, play: Callable[[Turn], None]) -> TableStateResponse:
    """Play and return the new state of the table."""
    state, _ = _play(actor, play)
    return state


def _wager(actor: TableActor, play: Callable[[Turn], None]) -> WagerResponse:
    """Play and return the new state of the table, with the receipt of the player's wager."""
    state, uow = _play(actor, play)
    return present_wager(state, uow.table, uow.round, player=actor.player)


def _play(actor: TableActor, play: Callable[[Turn], None]) -> tuple[TableStateResponse, UnitOfWork]:
    """Lock the table, play, check limits and exclusions, and write."""
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        seat = require_seat(uow, actor.player)
        account = repository.accounts_of(uow).game(actor.player, seat.money_type)
        checks = load_wager_eligibility(account, now=now)
        turn = Turn(uow=uow, seat=seat, now=now, eligibility=checks.eligibility, table_limit=checks.table_limit)
        play(turn)
        _require_allowed(turn)
        repository.save([(uow, actor.metadata)])
    balance = turn.balance - _newly_staked(uow)
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance), uow


def _require_allowed(turn: Turn) -> None:
    """Check that the player may place chips, and for a wager also that there is no debt and every limit allows it."""
    changed_stakes, newly_staked = _changed_stakes(turn.uow, turn.player), _newly_staked(turn.uow)
    require_within(turn.table_limit, changed_stakes)
    turn.eligibility.require_stakes(changed_stakes, confirmed=bool(newly_staked))
    if changed_stakes:
        turn.eligibility.require_may_play()
    if newly_staked:
        turn.eligibility.require_wager(newly_staked)


def _changed_stakes(uow: UnitOfWork, player: UUID) -> Collection[int]:
    """Return the seat's stakes, one per spot, if this transaction added to them; otherwise none."""
    bets = (ChipsPlaced, StakesRebet, WagerConfirmed)
    seat = uow.round.seat_of(player)
    if seat is None or not any(isinstance(event, bets) for event in uow.new_events()):
        return ()
    return (seat.placed_stakes() if seat.stakes is None else seat.stakes).values()


def _newly_staked(uow: UnitOfWork) -> int:
    """Return the amount that this transaction moved from the game balance into play: at most one wager."""
    return sum(sum(event.stakes.values()) for event in uow.new_events() if isinstance(event, WagerConfirmed))


def _open_if_none(turn: Turn) -> None:
    """Open a round if none is open; a player alone at the table thereby skips the show.

    Raises BettingNotOpen while others watch the show, and the refusal of a stop on the table or the player.
    """
    require_playing(turn.uow.table)
    turn.eligibility.require_not_blocked()
    if turn.uow.table.show_runs(turn.now) and len(turn.uow.table.seats) == 1:
        turn.uow.decide_on_table(RequestShowSkip(player=turn.player, now=turn.now))
    require_show_over(turn.uow.table, turn.now)
    dealer.open_round(
        turn.uow, entropy=repository.draw_entropy(turn.uow, now=turn.now, defer_seed_check=True), now=turn.now
    )


def _contribute(turn: Turn, contribution: str) -> None:
    """Add to the cut of the next shoe, after fixing the terms of a round that is about to be bet on without any."""
    if turn.uow.table.round is None:
        entropy = repository.draw_entropy(turn.uow, now=turn.now, defer_seed_check=True)
        dealer.fix_terms(turn.uow, entropy=entropy, now=turn.now)
    dealer.contribute_to_cut(turn.uow, player=turn.player, contribution=contribution, now=turn.now)


def _on_open_round(turn: Turn, command: c.PlayerCommand) -> None:
    if turn.uow.table.round is None:
        require_show_over(turn.uow.table, turn.now)
        raise NoOpenRound
    turn.uow.decide_on_round(command)


def _place(turn: Turn, spot: Spot, amount: int) -> None:
    rules = turn.uow.table.rules
    turn.uow.decide_on_round(
        c.PlaceChips(player=turn.player, spot=spot, amount=amount, available=turn.balance, rules=rules, now=turn.now)
    )


def _repeat(turn: Turn) -> None:
    _open_if_none(turn)
    stakes, rules = dict(turn.seat.last_wager or {}), turn.uow.table.rules
    turn.uow.decide_on_round(
        c.RepeatWager(player=turn.player, stakes=stakes, available=turn.balance, rules=rules, now=turn.now)
    )


def _confirm(turn: Turn, signature: WagerSignature | None, stakes: Mapping[Spot, int] = MappingProxyType({})) -> None:
    """Confirm the chips on the table, or `stakes` instead of them."""
    require_playing(turn.uow.table)
    if signature is not None:
        _require_signed(turn, signature, stakes)
    rules = turn.uow.table.rules
    command = c.ConfirmWager(
        player=turn.player, available=turn.balance, rules=rules, now=turn.now, signature=signature, stakes=stakes
    )
    _on_open_round(turn, command)


def _require_signed(turn: Turn, signature: WagerSignature, stakes: Mapping[Spot, int]) -> None:
    """Check that `stakes`, or without them the chips on the table, are what the player signed, on the round's terms."""
    seat = turn.uow.round.seat_of(turn.player)
    if seat is None:
        return  # there is no wager to confirm
    terms, public = turn.uow.round.require_opened().terms, bytes.fromhex(signature.public_key)[1:]
    wager = bytes_to_sign(
        terms, seat, stakes or seat.placed_stakes(), turn.uow.table.rules.currency, nonce=bytes.fromhex(signature.nonce)
    )
    if not ed25519.is_canonical(public) or not ed25519.is_signed(
        wager, bytes.fromhex(signature.signature), public=public
    ):
        raise WagerSignatureInvalid(terms=terms)
