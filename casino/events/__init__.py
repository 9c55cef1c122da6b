"""The event store: append, read, seal, subscribe, verify. It knows nothing of the game."""
