"""Refusals of notes on significant events and of thresholds."""

from casino.kernel.errors import Forbidden, Invalid, Refusal


class AlreadyAcknowledged(Refusal):
    """Another person was quicker, or the event needs no acknowledgement."""

    title = "This does not wait for acknowledgement"
    remedy = "Add a note instead."


class OwnSignificantEvent(Forbidden):
    """Whoever did or authorised something doesn't oversee it."""

    title = "You did or authorised this yourself"
    remedy = "Ask a colleague in compliance to acknowledge it."


class NoteIsEmpty(Invalid):
    code = "note_empty"
    title = "A note must not be empty"
    remedy = "Write a note."


class InvalidThreshold(Invalid):
    """A threshold that is not positive, or larger than any amount."""

    title = "A threshold must be more than zero"
    remedy = "Give positive amounts."
