"""Every event of the chat that this service stores, with its schema."""

from typing import Final, get_args

from baccarat.chat.events import ChatEvent
from casino.events.codec import EventRegistry, EventType

CATALOGUE: Final = EventRegistry(EventType(event) for event in get_args(ChatEvent))
