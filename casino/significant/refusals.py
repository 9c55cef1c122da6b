"""Why a remark on a significant event is refused."""

from typing import ClassVar

from casino.kernel.errors import Refusal, RefusalKind


class AlreadyAcknowledged(Refusal):
    """Somebody was there before, or the event never waited for anyone."""

    code: ClassVar[str] = "already_acknowledged"
    kind: ClassVar[RefusalKind] = RefusalKind.CONFLICT
    title: ClassVar[str] = "Nobody needs to acknowledge this any more"
    remedy: ClassVar[str] = "Add a note instead."


class NoteIsEmpty(Refusal):
    """A note of no words."""

    code: ClassVar[str] = "note_empty"
    kind: ClassVar[RefusalKind] = RefusalKind.INVALID
    title: ClassVar[str] = "A note needs words"
    remedy: ClassVar[str] = "Write what there is to say."


class InvalidThreshold(Refusal):
    """A threshold of nothing, or of more than any amount can be."""

    code: ClassVar[str] = "invalid_threshold"
    kind: ClassVar[RefusalKind] = RefusalKind.INVALID
    title: ClassVar[str] = "A threshold is more than nothing"
    remedy: ClassVar[str] = "Give positive amounts."
