"""Answers of operators' wallets that are no end of what they are about: stored, told, and read again by the desk.

What they are about is sent again meanwhile; once it has an end, they are closed.
"""

import json
from collections.abc import Sequence
from typing import Final
from uuid import UUID

from casino.events.ids import new_id
from casino.events.sql import database_now
from casino.events.store import Metadata
from casino.kernel import strict_json
from wallet.payments import stored_messages
from wallet.payments.deposits import APPLIED, NO_CHANGE
from wallet.payments.stored_messages import UNREADABLE, StoredMessage
from wallet.remote import records
from wallet.remote import state as machine
from wallet.remote.client import endpoint
from wallet.remote.events import RemoteEvent
from wallet.remote.messages import WalletOrder, WalletReply, order_of
from wallet.remote.records import Decided
from wallet.remote.state import ENDED, Answer, RefusedAnswer, RemoteState, UnclearAnswer
from wallet.remote.statements import PROVIDER

OVERTAKEN: Final = "overtaken"
"""Outcome of an answer to a debit that is taken back meanwhile."""


def keep(order: WalletOrder, transaction: UUID, reply: WalletReply) -> None:
    """Store an answer to an order that leaves its transaction open, once for what it says of money, and tell staff."""
    if reply.said and isinstance(reply.answer, RefusedAnswer | UnclearAnswer):
        stored_messages.keep_answer(
            json.dumps(reply.said).encode(),
            provider=PROVIDER,
            payment=transaction,
            about=order.transaction,
            outcome=_outcome(reply.answer),
        )


def end(transactions: Sequence[UUID]) -> None:
    """Close what is stored about transactions that have an end now."""
    stored_messages.end(provider=PROVIDER, payments=transactions)


def apply_again(transaction: UUID, *, metadata: Metadata) -> list[str]:
    """Read again what is left of the answers about a transaction; return why some are left, each reason once."""
    state, version = records.load([transaction])[transaction]
    why = set()
    for message in stored_messages.left(provider=PROVIDER, payment=transaction):
        outcome, events = _read_again(message, state)
        if events:
            now = database_now()
            records.write([Decided(state, version, events, metadata)], now=now)
            state, version = machine.fold(events, state), version + len(events)
        stored_messages.note_outcome(message, outcome)
        if outcome not in stored_messages.ENDED:
            why.add(outcome)
    return sorted(why)


def _read_again(message: StoredMessage, state: RemoteState) -> tuple[str, tuple[RemoteEvent, ...]]:
    """Return the outcome of an answer as it is read now, and the events that follow from it."""
    if state.status in ENDED:
        return NO_CHANGE, ()
    order = order_of(state, repeated=True)
    if not message.is_answer_to(order.transaction):
        return OVERTAKEN, ()
    try:
        said = strict_json.decode(message.text().encode())
    except strict_json.NotStrictJson:
        return UNREADABLE, ()
    answer = endpoint(state.requested.party.operator).vocabulary.read_item(said, order).answer
    now = database_now()
    events = machine.follow(state, answer, rollback=new_id(now), at=now)
    return (APPLIED if events else _outcome(answer)), events


def _outcome(answer: Answer) -> str:
    return f"refused_{answer.code}" if isinstance(answer, RefusedAnswer) else UNREADABLE
