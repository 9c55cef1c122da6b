"""Checkpoints in the admin, each beside the log as it is now."""

from collections.abc import Collection, Sequence
from uuid import UUID

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_number
from casino.backoffice.sections import Facts, Section
from casino.checkpoints import records, status
from casino.checkpoints.models import Checkpoint


@admin.register(Checkpoint)
class CheckpointAdmin(ReadOnlyAdmin):
    """What was signed of the log, newest first. Found by number."""

    list_display = ("numbered", "held", "key", "time")
    ordering = ("-number",)
    search_help_text = "number"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Let everyone who may look at checkpoints look at all: they are digests, and nobody's."""
        del operators
        return Q()

    def found_by(self, term: str) -> Q | None:
        """Look for a number."""
        number = as_number(term)
        return None if number is None else Q(pk=number)

    @admin.display(description="checkpoint")
    def numbered(self, checkpoint: Checkpoint) -> str:
        return f"#{checkpoint.number}"

    @admin.display(description="events")
    def held(self, checkpoint: Checkpoint) -> int:
        """How many events its tree holds."""
        return checkpoint.position

    @admin.display(description="signed (UTC)")
    def time(self, checkpoint: Checkpoint) -> SafeString | str:
        """When it was signed."""
        return html.moment(checkpoint.made_at)

    def sections(self, request: HttpRequest, obj: Checkpoint) -> Sequence[Section]:
        """Show what was signed, and whether the log still has it."""
        del request
        facts = (
            ("Number", f"#{obj.number}"),
            ("Events", obj.position),
            ("Head", html.code(bytes(obj.head).hex())),
            ("Root", html.code(bytes(obj.root).hex())),
            ("Before it", html.code(bytes(obj.previous).hex() or html.NOTHING)),
            ("Key", obj.key),
            ("Signature", html.code(bytes(obj.signature).hex())),
            ("Signed (UTC)", html.moment(obj.made_at, fine=True)),
        )
        return Facts("Checkpoint", facts), Facts("Beside the log", _verdicts(obj.number))


def _verdicts(number: int) -> tuple[tuple[str, SafeString], ...]:
    found = records.find_by_number(number)
    if found is None:
        return ()
    stands = status.checkpoint_status(found)
    return (
        ("Root and head", _badge(stands.matches_log, "agree", "the log was changed")),
        ("Signature", _badge(stands.signature_valid, "by a trusted key", "not by a key that is trusted")),
        ("Outside", html.badge("copied", "good") if stands.copied else html.badge("not copied yet", "warn")),
    )


def _badge(right: bool | None, good: str, bad: str) -> SafeString:  # noqa: FBT001  (a verdict)
    if right is None:
        return html.badge("no key to check with here", "plain")
    return html.badge(good, "good") if right else html.badge(bad, "bad")
