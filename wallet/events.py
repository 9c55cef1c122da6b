"""Every event of the wallet and the entry that follows from it, for the audit and the compliance mapping."""

from typing import Final

from casino.events.codec import EventRegistry
from wallet.adjustments.records import ADJUSTMENT_EVENTS
from wallet.funding.services import FUNDING_EVENTS
from wallet.ledger.entries import NewEntry
from wallet.ledger.player_accounts import PLAYER_ACCOUNT_EVENTS
from wallet.ledger.store import EventGroup
from wallet.payments.records import PAYMENT_EVENTS
from wallet.reconciliation.records import RECONCILIATION_EVENTS
from wallet.remote.records import REMOTE_EVENTS
from wallet.responsible_gaming.projection import RESPONSIBLE_GAMING_EVENTS
from wallet.transfers.records import TRANSFER_EVENTS

GROUPS: Final = (
    PLAYER_ACCOUNT_EVENTS,
    PAYMENT_EVENTS,
    ADJUSTMENT_EVENTS,
    RESPONSIBLE_GAMING_EVENTS,
    RECONCILIATION_EVENTS,
    FUNDING_EVENTS,
    TRANSFER_EVENTS,
    REMOTE_EVENTS,
)
_GROUP_OF: Final[dict[type, EventGroup]] = {event: group for group in GROUPS for event in group.registry.events}
EVENTS: Final = frozenset(_GROUP_OF)
"""Every class of event that the wallet writes."""
CATALOGUE: Final = EventRegistry(kind for group in GROUPS for kind in group.registry.types)


def entry_for(event: object, cause: int) -> NewEntry | None:
    """Return the entry that follows from a wallet event with id `cause`, or None where no money moves.

    Raises TypeError for an event of another part.
    """
    group = _GROUP_OF.get(type(event))
    if group is None:
        raise TypeError(f"{type(event).__name__} is not an event of the wallet.")
    return group.entry_for(event, cause)
