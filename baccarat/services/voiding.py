"""Use cases of staff: void a round, request, approve or decline a void; and the policy on spent winnings.

Malfunction voids all pays and plays (rules, section 4). Each is one transaction, and nothing is erased.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rounds.commands import ApproveVoid, DeclineVoid, PlayerFunds, VoidRound
from baccarat.domain.rounds.refusals import NoVoidRequested, UnknownVoidReason, VoidNoteInvalid
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rounds.void_events import VoidReason
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.storage import repository, shoe_seeds
from baccarat.storage.models import VoidPolicy
from casino.crypto import crypto_shredding
from casino.events.store import Metadata
from casino.significant import recorder
from wallet.ledger import store

MAX_NOTE_LENGTH: Final = 500


def void(*, round_: UUID, operator: UUID, reason: str, note: str, metadata: Metadata) -> RoundState:
    """Void a round in play at once, or request it for a settled round, which another person must approve.

    Returns the new state of the round. `metadata.actor` is the requester. Raises UnknownRound, UnknownVoidReason,
    VoidNoteInvalid, RoundNotVoidable, RoundAlreadyVoided, VoidAlreadyRequested.
    """
    why, said = _reason(reason), _note(note)

    def decide(journal: UnitOfWork, now: datetime) -> None:
        if journal.table.round != round_:
            ended, version = repository.load_ended_round(round_)
            command = VoidRound(by=metadata.actor, reason=why, note=_sealed(said, ended), seed=None, now=now)
            journal.decide_on_ended_round(ended, version, command)
            return
        words = _sealed(said, journal.round)
        seed, burn = _reveal(journal), dealer.max_burned_cards(journal)
        journal.decide_on_round(VoidRound(by=metadata.actor, reason=why, note=words, seed=seed, now=now, burn=burn))
        _end_finished_shoe(journal, now)
        dealer.open_next_round(journal, entropy=repository.draw_entropy(journal), now=now)

    return _at_table_of(round_, operator, metadata, decide)


def approve(*, round_: UUID, operator: UUID, metadata: Metadata) -> RoundState:
    """Approve a void that another person requested, undo the whole round, and return it.

    Raises UnknownRound, NoVoidRequested, VoidNeedsSecondPerson, RoundNotVoidable, RoundAlreadyVoided.
    """

    def decide(journal: UnitOfWork, now: datetime) -> None:
        ended, version = _ended(journal, round_)
        purses = _purses(journal, ended)
        command = ApproveVoid(
            by=metadata.actor, funds=purses, forgive=forgives_spent_winnings(operator=operator), now=now
        )
        journal.decide_on_ended_round(ended, version, command)

    return _at_table_of(round_, operator, metadata, decide)


def decline(*, round_: UUID, operator: UUID, note: str, metadata: Metadata) -> RoundState:
    """Decline a requested void and return the round.

    Raises UnknownRound, NoVoidRequested, VoidNoteInvalid.
    """
    said = _note(note)

    def decide(journal: UnitOfWork, now: datetime) -> None:
        ended, version = _ended(journal, round_)
        journal.decide_on_ended_round(
            ended, version, DeclineVoid(by=metadata.actor, note=_sealed(said, ended), now=now)
        )

    return _at_table_of(round_, operator, metadata, decide)


def set_policy(*, operator: UUID, forgive: bool, actor: str) -> None:
    """Set whether the house bears winnings that were spent before a void, or records them as a debt."""
    with transaction.atomic():
        before = forgives_spent_winnings(operator=operator)
        VoidPolicy.objects.create(operator_id=operator, forgive=forgive, actor=actor)
        recorder.record(
            kind=recorder.SignificantEventKind.CONFIG_CHANGED,
            operator=operator,
            subject=f"operator:{operator}",
            actor=actor,
            reason="What becomes of winnings spent before a void",
            before={"forgive": before},
            after={"forgive": forgive},
        )


def forgives_spent_winnings(*, operator: UUID) -> bool:
    """Return whether the operator's house bears spent winnings; by default they are a debt."""
    return bool(
        VoidPolicy.objects.filter(operator_id=operator).order_by("-id").values_list("forgive", flat=True).first()
    )


def _at_table_of(
    round_: UUID, operator: UUID, metadata: Metadata, decide: Callable[[UnitOfWork, datetime], None]
) -> RoundState:
    with transaction.atomic():
        journal, now = repository.lock_table_of_round(round_=round_, operator=operator)
        decide(journal, now)
        repository.save([(journal, metadata)])
    return journal.changed_rounds[round_][0]


def _ended(journal: UnitOfWork, round_: UUID) -> tuple[RoundState, int]:
    """Return an earlier round. A running round has no request to approve. Raises NoVoidRequested for it."""
    if journal.table.round == round_:
        raise NoVoidRequested
    return repository.load_ended_round(round_)


def _reveal(journal: UnitOfWork) -> str | None:
    """Return the seed of the round's own shoe in hex; a long shoe's stays secret.

    None if it cannot be read: its ciphertext is kept, to be revealed when its key is available again.
    """
    if journal.table.shoe is not None:
        return None
    shoe = journal.round.require_opened().shoe
    seed = shoe_seeds.decrypt([shoe]).get(shoe)
    if seed is None:
        return None
    journal.revealed_shoes.append(shoe)
    return seed.hex()


def _end_finished_shoe(journal: UnitOfWork, now: datetime) -> None:
    """End the shoe if burned cards were its last. If its seed cannot be read, the next round is suspended instead."""
    shoe = journal.table.shoe
    if shoe is None or not shoe.finished:
        return
    seed = shoe_seeds.decrypt([shoe.shoe]).get(shoe.shoe)
    if seed is not None:
        dealer.end_finished_shoe(journal, seed=seed, now=now)


def _purses(journal: UnitOfWork, ended: RoundState) -> tuple[PlayerFunds, ...]:
    """Return the current funds of the round's players: game balances are locked with the table, accounts here."""
    place = repository.accounts_of(journal)
    wagers = ended.confirmed_seats()
    accounts = [place.player(seat.player, seat.money_type) for seat in wagers]
    games = [place.game(seat.player, seat.money_type) for seat in wagers]
    store.lock(accounts)
    balances = store.balances([*accounts, *games])
    purses = []
    for seat, account, game in zip(wagers, accounts, games, strict=True):
        now = journal.table.seat_of(seat.player)
        seated = now is not None and now.money_type is seat.money_type
        rack = now.owed if now is not None and seated else 0
        purses.append(PlayerFunds(seat.player, seat.money_type, seated, balances[game], balances[account], rack))
    return tuple(purses)


def _reason(reason: str) -> VoidReason:
    try:
        return VoidReason(reason)
    except ValueError:
        raise UnknownVoidReason(reasons=[each.value for each in VoidReason]) from None


def _sealed(words: str, state: RoundState) -> str:
    """Encrypt a text that may mention any player in the round; it becomes unreadable when one of them is erased."""
    return crypto_shredding.encrypt_shared_text((seat.player for seat in state.seats), words)


def _note(note: str) -> str:
    words = note.strip()
    if not 1 <= len(words) <= MAX_NOTE_LENGTH or "\0" in words:
        raise VoidNoteInvalid
    return words
