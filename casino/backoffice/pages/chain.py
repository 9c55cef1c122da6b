"""Integrity of the event log: chain heads, signed checkpoints, and how far subscribers have read."""

from collections.abc import Collection, Sequence
from uuid import UUID

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.base import InstallationAdmin, ReadOnlyAdmin
from casino.backoffice.columns import column, time_column
from casino.backoffice.sections import Facts, Section
from casino.checkpoints import records, status
from casino.checkpoints.models import Checkpoint
from casino.events.models import ChainHead, Seal, Subscription


@admin.register(ChainHead)
class ChainHeadAdmin(InstallationAdmin):
    """The head of the hash chain after each pass of the sealer, newest first. Found by position."""

    list_display = ("numbered", "digest_", "sealed")
    search_help_text = "position"
    numbered = column("position", lambda head: f"#{head.position}")
    digest_ = column("digest", lambda head: html.code(bytes(head.digest).hex()))
    sealed = time_column("sealed_at", "sealed", fine=True)

    def sections(self, _request: HttpRequest, obj: ChainHead) -> Sequence[Section]:
        """Compare a head with the seal at its position."""
        seal = Seal.objects.filter(position=obj.position).first()
        digest = None if seal is None else bytes(seal.digest).hex()
        agrees = digest == bytes(obj.digest).hex()
        facts = (
            ("Position", f"#{obj.position}"),
            ("Digest noted", self.digest_(obj)),
            ("Digest in the log", html.badge("missing", "bad") if digest is None else html.code(digest)),
            ("Result", html.badge("agree", "good") if agrees else html.badge("the log was changed", "bad")),
            ("Sealed (UTC)", self.sealed(obj)),
            ("Event", html.NOTHING if seal is None else html.page("event", seal.event_id)),
        )
        return (Facts("Chain head", facts),)


@admin.register(Subscription)
class SubscriptionAdmin(ReadOnlyAdmin):
    """How far each subscriber has read."""

    list_display = ("name", "position")
    ordering = ("name",)
    search_help_text = "name"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Reserve subscribers, which read for every operator, to superusers."""
        del operators
        return Q(pk__in=())

    def search_condition(self, term: str) -> Q | None:
        """Search for a subscriber of this name."""
        return Q(pk=term)

    def sections(self, _request: HttpRequest, obj: Subscription) -> Sequence[Section]:
        """Show how far a subscriber is behind the log."""
        head = Seal.objects.order_by("-position").values_list("position", flat=True).first() or 0
        facts = (
            ("Name", obj.name),
            ("Has read to", f"#{obj.position}"),
            ("Head of the log", f"#{head}"),
            ("Behind by", f"{head - obj.position} events"),
        )
        return (Facts("Subscriber", facts),)


@admin.register(Checkpoint)
class CheckpointAdmin(InstallationAdmin):
    """Signed checkpoints, newest first. Found by number."""

    list_display = ("numbered", "events", "key", "signed")
    ordering = ("-number",)
    numbered = column("checkpoint", lambda checkpoint: f"#{checkpoint.number}")
    events = column("events", lambda checkpoint: str(checkpoint.position))
    signed = time_column("made_at", "signed")

    def sections(self, _request: HttpRequest, obj: Checkpoint) -> Sequence[Section]:
        """Show what was signed, and whether the log still agrees with it."""
        facts = (
            ("Number", f"#{obj.number}"),
            ("Events", obj.position),
            ("Head", html.code(bytes(obj.head).hex())),
            ("Root", html.code(bytes(obj.root).hex())),
            ("Previous", html.code(bytes(obj.previous).hex() or html.NOTHING)),
            ("Key", obj.key),
            ("Signature", html.code(bytes(obj.signature).hex())),
            ("Signed (UTC)", html.moment(obj.made_at, fine=True)),
        )
        return Facts("Checkpoint", facts), Facts("Checks", _checks(obj.number))


def _checks(number: int) -> tuple[tuple[str, SafeString], ...]:
    checkpoint = records.find_by_number(number)
    if checkpoint is None:
        return ()
    result = status.checkpoint_status(checkpoint)
    copied = html.badge("copied", "good") if result.copied else html.badge("not copied yet", "warn")
    return (
        ("Root and head", _badge(result.matches_log, "agree with the log", "the log was changed")),
        ("Signature", _badge(result.signature_valid, "by a trusted key", "not by a trusted key")),
        ("External copy", copied),
    )


def _badge(holds: bool | None, good: str, bad: str) -> SafeString:  # noqa: FBT001  (a result)
    if holds is None:
        return html.badge("no key to check with here")
    return html.badge(good, "good") if holds else html.badge(bad, "bad")
