"""Append the wallet's events and post the entries that follow from them, in the caller's transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, get_args

from casino.events.codec import EventRegistry, EventType
from casino.events.store import Append, Metadata, append, read
from wallet.ledger import events, store
from wallet.ledger.entries import NewEntry
from wallet.ledger.events import WalletEvent


@dataclass(frozen=True, slots=True)
class EventGroup:
    """The events of one part of the wallet, and the function that turns one into its entry, if it moves money."""

    registry: EventRegistry
    entry_for: Callable[[Any, int], NewEntry | None]

    def record(self, stream: str, *, version: int, events: Sequence[object], metadata: Metadata) -> None:
        """Append events after `version` of a stream and post their entries.

        Raises VersionConflict, InsufficientFunds.
        """
        encoded = tuple(self.registry.encode(event) for event in events)
        (causes,) = append([Append(stream, version, encoded, metadata)])
        entries = (self.entry_for(event, cause) for event, cause in zip(events, causes, strict=True))
        store.post([entry for entry in entries if entry is not None])

    def history(self, stream: str) -> list[Any]:
        """Read the events of a stream, in order."""
        return [self.registry.decode(event.type, event.schema, event.data) for event in read(stream)]


def event_group(union: Any, entry_for: Callable[[Any, int], NewEntry | None]) -> EventGroup:
    """Group the events of a union of classes."""
    return EventGroup(EventRegistry([EventType(event) for event in get_args(union)]), entry_for)


PLAYER_ACCOUNT_EVENTS: Final = event_group(WalletEvent, events.entry_for)
