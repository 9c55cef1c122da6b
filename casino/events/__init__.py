"""The event store: append, read, seal, subscribe, verify. It knows names and bytes, never a card or a chip."""
