"""A player's turn at a locked table: what it may do, and what it is checked against.

Where the money is in the operator's own wallet, a wager is confirmed with stakes that were taken there before.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Concatenate, ParamSpec
from uuid import UUID

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.fairness.cut import ContributionSignature
from baccarat.domain.rounds import betting
from baccarat.domain.rounds.events import RoundEvent, WagerConfirmed, WagerSignature
from baccarat.domain.rounds.refusals import BettingIsClosed, NoOpenRound, WagerSignatureInvalid
from baccarat.domain.rounds.signed_wager import bytes_to_sign
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.tables import decisions
from baccarat.domain.tables.decisions import require_playing, require_show_over
from baccarat.domain.tables.state import Seat
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.queries.table_view import TableStateResponse
from baccarat.queries.tables import load_table_state
from baccarat.services.releasing import require_witnesses
from baccarat.services.seats import MoneyElsewhere, TableActor, contribute, lock, require_seat
from baccarat.storage import repository
from casino.crypto import ed25519
from casino.events.store import VersionConflict
from wallet.ledger.store import Recording
from wallet.payments.funding_options import DisplayedBalance
from wallet.remote import debits
from wallet.remote.debits import Debit
from wallet.remote.refusals import WalletDidNotAnswer
from wallet.responsible_gaming.allowance import Allowance
from wallet.responsible_gaming.eligibility import say_when
from wallet.responsible_gaming.table_limit_services import load_wager_allowance

P = ParamSpec("P")
Decision = partial[Sequence[RoundEvent]]


@dataclass(frozen=True, slots=True)
class TakenStakes:
    """Stakes, as the player asked for, that the operator's own wallet has paid; kept in memory only."""

    debit: Debit
    stakes: Mapping[str, int]

    def confirm(self, decide: Decision, round_: UUID | None, *, allowance: Allowance, now: datetime) -> Decision:
        """Return the decision on a wager that was in time when it was asked for. Raises BettingIsClosed."""
        asked = self.debit.asked
        if round_ != asked.round or asked.answer_by is None or now >= asked.answer_by:
            raise BettingIsClosed
        available = replace(allowance, available=asked.amount)
        return partial(decide, at=asked.at, allowance=available, debit=asked.transaction)

    def balance_after(self, told: int) -> int:
        """Return the balance in minor units after these stakes, given the one that was told before."""
        return told - self.debit.asked.amount if self.debit.balance is None else self.debit.balance


@dataclass(slots=True)
class Turn:
    """The player's seat at a locked table, the time, and what the player may stake from the `balance`.

    `beside` are events of the money, which are recorded with those of the table.
    """

    uow: UnitOfWork
    seat: Seat
    now: datetime
    allowance: Allowance
    balance: int
    remote: bool
    told_at: datetime | None
    taken: TakenStakes | None = None
    beside: list[Recording] = field(default_factory=list)

    @property
    def player(self) -> UUID:
        return self.seat.player


def play_turn(
    actor: TableActor, play: Callable[[Turn], None], taken: TakenStakes | None = None
) -> tuple[TableStateResponse, UnitOfWork]:
    """Do what `take_turn` does, and return the table as the player sees it now."""
    turn = take_turn(actor, play, taken)
    balance = DisplayedBalance(turn.balance if taken is None else taken.balance_after(turn.balance), turn.told_at)
    if not turn.remote:
        balance = DisplayedBalance(turn.balance - _newly_staked(turn.uow))
    return load_table_state(turn.uow.table, turn.uow.round, viewer=turn.player, now=turn.now, balance=balance), turn.uow


def take_turn(actor: TableActor, play: Callable[[Turn], None], taken: TakenStakes | None = None) -> Turn:
    """Lock the table, play, and write."""
    with transaction.atomic(savepoint=False):
        uow, now = lock(actor)
        seat = require_seat(uow, actor.player)
        account = repository.accounts_of(uow).game(actor.player, seat.money_type)
        may = load_wager_allowance(account, now=now)
        turn = Turn(uow, seat, now, may.allowance, may.balance, may.remote, may.told_at, taken)
        with say_when(account, now=now):
            play(turn)
        if taken is None:
            repository.save([(uow, actor.metadata)], beside=turn.beside)
        else:
            _save_taken(taken, uow, actor, now)
    return turn


def _save_taken(taken: TakenStakes, uow: UnitOfWork, actor: TableActor, now: datetime) -> None:
    """Write a wager whose stakes were taken, and accept their debit. Raises WalletDidNotAnswer."""
    if _newly_staked(uow) != taken.debit.asked.amount:
        raise RuntimeError("the wager is not what was taken for it")
    try:
        accepted = debits.accept(taken.debit, metadata=actor.metadata, now=now)
        repository.save([(uow, actor.metadata)], beside=accepted)
    except VersionConflict:  # of the debit, because the table is locked: it is taken back already
        raise WalletDidNotAnswer from None


def _newly_staked(uow: UnitOfWork) -> int:
    """Return the amount that this transaction moved from the game balance into play: at most one wager."""
    return sum(sum(event.stakes.values()) for event in uow.new_events() if isinstance(event, WagerConfirmed))


def open_if_none(turn: Turn) -> None:
    """Open a round if none is open; a player alone at the table thereby skips the show.

    Raises BettingNotOpen while others watch the show, while nobody may skip it and before the least cycle is over, and
    the refusal of a stop on the table or the player.
    """
    require_playing(turn.uow.table)
    turn.allowance.require_not_blocked()
    table = turn.uow.table
    skips = table.rules.may_hurry and table.rules.turn_seconds is not None and len(table.seats) == 1
    if skips and table.betting_opens_at is not None and table.show_runs(turn.now):
        turn.uow.on_table(decisions.request_show_skip, player=turn.player, at=turn.now)
    require_show_over(turn.uow.table, turn.now)
    dealer.open_round(
        turn.uow, entropy=repository.draw_entropy(turn.uow, now=turn.now, defer_seed_check=True), now=turn.now
    )


def _contribute(turn: Turn, contribution: str, signature: ContributionSignature | None) -> None:
    """Add to the cut of the next shoe, after fixing the terms of a round that is about to be bet on without any."""
    if turn.uow.table.round is None:
        entropy = repository.draw_entropy(turn.uow, now=turn.now, defer_seed_check=True)
        dealer.fix_terms(turn.uow, entropy=entropy, now=turn.now)
    contribute(turn.uow, player=turn.player, contribution=contribution, signature=signature, now=turn.now)


def prepare_wager(
    turn: Turn,
    stakes: Mapping[str, int],
    contribution: str | None,
    contribution_signature: ContributionSignature | None,
) -> None:
    """Add to the cut, and open the round that stakes are for if none is open."""
    if contribution is not None:
        _contribute(turn, contribution, contribution_signature)
    if stakes:
        open_if_none(turn)


def on_open_round(
    turn: Turn,
    decide: Callable[Concatenate[RoundState, P], Sequence[RoundEvent]],
    *args: P.args,
    **kwargs: P.kwargs,
) -> None:
    if turn.uow.table.round is None:
        require_show_over(turn.uow.table, turn.now)
        raise NoOpenRound
    turn.uow.on_round(decide, *args, **kwargs)


def repeat(turn: Turn) -> None:
    """Place the chips of the last wager again."""
    open_if_none(turn)
    stakes, rules = dict(turn.seat.last_wager or {}), turn.uow.table.rules
    turn.uow.on_round(
        betting.repeat_wager, player=turn.player, stakes=stakes, allowance=turn.allowance, rules=rules, at=turn.now
    )


def double_stakes(turn: Turn) -> None:
    """Place the chips on the table once more."""
    rules = turn.uow.table.rules
    on_open_round(turn, betting.double_stakes, player=turn.player, allowance=turn.allowance, rules=rules, at=turn.now)


def confirm(turn: Turn, signature: WagerSignature | None, stakes: Mapping[str, int] = MappingProxyType({})) -> None:
    """Confirm the chips on the table, or `stakes` instead of them; or what the operator's own wallet was asked for."""
    if turn.remote is not (turn.taken is not None):
        raise MoneyElsewhere
    if turn.taken is None:
        on_open_round(turn, confirmation(turn, signature, stakes))
    else:
        decide = confirmation(turn, signature, turn.taken.stakes)
        on_open_round(turn, turn.taken.confirm(decide, turn.uow.table.round, allowance=turn.allowance, now=turn.now))


def confirmation(turn: Turn, signature: WagerSignature | None, stakes: Mapping[str, int]) -> Decision:
    """Return the decision that confirms the chips on the table, or `stakes` instead of them, if they may be."""
    require_playing(turn.uow.table)
    require_witnesses(turn.uow, turn.now)
    if signature is not None:
        _require_signed(turn, signature, stakes)
    return partial(
        betting.confirm_wager,
        player=turn.player,
        allowance=turn.allowance,
        rules=turn.uow.table.rules,
        at=turn.now,
        signature=signature,
        stakes=stakes,
    )


def _require_signed(turn: Turn, signature: WagerSignature, stakes: Mapping[str, int]) -> None:
    """Check that `stakes`, or without them the chips on the table, are what the player signed, on the round's terms."""
    seat = turn.uow.round.seat_of(turn.player)
    if seat is None:
        return  # there is no wager to confirm
    opened, public = turn.uow.round.require_opened(), bytes.fromhex(signature.public_key)[1:]
    asked = stakes or seat.placed_stakes()
    wager = bytes_to_sign(opened, seat, asked, turn.uow.table.rules, nonce=bytes.fromhex(signature.nonce))
    if not ed25519.is_signed_for_all(wager, bytes.fromhex(signature.signature), public=public):
        raise WagerSignatureInvalid(terms=opened.terms)
