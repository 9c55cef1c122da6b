"""Refusals of notes on significant events and of thresholds."""

from casino.kernel.errors import Refusal, RefusalKind


class AlreadyAcknowledged(Refusal):
    """Another person was quicker, or the event needs no acknowledgement."""

    code = "already_acknowledged"
    kind = RefusalKind.CONFLICT
    title = "This does not wait for acknowledgement"
    remedy = "Add a note instead."


class OwnSignificantEvent(Refusal):
    """Whoever did or authorised something doesn't oversee it."""

    code = "own_significant_event"
    kind = RefusalKind.FORBIDDEN
    title = "You did or authorised this yourself"
    remedy = "Ask a colleague in compliance to acknowledge it."


class NoteIsEmpty(Refusal):
    code = "note_empty"
    kind = RefusalKind.INVALID
    title = "A note must not be empty"
    remedy = "Write a note."


class InvalidThreshold(Refusal):
    """A threshold that is not positive, or larger than any amount."""

    code = "invalid_threshold"
    kind = RefusalKind.INVALID
    title = "A threshold must be more than zero"
    remedy = "Give positive amounts."
