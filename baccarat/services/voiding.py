"""Use cases of staff: void a round, alone or as two persons; and the policy on spent winnings.

Malfunction voids all pays and plays (rules, section 4). Each is one transaction, and nothing is erased.
"""

from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat import acts
from baccarat.domain import dealer
from baccarat.domain.rounds import voiding
from baccarat.domain.rounds.events import VoidReason
from baccarat.domain.rounds.refusals import UnknownVoidReason, VoidNeedsSecondPerson, VoidNoteInvalid
from baccarat.domain.rounds.state import RoundSeat, RoundState
from baccarat.domain.rounds.voiding import ANSWER_LIMIT, BY_LIMIT, PlayerFunds, needs_second_person
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services import wagering
from baccarat.storage import repository, shoe_seeds
from baccarat.storage.models import Round, VoidPolicy
from casino.crypto import crypto_shredding
from casino.events.store import Metadata
from casino.kernel.text import require
from casino.operators import changes
from casino.operators.changes import ChangeKind, Move
from casino.operators.models import Change, ChangeName
from casino.significant import act_log
from wallet.ledger import store as ledger

KIND: Final = ChangeName.VOID
MAX_NOTE_LENGTH: Final = 500
UNANSWERED: Final = "The table's witnesses did not answer in time."
"""The note of a void by limit, written as it is: it mentions nobody, and workers have no key of players' data."""


def void(*, round_: UUID, operator: UUID, reason: str, note: str, metadata: Metadata) -> Change | None:
    """Void a round in play at once, or request the change if cards may be known, which another person must confirm.

    Cards may be known after the settlement, once a Caller has looked, and while links are waited for: a witness may
    have given out its link already. Returns the change that waits. `metadata.actor` is the requester. Raises
    UnknownRound, UnknownVoidReason, VoidNoteInvalid, RoundNotVoidable, RoundAlreadyVoided, ChangeAlreadyRequested,
    ChangeNeedsSecondPerson.
    """
    void_reason, note = _parse_reason(reason), _parse_note(note)
    state, _ = repository.load_round(round_)  # an archive is asked before the transaction
    text = _encrypt(note, state)
    try:
        _void(round_, operator, reason=void_reason, note=text, approved_by=None, metadata=metadata)
    except VoidNeedsSecondPerson:
        number = state.require_opened().number
        return changes.request(
            operator=operator,
            kind=KIND,
            subject=f"round:{round_}",
            summary=f"Void round {number}: {reason.replace('_', ' ')}",
            details={"reason": void_reason.value, "note": text},
            by=metadata.actor,
        )
    return None


def register() -> None:
    """Register what two persons may change here."""
    changes.register(ChangeKind(KIND, acts.APPROVE_VOID, _apply, silent=True, shown=True, alone=True, moves=_moves))


def _moves(change: Change) -> list[Move]:
    """Return what a void takes from each player of the round or gives back: stakes that lie, or a settled result."""
    round_ = Round.objects.get(pk=change.subject.removeprefix("round:"))
    state, _ = repository.load_round(round_.pk)
    return [Move(seat.player, _given_back(seat), round_.currency) for seat in state.confirmed_seats()]


def _given_back(seat: RoundSeat) -> int:
    settled = seat.settlement
    return sum((seat.stakes or {}).values()) if settled is None else settled.staked - settled.returned


def _apply(change: Change) -> None:
    """Undo the whole round; one that is still in play gives its stakes back."""
    _void(
        UUID(change.subject.removeprefix("round:")),
        changes.operator_of(change),
        reason=VoidReason(change.details["reason"]),
        note=change.details["note"],
        approved_by=change.decided_by,
        metadata=changes.metadata(change),
    )


@transaction.atomic
def _void(
    round_: UUID, operator: UUID, *, reason: VoidReason, note: str, approved_by: str | None, metadata: Metadata
) -> None:
    uow, now = repository.lock_table_of_round(round_=round_, operator=operator)
    decide = partial(
        voiding.void_round, by=metadata.actor, reason=reason, note=note, at=now, approved_by=approved_by,
        forgive=forgives_spent_winnings(operator=operator),
    )  # fmt: skip
    if uow.table.round == round_:
        if approved_by is None and needs_second_person(uow.round):
            raise VoidNeedsSecondPerson
        seed, burn = _reveal(uow), dealer.max_burned_cards(uow)
        entropy = repository.draw_entropy(uow, now=now, seeds={}, sealed_head=repository.read_sealed_head())
        closing = dealer.closing_inputs(uow, entropy)
        uow.on_round(decide, seed=seed, burn=burn, closing=closing, rules=uow.table.rules)
        _go_on(uow, now)
    else:
        ended, version = repository.load_round(round_)
        uow.on_ended_round(ended, version, decide, funds=_load_funds(uow, ended))
    wagering.save_and_return([(uow, metadata)], now=now)


def void_unanswered() -> int:
    """Void rounds whose witnesses have not answered within the limit; return how many.

    Their closings stay open: when a witness answers, its link shows what would have been.
    """
    return sum(_void_if_unanswered(table, operator) for table, operator in repository.list_unanswered(ANSWER_LIMIT))


@transaction.atomic
def _void_if_unanswered(table: UUID, operator: UUID) -> bool:
    uow, now = repository.lock_table(table=table, operator=operator)
    if not uow.round.awaits_links() or uow.round.closed_at is None or now < uow.round.closed_at + ANSWER_LIMIT:
        return False
    seed, burn = _reveal(uow), dealer.max_burned_cards(uow)
    uow.on_round(voiding.void_unanswered, note=UNANSWERED, seed=seed, at=now, burn=burn)
    _go_on(uow, now)
    wagering.save_and_return([(uow, Metadata(operator=str(operator), actor=BY_LIMIT, causation="limit"))], now=now)
    return True


def set_policy(*, operator: UUID, forgive: bool, actor: str) -> None:
    """Set whether the house bears winnings that were spent before a void, or records them as a debt."""
    with transaction.atomic():
        before = forgives_spent_winnings(operator=operator)
        VoidPolicy.objects.create(operator_id=operator, forgive=forgive, actor=actor)
        act_log.done(
            acts.SET_VOID_POLICY.name,
            operator=operator,
            subject=f"operator:{operator}",
            actor=actor,
            reason="Policy on winnings spent before a void",
            before={"forgive": before},
            after={"forgive": forgive},
        )


def forgives_spent_winnings(*, operator: UUID) -> bool:
    """Return whether the operator's house bears spent winnings; by default they are a debt."""
    return bool(
        VoidPolicy.objects.filter(operator_id=operator).order_by("-id").values_list("forgive", flat=True).first()
    )


def _go_on(uow: UnitOfWork, now: datetime) -> None:
    """Let the table go on after its round in play was voided."""
    _end_finished_shoe(uow, now)
    dealer.open_next_round(uow, entropy=repository.draw_entropy(uow, now=now), now=now)


def _reveal(uow: UnitOfWork) -> str | None:
    """Return the seed of the round's drawing in hex; a long shoe's stays secret.

    None if it cannot be read: its ciphertext is kept, to be revealed when its key is available again.
    """
    shoe = uow.round.require_opened().shoe
    seed = shoe_seeds.decrypt([shoe]).get(shoe)
    if seed is None:
        return None
    if uow.table.shoe is None:
        uow.revealed_shoes.append(shoe)
    return dealer.seed_revealed_by_round(uow, seed)


def _end_finished_shoe(uow: UnitOfWork, now: datetime) -> None:
    """End the shoe if burned cards were its last. If its seed cannot be read, the next round is suspended instead."""
    shoe = uow.table.shoe
    if shoe is None or not shoe.finished:
        return
    seed = shoe_seeds.decrypt([shoe.shoe]).get(shoe.shoe)
    if seed is not None:
        dealer.end_finished_shoe(uow, seed=seed, now=now)


def _load_funds(uow: UnitOfWork, ended: RoundState) -> tuple[PlayerFunds, ...]:
    """Return the current funds of the round's players: game balances are locked with the table, accounts here."""
    table_accounts = repository.accounts_of(uow)
    seats = ended.confirmed_seats()
    accounts = [table_accounts.player(seat.player, seat.money_type) for seat in seats]
    game_accounts = [table_accounts.game(seat.player, seat.money_type) for seat in seats]
    ledger.lock(accounts)
    balances = ledger.balances([*accounts, *game_accounts])
    funds = []
    for seat, account, game_account in zip(seats, accounts, game_accounts, strict=True):
        current = uow.table.seat_of(seat.player)
        seated = current is not None and current.money_type is seat.money_type
        rack = current.owed if current is not None and seated else 0
        funds.append(PlayerFunds(seat.player, seat.money_type, seated, balances[game_account], balances[account], rack))
    return tuple(funds)


def _parse_reason(reason: str) -> VoidReason:
    try:
        return VoidReason(reason)
    except ValueError:
        raise UnknownVoidReason(reasons=[member.value for member in VoidReason]) from None


def _encrypt(text: str, state: RoundState) -> str:
    """Encrypt a text that may mention any player in the round; it becomes unreadable when one of them is erased."""
    return crypto_shredding.encrypt_shared_text((seat.player for seat in state.seats), text)


def _parse_note(note: str) -> str:
    return require(note, limit=MAX_NOTE_LENGTH, refusal=VoidNoteInvalid)
