"""Use cases of a player in a round: bet, and add to the cut.

Each is one transaction under the table's lock. None of them deals a card: the workers do, in `dealing.py`.
"""

from collections.abc import Callable, Mapping
from typing import Final

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.fairness.cut import ContributionSignature
from baccarat.domain.rounds import betting
from baccarat.domain.rounds.events import WagerSignature
from baccarat.domain.rounds.refusals import (
    AlreadyConfirmed,
    BettingIsClosed,
    ContributionSignatureInvalid,
    CutChangedTooOften,
    DailyWinsReached,
    NoChipsPlaced,
    NoOpenRound,
    NoShoeToCut,
    NotYourTurn,
    OneSpotOnly,
    OverMaximum,
    RoundIsOpen,
    SpotNeedsAnother,
    UnderMinimum,
    UnknownSpot,
    WagerSignatureInvalid,
    WitnessesNotReady,
    WitnessUnavailable,
)
from baccarat.domain.rules.wagers import AmountNotInChips
from baccarat.domain.tables import decisions
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
from baccarat.queries.receipts import WagerResponse, present_wager
from baccarat.queries.table_view import TableStateResponse
from baccarat.queries.tables import load_table_state
from baccarat.services.seats import TableActor, contribute, game_balance, lock, require_currency
from baccarat.services.turns import (
    TakenStakes,
    Turn,
    confirm,
    double_stakes,
    on_open_round,
    open_if_none,
    play_turn,
    prepare_wager,
    repeat,
)
from baccarat.storage import repository
from wallet.ledger.refusals import DebtOutstanding, InsufficientFunds
from wallet.responsible_gaming.refusals import (
    OverGroupMaximum,
    PlayerExcluded,
    PlayerIsBlocked,
    PlayLimitReached,
    UnderGroupMinimum,
)
from wallet.responsible_gaming.table_limit import OverOwnTableLimit

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
    UnknownSpot,
    SpotNeedsAnother,
    InsufficientFunds,
    OverOwnTableLimit,
    OverGroupMaximum,
    PlayerExcluded,
    DailyWinsReached,
)
WAGER: Final = (
    NoChipsPlaced,
    UnderMinimum,
    UnderGroupMinimum,
    DebtOutstanding,
    PlayLimitReached,
    WagerSignatureInvalid,
    WitnessesNotReady,
    WitnessUnavailable,
)
"""Refusals of a confirmation, beside those of its chips."""
CUT: Final = (NoShoeToCut, CutChangedTooOften, ContributionSignatureInvalid)
"""Refusals of a contribution, beside those of who may contribute."""


def new_game(*, actor: TableActor) -> TableStateResponse:
    """Open a round if none is open; otherwise clear the player's unconfirmed chips.

    Raises NotSeated, RoundIsOpen if others are playing a round, AlreadyConfirmed, NotYourTurn, BettingIsClosed,
    BettingNotOpen, and while the table or the player is stopped PlayIsStopped, PlayerIsBlocked.
    """

    def play(turn: Turn) -> None:
        if turn.uow.table.round is None:
            open_if_none(turn)
        elif turn.uow.table.rules.turn_seconds is not None:  # a table with turns opens its rounds by itself
            raise RoundIsOpen
        else:
            turn.uow.on_round(betting.clear_chips, player=turn.player, at=turn.now)

    return _take_turn(actor, play)


def place(*, actor: TableActor, spot: str, amount: int, currency: str) -> TableStateResponse:
    """Put `amount` minor units of chips on a spot. The first chip opens a round if none is open.

    Raises NotSeated, BettingNotOpen while the last deal is shown to several players, BettingIsClosed, NotYourTurn,
    AlreadyConfirmed, AmountNotInChips, OverMaximum, OverOwnTableLimit, OverGroupMaximum, UnderGroupMinimum,
    PlayerExcluded, PlayIsStopped, DailyWinsReached, PlayerIsBlocked,
    OneSpotOnly, UnknownSpot, SpotNeedsAnother, InsufficientFunds, WrongCurrency.
    """

    def play(turn: Turn) -> None:
        require_currency(currency, turn.uow)
        open_if_none(turn)
        _place(turn, spot, amount)

    return _take_turn(actor, play)


def undo(*, actor: TableActor) -> TableStateResponse:
    """Take back the last placement. Raises NoChipsPlaced, NoOpenRound and the refusals of a turn."""
    return _take_turn(actor, lambda turn: on_open_round(turn, betting.undo_placement, player=turn.player, at=turn.now))


def clear(*, actor: TableActor) -> TableStateResponse:
    """Take back all unconfirmed chips. Raises NoOpenRound and the refusals of a turn."""
    return _take_turn(actor, lambda turn: on_open_round(turn, betting.clear_chips, player=turn.player, at=turn.now))


def pass_turn(*, actor: TableActor) -> TableStateResponse:
    """Sit out this round. Raises NoOpenRound and the refusals of a turn."""
    return _take_turn(actor, lambda turn: on_open_round(turn, betting.pass_turn, player=turn.player, at=turn.now))


def rebet(*, actor: TableActor) -> TableStateResponse:
    """Place the last wager again on a cleared table.

    Raises NothingToRepeat, ChipsAlreadyPlaced, OverOwnTableLimit.
    """
    return _take_turn(actor, repeat)


def double(*, actor: TableActor) -> TableStateResponse:
    """Place the unconfirmed chips once more, all or none.

    Raises NoChipsPlaced, NoOpenRound, OverOwnTableLimit and the other refusals of `place`.
    """
    return _take_turn(actor, double_stakes)


def rebet_and_deal(
    *, actor: TableActor, signature: WagerSignature | None = None, taken: TakenStakes | None = None
) -> WagerResponse:
    """Place the last wager again and confirm it, in one transaction.

    Raises WagerSignatureInvalid, WitnessUnavailable, and MoneyElsewhere without `taken` as `deal` does.
    """

    def play(turn: Turn) -> None:
        if taken is None and not turn.remote:
            repeat(turn)
        confirm(turn, signature)

    return _wager(actor, play, taken)


def deal(
    *,
    actor: TableActor,
    stakes: Mapping[str, int],
    currency: str | None,
    contribution: str | None = None,
    contribution_signature: ContributionSignature | None = None,
    signature: WagerSignature | None = None,
    taken: TakenStakes | None = None,
) -> WagerResponse:
    """Confirm the placed chips as the seat's wager; `stakes` first replace them, all in one transaction.

    A `contribution` (hex) is recorded first, for a later round than the one that is bet on, whose cut is closed. Stakes
    under the minimum are raised if the table's rules say so; `raised` in the response contains the amounts added. A
    `signature` is over the stakes before that. Raises NoChipsPlaced, UnderMinimum, NoOpenRound, DebtOutstanding,
    PlayLimitReached, WagerSignatureInvalid, WitnessUnavailable and the refusals of `place` and of a cut.

    Raises MoneyElsewhere if the money is in the operator's own wallet and was not `taken` from there yet.
    """

    def play(turn: Turn) -> None:
        if currency is not None:  # chips on the table are in the table's own
            require_currency(currency, turn.uow)
        if not turn.remote:
            prepare_wager(turn, stakes, contribution, contribution_signature)
        confirm(turn, signature, stakes)

    return _wager(actor, play, taken)


def skip_show(*, actor: TableActor) -> TableStateResponse:
    """Ask to skip the rest of the show. The next round opens at once when every seated player has asked.

    Asking again changes nothing. Raises UnknownTable, NotSeated, NoShow, HurryNotAllowed.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        balance = game_balance(uow, actor.player)
        uow.on_table(decisions.request_show_skip, player=actor.player, at=now)
        dealer.open_round(uow, entropy=repository.draw_entropy(uow, now=now, defer_seed_check=True), now=now)
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance)


def contribute_to_cut(
    *, actor: TableActor, contribution: str, contribution_signature: ContributionSignature | None = None
) -> TableStateResponse:
    """Record the seat's contribution to the cut, 1 to 32 bytes in lower-case hex, replacing its earlier one.

    It goes to the next shoe that is not cut yet. Returns the new state of the table. Raises UnknownTable, NotSeated,
    NoShoeToCut, CutChangedTooOften, ContributionSignatureInvalid.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        balance = game_balance(uow, actor.player)
        contribute(uow, player=actor.player, contribution=contribution, signature=contribution_signature, now=now)
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance)


def _take_turn(actor: TableActor, play: Callable[[Turn], None]) -> TableStateResponse:
    """Play and return the new state of the table."""
    state, _ = play_turn(actor, play)
    return state


def _wager(actor: TableActor, play: Callable[[Turn], None], taken: TakenStakes | None) -> WagerResponse:
    """Play and return the new state of the table, with the receipt of the player's wager."""
    state, uow = play_turn(actor, play, taken)
    return present_wager(state, uow.table, uow.round, player=actor.player)


def _place(turn: Turn, spot: str, amount: int) -> None:
    rules = turn.uow.table.rules
    turn.uow.on_round(
        betting.place_chips,
        player=turn.player,
        spot=spot,
        amount=amount,
        allowance=turn.allowance,
        rules=rules,
        at=turn.now,
    )
