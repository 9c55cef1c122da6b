"""Feed types: which events operators learn of, and in what shape.

An item's data is declared once, by those of the event's own fields that are PUBLISHED: amounts become decimal strings,
and facts that the event does not repeat (a round's table, a table's currency) are added. The JSON Schema, the
documents and the items themselves all follow from that. Apps register their sources in AppConfig.ready().
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, get_args, get_type_hints
from uuid import UUID

import msgspec

from casino.api.shapes import Shape
from casino.events.codec import EventRegistry
from casino.events.records import SealedEvent
from casino.feed.derivation import Derivation
from casino.kernel.event_amounts import format_amounts
from casino.operators import change as lifecycle
from casino.operators.changes import CHANGE_EVENTS
from casino.operators.sessions import SessionEnded, SessionStarted
from casino.significant.recorder import SignificantEventRaised

PUBLISHED: Final = frozenset(
    {
        "about", "action", "adjustment", "amount", "announced_at", "answer", "answer_by", "approvals_required", "at",
        "balance", "banker_total", "banned_at", "before", "betting_opens_at", "blind", "brand", "brands", "burn",
        "burned_count", "buy_in", "cards_dealt", "case", "chain", "change", "changed_at", "closed_at", "closing",
        "code", "collected", "commission", "commission_collected", "commitment", "committed_at", "concerns",
        "confirm_from", "confirmed_at", "conformance", "contribution", "contributions", "cosigned", "credited",
        "currency", "cut", "cut_cards_from_end", "day", "deadline_at", "debit", "decks", "deferred", "deposit",
        "direction", "discrepancies", "discrepancy", "due_at", "edge_accepted", "effective_at", "effective_from",
        "ended_at", "ended_by", "event", "everything", "expires_at", "fee", "first_round", "fixed_order", "forgiven",
        "found", "from_account", "from_game", "from_rack", "from_seat", "funding", "index", "kind", "lapsed_at",
        "last_seen_at", "left_at", "limit", "limit_type", "listed", "made_at", "matched", "message", "method",
        "method_version", "minutes", "missed", "money_type", "money_types", "muted_at", "name", "natural",
        "next_change_at", "next_shoe", "nonce", "number", "opened_at", "our_amount", "our_status", "ours", "outcome",
        "owed", "payment", "period", "persons", "player", "player_total", "profile", "provider", "public_key",
        "raised", "reason", "rebought_at", "reference", "released_at", "report", "reported_at", "reporter", "request",
        "resolution", "result", "results", "resumed_at", "returned", "rollback", "root", "round", "rows", "rules",
        "rules_label", "run", "scheme", "scope", "sealed_head", "seat", "seats", "seed", "seeds", "session_started_at",
        "settled_at", "severity", "sha256", "shape", "shoe", "signature", "since", "size", "spot", "stake", "staked",
        "stakes", "started_at", "stopped_at", "subject", "suspended_at", "table", "taken", "taken_at", "terms",
        "their_currency", "their_status", "theirs", "to_account", "to_game", "to_seat", "transaction", "transfer",
        "turned_card", "type", "types", "unbanned_at", "unmuted_at", "until", "version", "voided_at", "wager",
        "wallet_url", "was_paid", "was_settled", "withdrawal", "witnesses", "won",
    }
)  # fmt: skip
"""Fields of events that items have. Any other stays in the house: texts, who of the staff acted, and what is new."""
Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedType:
    """One type of item. `subject` is what it is about, with fields of the data in braces.

    `facts` are added fields and their types: of the stream, or those that `derive` takes from the event itself. With
    `each`, every line of that field becomes an item of its own.
    """

    event: type
    name: str
    subject: str
    summary: str
    app: str
    version: int = 1
    each: str = ""
    without: frozenset[str] = frozenset()
    facts: Mapping[str, Any] = field(default_factory=dict)
    derive: Callable[[Any], Facts] = field(default=lambda _: {})
    data: type[Shape] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "data", _derive_data(self))

    @property
    def full_name(self) -> str:
        """Return the type as CloudEvents has it, such as `baccarat.round.settled.v1`."""
        return f"{self.app}.{self.name}.v{self.version}"

    def items(self, event: Any, facts: Facts) -> Iterator[tuple[str, bytes]]:
        """Yield subject and data of the items of one event. Raises msgspec.ValidationError."""
        values = {**facts, **self._told(msgspec.to_builtins(event)), **self.derive(event)}
        for line in values[self.each] if self.each else ({},):
            full = _minutes_as_text({**values, **self._told(line)})
            data = msgspec.convert(format_amounts(full, full.get("currency") or ""), self.data)
            yield self.subject.format_map(full), _encode(data)

    def _told(self, values: Facts) -> Facts:
        return {name: value for name, value in values.items() if name not in self.without}


@dataclass(frozen=True, slots=True)
class FeedSource:
    """The types of one app. `load_facts` returns, by stream, what the data of its events needs beside them."""

    registry: EventRegistry
    types: Sequence[FeedType]
    load_facts: Callable[[Sequence[SealedEvent]], Mapping[str, Facts]]


@dataclass(frozen=True, slots=True)
class ItemMissing:
    """An event that can't be read, so that it has no items of these types. `about` is its stream, such as `round-…`."""

    about: str
    types: tuple[str, ...]


_sources: Final[list[FeedSource]] = []
_announced: Final[dict[str, FeedType]] = {}
type_names: Final[list[str]] = []
"""The full names of all types, in alphabetical order. Shapes name this list, so that it is filled in place."""
_encode: Final = msgspec.json.Encoder().encode


def register(*sources: FeedSource) -> None:
    """Add an app's types; call it in AppConfig.ready()."""
    _sources.extend(sources)
    type_names[:] = feed_types()


def register_announced(*types: FeedType) -> None:
    """Add types whose facts are announced (see casino.events.announcements); call it in AppConfig.ready()."""
    _announced.update({each.event.__name__: each for each in types})
    type_names[:] = feed_types()


def announced_types() -> Mapping[str, FeedType]:
    """Return the types of announced facts, by the names of their dataclasses."""
    return _announced


def feed_sources() -> Sequence[FeedSource]:
    return _sources


def feed_types() -> dict[str, FeedType]:
    """Return all types by their full names, in alphabetical order."""
    sealed = (each for source in _sources for each in source.types)
    return dict(sorted((each.full_name, each) for each in (MISSING, *sealed, *_announced.values())))


def matching_types(patterns: Sequence[str]) -> list[str] | None:
    """Return the full names of the types that any pattern names: `round.settled`, `round.*` or a full name.

    None without patterns, which is all of them. What is missing is named always. Raises LookupError with a pattern that
    names none.
    """
    if not patterns:
        return None
    names = {MISSING.full_name}
    for pattern in patterns:
        matches = {each.full_name for each in feed_types().values() if _matches(pattern, each)}
        if not matches:
            raise LookupError(pattern)
        names |= matches
    return sorted(names)


def _matches(pattern: str, feed_type: FeedType) -> bool:
    names = (feed_type.name, feed_type.full_name, f"{feed_type.app}.{feed_type.name}")
    if pattern.endswith(".*"):
        return any(name.startswith(pattern[:-1]) for name in names)
    return pattern in names


def _derive_data(feed_type: FeedType) -> type[Shape]:
    """Make the response type of an item's data from its event's fields."""
    declared = {**feed_type.facts, **_ITEMS.fields(feed_type.event, feed_type.without | {feed_type.each})}
    if feed_type.each:
        line = get_args(get_type_hints(feed_type.event)[feed_type.each])[0]
        declared |= _ITEMS.fields(line, feed_type.without)
    title = "".join(part.title() for part in feed_type.name.replace(".", "_").split("_"))
    return _ITEMS.struct(f"{title}Data", declared, feed_type.summary)


_ITEMS: Final = Derivation(hides=lambda name, hint: name not in PUBLISHED or (name, hint) == ("reason", str))


MISSING: Final = FeedType(
    event=ItemMissing,
    app="casino",
    name="feed.item_missing",
    subject="feed",
    summary="An event could not be read, and has no items of `types`. It comes whatever types you name: read what it "
    "is `about` by the API, and ask the house.",
)


def _minutes_as_text(values: dict[str, Any]) -> dict[str, Any]:
    """Write a limit on time, which is whole minutes, as text: the field holds an amount for all others."""
    limit = values.get("limit")
    return values if limit is None or values.get("limit_type") != "time" else values | {"limit": str(limit)}


def operator_of(metadata: Mapping[str, Any]) -> UUID | None:
    """Return the operator that an event's metadata names; None for what concerns the whole installation."""
    text = metadata.get("operator")
    try:
        return UUID(text) if text else None
    except ValueError:
        return None


PLATFORM_TYPES: Final = (
    FeedType(
        event=SessionStarted,
        app="casino",
        name="session.started",
        subject="players/{player}",
        summary="A player logged in. A player has one session at most.",
    ),
    FeedType(
        event=SessionEnded,
        app="casino",
        name="session.ended",
        subject="players/{player}",
        summary="A player's session ended: by logout (`ended`), at its end (`expired`), without use (`timed_out`), by "
        "another login (`taken_over`), or because the player was removed from the casino (`removed`).",
    ),
    FeedType(
        event=SignificantEventRaised,
        app="casino",
        name="significant.raised",
        subject="significant-events/{event}",
        summary="A significant event was recorded, of the operator or of the whole installation; all but those of the "
        "severity `info` wait in the back office for acknowledgement. Reasons and who acted are shown there only.",
    ),
)
"""What operators learn of sessions and significant events: the types of the apps below the feed."""
CHANGE_TYPES: Final = tuple(
    FeedType(
        event=event,
        app="casino",
        name=f"change.{name}",
        subject="changes/{change}",
        summary=summary,
        without=frozenset({"details", "summary"} if event is lifecycle.ChangeRequested else ()),
    )
    for event, name, summary in (
        (lifecycle.ChangeRequested, "requested", "A person requested what needs others, too."),
        (lifecycle.ChangeAssigned, "assigned", "It was handed over to `owner`, who is to decide it; others still may."),
        (
            lifecycle.ChangeConfirmed,
            "confirmed",
            "Another person agreed; the last one sets `effective_at`.",
        ),
        (lifecycle.ChangeDeclined, "declined", "A request was declined; nothing changes."),
        (lifecycle.ChangeCancelled, "cancelled", "It was cancelled before it took effect; nothing changes."),
        (lifecycle.ChangeExpired, "expired", "Nobody else agreed in time; nothing changes."),
        (lifecycle.ChangeTookEffect, "took_effect", "It was applied."),
        (lifecycle.ChangeFailed, "failed", "It could not be applied when its time had come."),
    )
)
CHANGES: Final = FeedSource(CHANGE_EVENTS, CHANGE_TYPES, lambda _: {})
