"""A transfer's event, entry and row: written together, and the rows rebuilt from events."""

from typing import Final

from casino.events.codec import EventRegistry, EventType
from casino.events.projections import ProjectionTable, Row, stream_histories
from casino.events.rebuild import Events, Projector
from casino.events.store import Metadata
from wallet.ledger.store import EventGroup
from wallet.models import Transfer
from wallet.transfers.events import MoneyTransferred, entry_for, transfer_stream

TRANSFER_EVENTS: Final = EventGroup(EventRegistry([EventType(MoneyTransferred)]), entry_for)
TRANSFERS: Final = ProjectionTable.of(Transfer)


def write(event: MoneyTransferred, *, metadata: Metadata) -> None:
    """Record a transfer with its entry and its row. Raises InsufficientFunds."""
    TRANSFER_EVENTS.record(transfer_stream(event.transfer), version=0, events=[event], metadata=metadata)
    TRANSFERS.upsert([transfer_row(event)])


def transfer_row(event: MoneyTransferred) -> Row:
    return TRANSFERS.row(
        id=event.transfer,
        operator_id=event.operator,
        player_id=event.player,
        reference=event.reference,
        direction=event.direction.value,
        money_type=event.money_type.value,
        currency=event.currency,
        amount=event.amount,
        everything=event.everything,
        balance=event.balance,
        at=event.at,
    )


def _project(events: Events) -> None:
    histories = stream_histories(TRANSFER_EVENTS.registry, events, "MoneyTransferred")
    TRANSFERS.upsert([transfer_row(event) for history in histories for event in history])


PROJECTOR: Final = Projector({TRANSFERS.table: "id"}, _project)
"""Derives the projection from the events."""
