"""Use cases of players whose money is in the operator's own wallet: take a wager's stakes, and owe what it returns.

Taking is no transaction: the debit is recorded in one, the wallet is asked outside of any, and the caller confirms the
wager with what was taken in another. What is won or void is recorded where the round is saved, and delivered later.
"""

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.cut import ContributionSignature
from baccarat.domain.rounds.events import (
    RoundSettled,
    RoundVoided,
    SeatSettled,
    SeatVoided,
    WagerConfirmed,
    WagerSignature,
)
from baccarat.domain.rounds.refusals import AlreadyConfirmed, NoChipsPlaced, NoOpenRound
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.rounds.state import Phase, RoundState
from baccarat.domain.tables.decisions import require_show_over
from baccarat.domain.tables.state import TableState
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services.seats import TableActor, require_currency, require_settled_at_once
from baccarat.services.turns import (
    TakenStakes,
    Turn,
    confirmation,
    prepare_wager,
    repeat,
    take_turn,
)
from baccarat.storage import repository
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.operators import daily_caps
from wallet import notices
from wallet.notices import Notice, NoticeKind
from wallet.remote import credits as owed
from wallet.remote import debits
from wallet.remote.client import endpoint
from wallet.remote.debits import Debit
from wallet.remote.events import Party
from wallet.remote.protection import PROTECTION
from wallet.remote.refusals import (
    DeferredCommissionUnavailable,
    WagerBeingConfirmed,
    WalletDidNotAnswer,
    WalletRefused,
    WalletUnavailable,
)
from wallet.remote.state import RemoteStatus

REFUSALS: Final = (
    DeferredCommissionUnavailable,
    WagerBeingConfirmed,
    WalletDidNotAnswer,
    WalletRefused,
    WalletUnavailable,
)
_elsewhere: Final[set[UUID]] = set()
"""Operators whose own wallet paid the last wager in this process. A wrong guess costs one transaction in vain."""


@dataclass(frozen=True, slots=True)
class WantedWager:
    """What a player asks for; without stakes the chips on the table, or with `again` the last wager."""

    request: UUID
    stakes: Mapping[str, int]
    currency: str | None = None
    contribution: str | None = None
    contribution_signature: ContributionSignature | None = None
    signature: WagerSignature | None = None
    again: bool = False


@dataclass(frozen=True, slots=True)
class Confirming:
    """The wallet has not answered an earlier, equal request yet."""

    round: UUID
    deadline_at: datetime | None


def is_probably_elsewhere(operator: UUID) -> bool:
    """Return whether the money of the last wager was in the operator's own wallet, and that answers."""
    return operator in _elsewhere and not PROTECTION.circuit(operator).is_open()


def take_stakes(wanted: WantedWager, *, actor: TableActor) -> TakenStakes | Confirming | None:
    """Take the stakes of a wager from the operator's own wallet; an equal request takes them once.

    Returns None if the money is here. Raises the refusals of `betting.deal`, AlreadyConfirmed for a request whose wager
    is confirmed, and REFUSALS.
    """
    _require_available(actor)
    with contextlib.ExitStack() as admitted:
        reserved = _reserve(wanted, actor, lambda: admitted.enter_context(PROTECTION.admission(actor.operator)))
        if reserved is None:
            _elsewhere.discard(actor.operator)
            return None
        _elsewhere.add(actor.operator)
        if isinstance(reserved, Confirming):
            return reserved
        debit, stakes = reserved
        return TakenStakes(debits.take(debit, metadata=actor.metadata), stakes)


def give_back(taken: TakenStakes, *, actor: TableActor) -> None:
    """Give stakes back that were taken, but whose wager could not be confirmed."""
    debits.give_up(taken.debit, metadata=actor.metadata)


def ask_balance(*, actor: TableActor) -> None:
    """Ask the operator's own wallet for the player's balance. Raises WalletUnavailable without an answer."""
    circuit = PROTECTION.circuit(actor.operator)
    if circuit.is_open() and not circuit.may_probe():
        raise WalletUnavailable
    if _balance(actor) is None:
        raise WalletUnavailable


def _require_available(actor: TableActor) -> None:
    """Check that a wallet answers, by a probe now and then while it does not. Raises WalletUnavailable."""
    circuit = PROTECTION.circuit(actor.operator)
    if circuit.is_open() and (not circuit.may_probe() or _balance(actor) is None):
        raise WalletUnavailable


def _balance(actor: TableActor) -> int | None:
    currency = repository.read_table(table=actor.table, operator=actor.operator).rules.currency
    with PROTECTION.place(actor.operator):
        return debits.ask_balance(endpoint(actor.operator), player=actor.player, currency=currency)


def _reserve(
    wanted: WantedWager, actor: TableActor, admit: Callable[[], None] = lambda: None
) -> tuple[Debit, Mapping[str, int]] | Confirming | None:
    """Judge a wager by all rules, and record its debit; the seat still decides, and cards wait for the answer.

    Returns None if the money is here, which nothing but the locked seat tells; `admit` is called if it is not.
    """
    reserved: list[tuple[Debit, Mapping[str, int]] | Confirming] = []

    def play(turn: Turn) -> None:
        if not turn.remote:
            return
        admit()
        earlier = debits.find(wanted.request, _open_wager(turn), operator=actor.operator)
        if earlier is not None:
            reserved.append(_earlier(turn, *earlier))
            return
        require_settled_at_once(turn.uow)
        if wanted.currency is not None:
            require_currency(wanted.currency, turn.uow)
        if wanted.again:
            repeat(turn)
        else:
            prepare_wager(turn, wanted.stakes, wanted.contribution, wanted.contribution_signature)
        if turn.uow.table.round is None:
            require_show_over(turn.uow.table, turn.now)
            raise NoOpenRound
        reserved.append(_request(turn, wanted, actor))

    take_turn(actor, play)
    return next(iter(reserved), None)


def _open_wager(turn: Turn) -> UUID | None:
    """Return the player's wager of the open round, confirmed or not; None without a round."""
    round_ = turn.uow.table.round
    return None if round_ is None else wager_id(round_, turn.seat.seat)


def _request(turn: Turn, wanted: WantedWager, actor: TableActor) -> tuple[Debit, Mapping[str, int]]:
    seat = turn.uow.round.seat_of(turn.player)
    stakes = wanted.stakes or ({} if seat is None else seat.placed_stakes())
    decide = confirmation(turn, wanted.signature, stakes)
    confirmed = [event for event in decide(turn.uow.round) if isinstance(event, WagerConfirmed)]
    if not stakes or not confirmed:
        raise NoChipsPlaced
    (wager,) = confirmed
    opened, rules = turn.uow.round.require_opened(), turn.uow.table.rules
    debit, recordings = debits.request(
        party=Party(opened.operator, turn.player, opened.table, rules.currency),
        wager=wager.wager,
        round_=opened.round,
        amount=sum(wager.stakes.values()),
        request_=wanted.request,
        closes_at=opened.deadline_at,
        metadata=actor.metadata,
        now=turn.now,
    )
    turn.beside.extend(recordings)
    return debit, stakes


def _earlier(turn: Turn, status: RemoteStatus, code: str) -> Confirming:
    """Return what has become of an equal request, or raise its end."""
    debits.raise_end(status, code)
    if status is RemoteStatus.ACCEPTED or turn.uow.table.round is None:
        raise AlreadyConfirmed
    opened = turn.uow.round.require_opened()
    return Confirming(opened.round, opened.deadline_at)


def save_and_return(decided: Sequence[tuple[UnitOfWork, Metadata]], *, now: datetime, capped: bool = False) -> None:
    """Save units of work as `repository.save` does, with what they owe operators' own wallets: in one transaction.

    The players of a void round are told. Wins are counted last, if there are caps.
    """
    repository.save(decided)
    returned: dict[UUID, tuple[int, Metadata]] = {}
    for uow, metadata in decided:
        events = uow.new_events()
        for event in events:
            if isinstance(event, RoundVoided):
                _tell_players(event, uow.table)
        for round_, _ in uow.changed_rounds.values():
            paid_by = {seat.seat: seat.debit for seat in round_.seats if seat.debit is not None}
            if paid_by and any(isinstance(event, RoundSettled) for event in events) and round_.phase is Phase.SETTLED:
                returned |= {paid_by[won.seat]: (won.returned, metadata) for won in _settlements(round_, paid_by)}
            elif paid_by and round_.voided in events:
                _follow_void(round_.voided, paid_by, metadata, now)
    owed.owe(returned, now=now)
    if capped:
        daily_caps.count_wins(_won(uow for uow, _ in decided), at=now)


def _won(units: Iterable[UnitOfWork]) -> Counter[tuple[UUID, str]]:
    """Return the real money that was won beyond its stakes, wager by wager: by operator and currency."""
    won: Counter[tuple[UUID, str]] = Counter()
    for uow in units:
        opened = uow.table.require_opened()
        for event in uow.new_events():
            if isinstance(event, RoundSettled):
                gains = (each.returned - each.staked for each in event.wagers if each.money_type is MoneyType.REAL)
                won[opened.operator, uow.table.rules.currency] += sum(gain for gain in gains if gain > 0)
    return +won


def _tell_players(void: RoundVoided, table: TableState) -> None:
    for seat in void.seats:
        gained = seat.to_game + seat.to_account - seat.from_game - seat.from_account - seat.owed
        kind = NoticeKind.ROUND_VOIDED_CREDIT if gained > 0 else NoticeKind.ROUND_VOIDED_DEBIT
        details = {
            "amount": abs(gained),
            "owed": seat.owed,
            "currency": table.rules.currency,
            "money_type": seat.money_type.value,
            "round": void.number,
        }
        notices.notify_player(
            Notice(
                table.require_opened().operator,
                seat.player,
                kind if gained else NoticeKind.ROUND_VOIDED,
                void.round,
                details,
            )
        )


def _settlements(round_: RoundState, paid_by: Mapping[int, UUID]) -> list[SeatSettled]:
    return [seat.settlement for seat in round_.seats if seat.settlement is not None and seat.seat in paid_by]


def _follow_void(void: RoundVoided | None, paid_by: Mapping[int, UUID], metadata: Metadata, now: datetime) -> None:
    if void is None:
        return
    if void.was_settled:
        differences = {paid_by[seat.seat]: _difference(seat) for seat in void.seats if seat.seat in paid_by}
        owed.correct(differences, metadata=metadata, now=now)
    else:
        owed.undo(list(paid_by.values()), metadata=metadata, now=now)


def _difference(seat: SeatVoided) -> int:
    """Return what the player still gets, or less than zero for what is asked back."""
    return seat.to_game - seat.owed
