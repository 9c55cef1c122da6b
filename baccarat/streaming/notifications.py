"""Builds stream messages from sealed events: topics, players, and redacted data for each viewer."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, get_args
from uuid import UUID

import msgspec
from msgspec import Meta

from baccarat.chat import queries as chat
from baccarat.chat.queries import UNKNOWN_MESSAGE, DisplayedMessage
from baccarat.domain.rounds.events import RoundEvent
from baccarat.domain.tables.events import TableEvent
from baccarat.queries import rounds, tables
from baccarat.queries.redaction import PLAYER_ONLY, SPECTATOR, STAFF_ONLY, mentioned_players, redact_for
from baccarat.storage.event_registry import CATALOGUE
from baccarat.streaming.snapshot import PositionText, encode_position
from casino.api.shapes import Shape, Timestamp, open_enum
from casino.api.streaming import sse
from casino.compliance.complaints import ComplaintAnswered
from casino.events.records import SealedEvent
from casino.feed.derivation import Derivation
from casino.kernel.event_amounts import format_amounts
from wallet.remote.events import WagerNotTaken

SEAT_TAKEN: Final = "SeatTaken"
SEAT_VACATED: Final = frozenset({"SeatLeft", "SeatReleased"})
MAX_CACHED_ROUNDS: Final = 20_000
"""Rounds whose table a process caches; others are looked up."""

CHAT_MESSAGE_SENT: Final = "ChatMessageSent"
"""Sent to everyone at its table with its text and shown nickname, which are not in the log."""

LOBBY_CHANGES: Final = frozenset(
    {
        "TableOpened", "TableClosureAnnounced", "TableClosed", "RulesTookEffect", SEAT_TAKEN, *SEAT_VACATED,
        "SeatChanged", "ShoeStarted", "ShowEnded", "RoundOpened", "BettingClosed", "RoundSettled", "RoundVoided",
        "RoundLapsed",
    }
)  # fmt: skip
"""Events that change what the lobby shows of a table."""

COMPLAINT_ANSWERED: Final = ComplaintAnswered.__name__
_WITHOUT_MONEY: Final = frozenset(
    {
        "RoundOpened", "SeatChanged", "ShoeCutContributed", "TermsFixed", "PlayerAccountOpened",
        "TableLimitSet", CHAT_MESSAGE_SENT, "PlayerReported", "ChatReportClosed", "PlayerMuted", "PlayerUnmuted",
        "PlayerBanned", "PlayerUnbanned", "PlayerBlocked", "PlayerUnblocked", "PlayerFrozen", "PlayerUnfrozen",
        "HoldPlaced", COMPLAINT_ANSWERED,
    }
)  # fmt: skip
WAGER_NOT_TAKEN: Final = WagerNotTaken.__name__
OWN: Final = frozenset({WAGER_NOT_TAKEN, COMPLAINT_ANSWERED})
"""Sent to its player alone, whether still seated or not: no table learns of it."""

_EVENTS: Final = (*get_args(TableEvent), *get_args(RoundEvent), WagerNotTaken, ComplaintAnswered)
_EVENT_NAMES: Final = sorted({CHAT_MESSAGE_SENT, *(event.__name__ for event in _EVENTS)})
_as_dict: Final = msgspec.json.Decoder(dict[str, Any]).decode


def table_topic(table: UUID) -> str:
    return f"table:{table}"


def player_topic(player: UUID) -> str:
    """Return the topic of a player's own events."""
    return f"player:{player}"


def lobby_topic(owner: UUID) -> str:
    """Return the topic of the tables that are for all players of an operator, or for those of a brand."""
    return f"lobby:{owner}"


class LobbyChange(Shape):
    """A table whose line in the lobby has changed."""

    table: UUID


class LiveEventResponse(Shape):
    """An event redacted for this player, with amounts as decimal strings."""

    position: PositionText
    type: Annotated[
        str,
        open_enum(_EVENT_NAMES, example="WagerConfirmed"),
    ]
    table: UUID | None
    round: UUID | None
    recorded_at: Timestamp
    data: Annotated[
        dict[str, Any], Meta(examples=[{"seat": 1, "money_type": "play", "stakes": {"banker": "10.00"}, "raised": {}}])
    ]


class LiveEvent:
    """One sealed event. Its message is encoded once for all viewers who may see the same."""

    __slots__ = (
        "_data", "_extra", "_payloads", "currency", "lobbies", "lobby_payload", "players", "position", "recorded_at",
        "round", "table", "topics", "type",
    )  # fmt: skip

    def __init__(
        self,
        sealed: SealedEvent,
        *,
        table: UUID | None,
        round_: UUID | None,
        currency: str | None,
        lobbies: Sequence[UUID] = (),
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        self.position = sealed.position
        self.type = sealed.type
        self.table = table
        self.round = round_
        self.currency = currency
        self.recorded_at: datetime = sealed.recorded_at
        self.players = frozenset(mentioned_players(_as_dict(sealed.data)))
        self.lobby_payload: bytes | None = None
        self.lobbies: frozenset[str] = frozenset()
        if table is not None and lobbies and sealed.type in LOBBY_CHANGES:
            self.lobby_payload = sse.message("lobby", LobbyChange(table))
            self.lobbies = frozenset(map(lobby_topic, lobbies))
        self.topics = (
            *(() if table is None or sealed.type == WAGER_NOT_TAKEN else (table_topic(table),)),
            *self.lobbies,
            *(f"player:{player}" for player in self.players),
        )
        self._data = sealed.data
        self._extra = extra or {}
        self._payloads: dict[str, bytes] = {}

    @property
    def moves_money(self) -> bool:
        """Return whether balances of the players it names may have changed."""
        return bool(self.players) and self.type not in _WITHOUT_MONEY

    def payload_for(self, player: str) -> bytes:
        """Encode the message for this player's id; players whom the event does not name share one encoding."""
        viewer = player if player in self.players else ""
        payload = self._payloads.get(viewer)
        if payload is None:
            payload = self._payloads[viewer] = self._write(UUID(viewer) if viewer else SPECTATOR)
        return payload

    def present(self, viewer: UUID) -> LiveEventResponse:
        """Return the event as a player, or SPECTATOR, may see it."""
        data = redact_for(type=self.type, data=_as_dict(self._data), viewer=viewer)
        data.update(self._extra)
        return LiveEventResponse(
            position=encode_position(self.position),
            type=self.type,
            table=self.table,
            round=self.round,
            recorded_at=self.recorded_at,
            data=data if self.currency is None else format_amounts(data, self.currency),
        )

    def _write(self, viewer: UUID) -> bytes:
        event = self.present(viewer)
        return sse.message("event", event, id_=event.position)


class LiveEventBuilder:
    """Caches the tables of rounds, and the currency and lobbies of tables, and loads missing ones in bulk.

    Not thread-safe.
    """

    def __init__(self) -> None:
        self._rounds: OrderedDict[UUID, UUID] = OrderedDict()
        self._tables: dict[UUID, tuple[str, tuple[UUID, ...]]] = {}
        self._messages: dict[UUID, DisplayedMessage] = {}

    def build(self, batch: Sequence[SealedEvent]) -> list[LiveEvent]:
        """Build live events from sealed ones, with at most two queries for uncached tables and rounds.

        A few more read the texts and writers of all messages among them.
        """
        subjects = [(sealed, *_subject(sealed)) for sealed in batch]
        self._messages = chat.load_displayed(
            messages=[_message(sealed) for sealed in batch if sealed.type == CHAT_MESSAGE_SENT]
        )
        round_ids = {key for _, kind, key in subjects if kind == "round" and key is not None}
        self._look_up_rounds(round_ids)
        table_ids = {key for _, kind, key in subjects if kind not in {"round", ""} and key is not None}
        self._look_up_tables(table_ids | {self._rounds[key] for key in round_ids if key in self._rounds})
        return [self._live_event(sealed, kind, key) for sealed, kind, key in subjects]

    def _live_event(self, sealed: SealedEvent, kind: str, key: UUID | None) -> LiveEvent:
        round_ = key if kind == "round" else None
        if sealed.type == WAGER_NOT_TAKEN:
            round_ = UUID(_as_dict(sealed.data)["round"])
        table = self._rounds.get(key) if kind == "round" and key is not None else key
        currency, lobbies = (None, ()) if table is None else self._tables.get(table, (None, ()))
        if currency is None:
            table = None
        extra = None
        if sealed.type == CHAT_MESSAGE_SENT:
            extra = self._messages.get(_message(sealed), UNKNOWN_MESSAGE)._asdict()
        return LiveEvent(sealed, table=table, round_=round_, currency=currency, lobbies=lobbies, extra=extra)

    def _look_up_rounds(self, round_ids: Collection[UUID]) -> None:
        unknown = []
        for key in round_ids:
            if key in self._rounds:
                self._rounds.move_to_end(key)  # keep the ones in use from being evicted below
            else:
                unknown.append(key)
        if unknown:
            self._rounds.update(rounds.tables_of_rounds(rounds=unknown))
        while len(self._rounds) > max(MAX_CACHED_ROUNDS, len(round_ids)):
            self._rounds.popitem(last=False)

    def _look_up_tables(self, table_ids: Iterable[UUID]) -> None:
        unknown = [key for key in table_ids if key not in self._tables]
        if unknown:
            self._tables.update(tables.audiences_of_tables(tables=unknown))


def _message(sealed: SealedEvent) -> UUID:
    return UUID(_as_dict(sealed.data)["message"])


def _subject(sealed: SealedEvent) -> tuple[str, UUID | None]:
    """Return kind and id from a stream's name: `round-…`, or anything else named after a table.

    A message is in its writer's stream, and names its table; so does a wager that was not taken.
    """
    kind, _, key = sealed.stream.partition("-")
    if sealed.type in {CHAT_MESSAGE_SENT, WAGER_NOT_TAKEN}:
        return kind, UUID(_as_dict(sealed.data)["table"])
    if kind in _STREAMS_WITHOUT_TABLE:
        return "", None
    try:
        return kind, UUID(key)
    except ValueError:
        return "", None


_STREAMS_WITHOUT_TABLE: Final = frozenset(
    {
        "adjustment", "case", "chat", "debt", "deposit", "discrepancy", "funding", "hold", "operator", "limit",
        "remote", "responsible", "reconciliation", "stop", "transfer", "wallet", "withdrawal",
    }
)  # fmt: skip
"""Prefixes of streams about players, payments and operators: no table is looked up for them."""


def event_data() -> dict[str, type[Shape]]:
    """Return the types of the data of events at tables, by the names of the events.

    What only the event's own player sees may be absent, and so may what is not stored while it says nothing.
    """
    own = frozenset(name for names in PLAYER_ONLY.values() for name in names)
    # No preset hides a field: what staff alone see is left out by name.
    live = Derivation(hides=lambda *_: False, optional=own | {"player"} | CATALOGUE.omitted, prefix="Live")
    return {
        event.__name__: live.derive(event, "", without=frozenset(STAFF_ONLY.get(event.__name__, ())))
        for event in _EVENTS
    }
