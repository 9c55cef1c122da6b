"""The event log: events, chain heads, checkpoints and subscribers; and timelines of streams for other pages."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.db.models import OuterRef, Q, Subquery
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce
from django.db.models.lookups import In
from django.http import HttpRequest
from django.utils.safestring import SafeString

from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin, as_number, as_uuid
from casino.backoffice.columns import InstallationAdmin, column, time_column
from casino.backoffice.filters import case_filter, since_by_serial
from casino.backoffice.sections import Facts, Grid, Section, TemplateSection
from casino.checkpoints import queries, records
from casino.checkpoints.models import Checkpoint
from casino.events import store
from casino.events.models import ChainHead, Event, Seal, Subscription, Unsealed
from casino.events.records import RecordedEvent
from wallet.models import Account

MAX_EVENTS: Final = 300
"""Events of one stream that a page shows; its list shows the others."""


@admin.register(ChainHead)
class ChainHeadAdmin(InstallationAdmin):
    """The head of the hash chain after each pass of the sealer, newest first. Found by position."""

    list_display = ("numbered", "digest_", "sealed")
    search_help_text = "position"
    numbered = column("position", lambda head: f"#{head.position}")
    digest_ = column("digest", lambda head: html.code(bytes(head.digest).hex()))
    sealed = time_column("sealed_at", "sealed", fine=True)

    def title_of(self, obj: ChainHead) -> str:
        return f"Chain head #{obj.position}"

    def sections(self, _request: HttpRequest, obj: ChainHead) -> Sequence[Section]:
        """Compare a head with the seal at its position."""
        seal = Seal.objects.filter(position=obj.position).first()
        digest = None if seal is None else bytes(seal.digest).hex()
        agrees = digest == bytes(obj.digest).hex()
        facts = self.facts(
            obj,
            ("Position", f"#{obj.position}"),
            ("Digest noted", self.digest_(obj)),
            ("Digest in the log", html.badge("missing", "bad") if digest is None else html.code(digest)),
            ("Result", html.badge("agree", "good") if agrees else html.badge("the log was changed", "bad")),
            "sealed",
            ("Event", seal and html.page("event", seal.event_id)),
            title="Chain head",
        )
        return (facts,)


@admin.register(Subscription)
class SubscriptionAdmin(ReadOnlyAdmin):
    """Positions of the log's subscribers."""

    list_display = ("name", "position")
    ordering = ("name",)
    search_help_text = "name"

    def title_of(self, obj: Subscription) -> str:
        return obj.name

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Reserve subscribers, which read for every operator, to superusers."""
        return Q(pk__in=())

    def sections(self, _request: HttpRequest, obj: Subscription) -> Sequence[Section]:
        """Show how far a subscriber is behind the log."""
        head = Seal.objects.order_by("-position").values_list("position", flat=True).first() or 0
        read, last = ("Has read to", f"#{obj.position}"), ("Head of the log", f"#{head}")
        return [self.facts(obj, "name", read, last, ("Behind by", f"{head - obj.position} events"))]


@admin.register(Checkpoint)
class CheckpointAdmin(InstallationAdmin):
    """Signed checkpoints, newest first. Found by size."""

    list_display = ("sized", "root_", "signed")
    ordering = ("-size",)
    sized = column("events", lambda checkpoint: f"#{checkpoint.size}")
    root_ = column("root", lambda checkpoint: html.code(bytes(checkpoint.root).hex()))
    signed = time_column("made_at", "signed")

    def sections(self, _request: HttpRequest, obj: Checkpoint) -> Sequence[Section]:
        """Show what was signed, and whether the log still agrees with it."""
        checkpoint = records.find(obj.size)
        note = "" if checkpoint is None else checkpoint.cosigned
        return (
            self.facts(obj, ("Events", obj.size), ("Root", self.root_(obj)), "signed", title="Checkpoint"),
            TemplateSection("Signed note", "admin/casino/json.html", {"text": note}),
            Facts("Checks", () if checkpoint is None else _checks(checkpoint)),
        )


def _checks(checkpoint: records.SignedCheckpoint) -> tuple[tuple[str, SafeString], ...]:
    result = queries.checkpoint_status(checkpoint)
    copied = html.badge("copied", "good") if result.copied else html.badge("not copied yet", "warn")
    signed = None if result.signed_by is None else bool(result.signed_by)
    return (
        ("Root", _badge(result.matches_log, "agrees with the log", "the log was changed")),
        ("Signature", _badge(signed, f"by the trusted key {result.signed_by}", "not by a trusted key")),
        ("External copy, of it or a newer one", copied),
    )


def _badge(holds: bool | None, good: str, bad: str) -> SafeString:  # noqa: FBT001  (a result)
    if holds is None:
        return html.badge("no key to check with here")
    return html.badge(good, "good") if holds else html.badge(bad, "bad")


def sealed_position(position: int | None) -> SafeString | str:
    """Print the position of an event, or that it waits."""
    return html.badge("waiting", "warn") if position is None else f"#{position}"


_BEFORE: Final = Event.objects.filter(
    stream=OuterRef("stream"), version__lt=OuterRef("version"), metadata__isnull=False
).order_by("-version")
_METADATA: Final = Coalesce("metadata", Subquery(_BEFORE.values("metadata")[:1]))


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    """Every event, newest first. Found by id, position, stream, or the id of a table, a round or a player."""

    list_display = ("type", "stream_link", "version", "recorded", "sealed")
    list_filter = (
        since_by_serial("events_event"),
        case_filter("seal", {"waiting": ("Waiting for sealing", Q(id__in=Unsealed.objects.values("event_id")))}),
    )
    annotations = {
        "position": Subquery(Seal.objects.filter(event_id=OuterRef("pk")).values("position")),
        "metadata_of_append": _METADATA,
    }
    shows_latest_only = True
    search_help_text = "id, sealed position, stream, or the id of a round, a table or a player"
    stream_link = column("stream", lambda event: html.stream(event.stream))
    recorded = time_column("recorded_at", "recorded", fine=True)
    sealed = column("position", lambda event: sealed_position(event.position))

    def title_of(self, obj: Event) -> str:
        return f"{obj.type}, event {obj.pk}"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        return Q(In(KeyTextTransform("operator", _METADATA), [str(operator) for operator in operators]))

    def search_condition(self, term: str) -> Q | None:
        """Search for a number among ids and positions, and for anything else among streams."""
        number, identity = as_number(term), as_uuid(term)
        if number is not None:
            return Q(pk=number) | Q(pk__in=Seal.objects.filter(position=number).values("event_id"))
        if identity is not None:
            return Q(stream__in=_streams_about(identity))
        return Q(stream=term)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Show an event in full: facts, seal, what was recorded with it, data, metadata."""
        facts = (
            ("Type", f"{obj.type}, schema {obj.schema}"),
            ("Stream", html.stream(obj.stream)),
            ("Version", f"{obj.version}"),
            ("Id", str(obj.pk)),
            ("Transaction", str(obj.transaction)),
            ("Recorded", self.recorded(obj)),
            ("See also", html.event_log(obj.stream, "all events of this stream")),
        )
        return (
            Facts("Event", facts),
            Facts("Seal", _seal(obj.pk)),
            self._transaction(request, obj),
            _json("Data as stored, amounts in minor units", obj.data),
            _json("Metadata", obj.metadata_of_append),
        )

    def _transaction(self, request: HttpRequest, obj: Any) -> Grid:
        """Show the sealed events of the same transaction, which are neighbours, that this member of staff may see."""
        position = obj.position or 0
        near = Seal.objects.filter(position__range=(position - MAX_EVENTS, position + MAX_EVENTS))
        events = self.get_queryset(request).filter(transaction=obj.transaction, pk__in=near.values("event_id"))
        rows = [
            (html.page("event", event.pk, event.type), html.stream(event.stream), event.version, self.sealed(event))
            for event in events.order_by("position")
        ]
        return Grid("Recorded in one transaction", ("Event", "Stream", "Version", "Position"), rows)


def _streams_about(identity: UUID) -> list[str]:
    """Return the names that streams about a round, a table, a player … with this id may have."""
    currencies = Account.objects.filter(player_id=identity).values_list("currency", flat=True).distinct()
    return [
        *(f"{kind.replace('_', '-')}-{identity}" for kind in html.PAGES),
        *(f"{kind}-{identity}-{currency}" for kind in ("wallet", "limit") for currency in currencies),
    ]


def _seal(event: int) -> list[tuple[str, object]]:
    seal = Seal.objects.filter(event_id=event).first()
    if seal is None:
        return [("Position", html.badge("Waiting for sealing", "warn"))]
    previous = Seal.objects.filter(position=seal.position - 1).first()
    return [
        ("Position", f"#{seal.position}"),
        ("Digest", html.code(bytes(seal.digest).hex())),
        ("Previous digest", html.NOTHING if previous is None else html.code(bytes(previous.digest).hex())),
    ]


def _json(title: str, value: Any) -> TemplateSection:
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False)
    return TemplateSection(title, "admin/casino/json.html", {"text": text})


def positions(events: Sequence[int]) -> Mapping[int, int]:
    """Return the sealed positions of events, by event id; those that wait are left out."""
    return dict(Seal.objects.filter(event_id__in=events).values_list("event_id", "position"))


def timeline(title: str, events: Sequence[RecordedEvent], sentences: Mapping[int, str]) -> Grid:
    """Show events with their sentences, by event id, with version, time and sealed position."""
    sealed = positions([event.id for event in events])
    rows = [
        (
            str(event.version),
            html.moment(event.recorded_at, fine=True),
            sentences[event.id],
            html.page("event", event.id, event.type),
            sealed_position(sealed.get(event.id)),
        )
        for event in events
    ]
    headers = ("Version", "Time", "Description", "Event", "Position")
    return Grid(title, headers, rows, empty="No events.")


def latest_events(stream: str) -> list[RecordedEvent]:
    """Read the last MAX_EVENTS events of a stream, in order."""
    last = Event.objects.filter(stream=stream).order_by("-version").values_list("version", flat=True).first() or 0
    return store.read(stream, after=max(0, last - MAX_EVENTS))
