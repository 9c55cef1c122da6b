"""Use cases of players at a table that move money or seats: sit down, change seat, rebuy, leave."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from msgspec.structs import replace

from baccarat.domain import dealer
from baccarat.domain.fairness.cut import ContributionSignature
from baccarat.domain.fairness.terms import encode_contribution
from baccarat.domain.rounds.refusals import (
    ContributionSignatureInvalid,
    CutChangedTooOften,
    NoShoeToCut,
    WagerInPlay,
    WitnessesNotReady,
)
from baccarat.domain.rounds.state import SeatStatus
from baccarat.domain.tables import decisions
from baccarat.domain.tables.events import TableEvent
from baccarat.domain.tables.kill_switch import STOPS
from baccarat.domain.tables.refusals import (
    AlreadySeated,
    BuyInUnderMinimum,
    GameInterrupted,
    MoneyTypeNotOffered,
    NextShoeUnreadable,
    NotSeated,
    RulesAreRetired,
    SeatIsTaken,
    TableIsClosed,
    TableIsClosing,
    UnknownSeat,
    UnknownTable,
    WrongCurrency,
)
from baccarat.domain.tables.state import Seat
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.queries.offered import is_seated_or_offered
from baccarat.queries.receipt_keys import sign
from baccarat.queries.table_view import ContributionReceipt, TableStateResponse
from baccarat.queries.tables import load_table_state
from baccarat.services.releasing import require_chains
from baccarat.storage import repository, shoe_seeds
from casino.crypto import ed25519
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from wallet.funding import services as funding
from wallet.funding.events import Funding
from wallet.funding.refusals import FundingDiffers
from wallet.ledger import store as ledger
from wallet.ledger.refusals import DebtOutstanding, InsufficientFunds
from wallet.payments.funding_options import DisplayedBalance
from wallet.remote.refusals import DeferredCommissionUnavailable
from wallet.remote.told import shown_balance
from wallet.responsible_gaming.eligibility import load_allowance, say_when
from wallet.responsible_gaming.refusals import PlayerExcluded, PlayerIsBlocked, PlayLimitReached

_INTERRUPTED: Final = """
SELECT t.id FROM baccarat_table t JOIN baccarat_wager w ON w.round_id = t.round_id
 WHERE t.suspension_reason IS NOT NULL AND t.operator_id = %s AND w.player_id = %s LIMIT 1
"""

TAKING: Final = (
    *STOPS,
    UnknownTable,
    UnknownSeat,
    SeatIsTaken,
    AlreadySeated,
    TableIsClosed,
    TableIsClosing,
    RulesAreRetired,
    MoneyTypeNotOffered,
    BuyInUnderMinimum,
    WrongCurrency,
    InsufficientFunds,
    DebtOutstanding,
    PlayerExcluded,
    PlayerIsBlocked,
    PlayLimitReached,
    GameInterrupted,
    DeferredCommissionUnavailable,
    NextShoeUnreadable,
    NoShoeToCut,
    CutChangedTooOften,
    ContributionSignatureInvalid,
    WitnessesNotReady,
)
CHANGING: Final = (UnknownTable, NotSeated, UnknownSeat, SeatIsTaken, WagerInPlay, NextShoeUnreadable)
REBUYING: Final = (
    UnknownTable,
    NotSeated,
    WagerInPlay,
    WrongCurrency,
    InsufficientFunds,
    DebtOutstanding,
    PlayerExcluded,
    PlayLimitReached,
    FundingDiffers,
)
LEAVING: Final = (UnknownTable, NotSeated, WagerInPlay, NextShoeUnreadable)


class MoneyElsewhere(Exception):
    """The money is in the operator's own wallet, which has to be asked first, outside of any transaction."""


@dataclass(frozen=True, slots=True)
class TableActor:
    """A player acting at one table."""

    table: UUID
    operator: UUID
    player: UUID
    metadata: Metadata
    brand: UUID | None = None


def lock(actor: TableActor) -> tuple[UnitOfWork, datetime]:
    """Lock the actor's table until the transaction ends. Raises UnknownTable, also for one of another brand."""
    uow, now = repository.lock_table(table=actor.table, operator=actor.operator)
    if not is_seated_or_offered(uow.table, player=actor.player, brand=actor.brand):
        raise UnknownTable
    return uow, now


def contribute(
    uow: UnitOfWork, *, player: UUID, contribution: str, signature: ContributionSignature | None, now: datetime
) -> None:
    """Add the player's contribution (hex) to the cut of the next shoe that is not cut yet.

    Raises ContributionSignatureInvalid, NotSeated, NoShoeToCut, CutChangedTooOften.
    """
    seat, shoe = uow.table.seat_of(player), uow.table.next_shoe
    if signature is not None and seat is not None and shoe is not None:
        public = bytes.fromhex(signature.public_key)[1:]
        signed = encode_contribution(
            table=uow.table.require_opened().table,
            commitment=shoe.commitment,
            witnesses=shoe.witnesses,
            seat=seat.seat,
            contribution=contribution,
        )
        if not ed25519.is_signed_for_all(signed, bytes.fromhex(signature.signature), public=public):
            raise ContributionSignatureInvalid(commitment=shoe.commitment)
    dealer.contribute_to_cut(uow, player=player, contribution=contribution, now=now, signature=signature)


def take(
    *,
    actor: TableActor,
    seat: int,
    money_type: MoneyType,
    currency: str,
    buy_in: int = 0,
    contribution: str | None = None,
    contribution_signature: ContributionSignature | None = None,
    balance_told: bool = False,
) -> TableStateResponse:
    """Seat the player with `buy_in` minor units from the account, opening a round at an idle table.

    Nothing is moved if the money is in the operator's own wallet: raises MoneyElsewhere until that was asked.
    A `contribution` (hex) goes to the cut of the next shoe; at a table without terms yet, that of the very next round.

    Raises UnknownTable, UnknownSeat, SeatIsTaken, AlreadySeated, MoneyTypeNotOffered, WrongCurrency, BuyInUnderMinimum,
    DebtOutstanding, PlayerExcluded, PlayIsStopped, PlayerIsBlocked, PlayLimitReached, InsufficientFunds,
    GameInterrupted, DeferredCommissionUnavailable, WitnessesNotReady, and the refusals of a cut.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        require_currency(currency, uow)
        _require_no_interruption(actor)
        account = repository.accounts_of(uow).player(actor.player, money_type)
        allowance = load_allowance(account, now=now)
        remote = is_remote(actor.operator, money_type)
        if remote:
            require_settled_at_once(uow)
            if not balance_told:
                raise MoneyElsewhere
            buy_in = 0  # the money stays where it is
        require_chains(uow.table)
        with say_when(account, now=now):
            uow.on_table(
                decisions.take_seat, player=actor.player, seat=seat, money_type=money_type, buy_in=buy_in,
                allowance=allowance, at=now,
            )  # fmt: skip
        given = None
        if contribution is not None:
            contribute(uow, player=actor.player, contribution=contribution, signature=contribution_signature, now=now)
            given = ContributionReceipt.of(require_seat(uow, actor.player), uow.table, sign)
        _open_idle_table(uow, now)
        repository.save([(uow, actor.metadata)])
        balance = game_balance(uow, actor.player) if remote else DisplayedBalance(buy_in)
    state = load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance)
    if given is None or state.you is None:
        return state
    return replace(state, you=replace(state.you, contribution=given))  # the cut may be closed by now


def _open_idle_table(uow: UnitOfWork, now: datetime) -> None:
    """Fix the terms of the shoe, and open a round where the clock deals."""
    entropy = repository.draw_entropy(uow, now=now)
    dealer.fix_terms(uow, entropy=entropy, now=now)
    if uow.table.rules.turn_seconds is not None:
        dealer.open_round(uow, entropy=entropy, now=now)


def change(*, actor: TableActor, seat: int) -> TableStateResponse:
    """Move the player to a free seat, leaving a round in which the player has confirmed nothing.

    Raises NotSeated, UnknownSeat, SeatIsTaken, WagerInPlay.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        balance = game_balance(uow, actor.player)
        if seat != require_seat(uow, actor.player).seat:
            leave_round_and_seat(uow, decisions.change_seat, player=actor.player, seat=seat, at=now)
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance)


def rebuy(*, actor: TableActor, amount: int, currency: str) -> TableStateResponse:
    """Move `amount` minor units from the account to the game balance, between the player's rounds.

    Raises NotSeated, WagerInPlay (with the time by which the round is dealt), WrongCurrency, DebtOutstanding,
    PlayerExcluded, PlayLimitReached, InsufficientFunds.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        require_currency(currency, uow)
        _require_no_wager(uow, actor.player)
        money_type = require_seat(uow, actor.player).money_type
        if money_type is MoneyType.REAL:
            funding.require_money_here(actor.operator)
        account = repository.accounts_of(uow).player(actor.player, money_type)
        allowance = load_allowance(account, now=now)
        with say_when(account, now=now):
            uow.on_table(decisions.rebuy, player=actor.player, amount=amount, allowance=allowance, at=now)
        repository.save([(uow, actor.metadata)])
        balance = game_balance(uow, actor.player)
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=balance)


def leave(*, actor: TableActor) -> TableStateResponse:
    """Leave the table: take what is set aside for commission, and move the game balance to the account.

    Raises NotSeated, WagerInPlay.
    """
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        account = repository.accounts_of(uow).game(actor.player, require_seat(uow, actor.player).money_type)
        balance = ledger.balances([account])[account]
        leave_round_and_seat(uow, decisions.leave_seat, player=actor.player, game_balance=balance, at=now)
        repository.save([(uow, actor.metadata)])
    return load_table_state(uow.table, uow.round, viewer=actor.player, now=now, balance=None)


def leave_round_and_seat(
    uow: UnitOfWork, decide: Callable[..., Sequence[TableEvent]], *, player: UUID, at: datetime, **inputs: Any
) -> None:
    """Take a player out of the round, then decide on the seat.

    Ends the round if it is now empty, and the table continues without it. Raises WagerInPlay, and the decision's
    refusals.
    """
    leave_round(uow, player, at)
    uow.on_table(decide, player=player, at=at, **inputs)
    dealer.open_next_round(uow, entropy=repository.draw_entropy(uow, now=at), now=at)


def leave_round_only(uow: UnitOfWork, player: UUID, now: datetime) -> bool:
    """Take a player and any unconfirmed chips out of the round, keeping the seat. Returns whether anything changed."""
    leave_round(uow, player, now)
    dealer.open_next_round(uow, entropy=repository.draw_entropy(uow, now=now), now=now)
    return bool(uow.changes)


def leave_round(uow: UnitOfWork, player: UUID, now: datetime) -> None:
    """Take a player out of the current round, and end it if it is then empty. Raises WagerInPlay."""
    dealer.leave_round(uow, player=player)
    if dealer.is_empty(uow):
        shoe = uow.round.require_opened().shoe
        seed = shoe_seeds.decrypt([shoe]).get(shoe)
        if seed is not None:  # otherwise the dealers suspend the round; the player may leave anyway
            head = repository.read_sealed_head()
            entropy = repository.draw_entropy(uow, now=now, seeds={}, sealed_head=head)
            dealer.lapse_if_empty(uow, seed=seed, entropy=entropy, now=now)


def require_seat(uow: UnitOfWork, player: UUID) -> Seat:
    """Return the player's seat. Raises NotSeated."""
    seat = uow.table.seat_of(player)
    if seat is None:
        raise NotSeated
    return seat


def game_balance(uow: UnitOfWork, player: UUID) -> DisplayedBalance:
    """Return what a seated player's game balance shows. Raises NotSeated."""
    return shown_balance(repository.accounts_of(uow).game(player, require_seat(uow, player).money_type))


def is_remote(operator: UUID, money_type: MoneyType) -> bool:
    """Return whether money of this type is in the operator's own wallet."""
    return money_type is MoneyType.REAL and funding.current(operator) is Funding.SEAMLESS


def require_settled_at_once(uow: UnitOfWork) -> None:
    """Check that no commission is held back for later. Raises DeferredCommissionUnavailable."""
    if uow.table.rules.defers_commission:
        raise DeferredCommissionUnavailable


def require_currency(currency: str, uow: UnitOfWork) -> None:
    """Check that amounts are in the table's currency. Raises WrongCurrency."""
    expected = uow.table.rules.currency
    if currency != expected:
        raise WrongCurrency(f"This table plays in {expected}.", currency=expected)


def _require_no_wager(uow: UnitOfWork, player: UUID) -> None:
    """Check that the player has no confirmed wager in a running round. Raises WagerInPlay."""
    seat = uow.round.seat_of(player)
    if seat is not None and seat.status is SeatStatus.CONFIRMED and uow.round.is_running():
        opened = uow.round.require_opened()
        raise WagerInPlay(round=str(opened.round), deadline_at=opened.deadline_at)


def _require_no_interruption(actor: TableActor) -> None:
    """Check that the player has no interrupted game, which must be resolved first (GLI-19 4.16.3)."""
    tables = fetch(_INTERRUPTED, [actor.operator, actor.player])
    if tables:
        raise GameInterrupted(table=str(tables[0][0]))
