"""Turns sealed events into stream messages: topics, players concerned, and the redacted data for each viewer."""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

import msgspec
from msgspec import Meta

from baccarat.chat import queries as chat
from baccarat.queries import rounds, tables
from baccarat.queries.redaction import SPECTATOR, format_amounts, mentioned_players, redact_for
from casino.api.shapes import Shape, Timestamp
from casino.api.streaming import sse
from casino.events.records import SealedEvent

SEAT_TAKEN: Final = "SeatTaken"
SEAT_VACATED: Final = frozenset({"SeatLeft", "SeatReleased"})
MAX_CACHED_ROUNDS: Final = 20_000
"""Rounds whose table a process caches; others are looked up."""

CHAT_MESSAGE_SENT: Final = "ChatMessageSent"
"""Sent to everyone at its table with its text, which is not in the log."""

_MOVE_NOTHING: Final = frozenset(
    {
        "RoundOpened", "SeatChanged", "CutContributed", "ShoeCutContributed", "PlayerAccountOpened", "TableLimitSet",
        CHAT_MESSAGE_SENT, "PlayerReported", "ChatReportClosed", "PlayerMuted", "PlayerUnmuted", "PlayerBanned",
        "PlayerUnbanned", "PlayerBlocked", "PlayerUnblocked",
    }
)  # fmt: skip
_as_dict: Final = msgspec.json.Decoder(dict[str, Any]).decode


def table_topic(table: UUID) -> str:
    return f"table:{table}"


def player_topic(player: UUID) -> str:
    """Return the topic of a player's own events."""
    return f"player:{player}"


class LiveEventResponse(Shape):
    """An event as the stream sends it: what this player may see of it, amounts as decimal strings."""

    position: int
    type: Annotated[str, Meta(examples=["WagerConfirmed"])]
    table: UUID | None
    round: UUID | None
    recorded_at: Timestamp
    data: Annotated[
        dict[str, Any], Meta(examples=[{"seat": 1, "money_type": "play", "stakes": {"banker": "10.00"}, "raised": {}}])
    ]


class LiveEvent:
    """One sealed event. Its message is encoded once for all viewers who may see the same."""

    __slots__ = (
        "_data", "_payloads", "_text", "currency", "players", "position", "recorded_at", "round", "table", "topics",
        "type",
    )  # fmt: skip

    def __init__(
        self,
        sealed: SealedEvent,
        *,
        table: UUID | None,
        round_: UUID | None,
        currency: str | None,
        text: str | None = None,
    ) -> None:
        self.position = sealed.position
        self.type = sealed.type
        self.table = table
        self.round = round_
        self.currency = currency
        self.recorded_at: datetime = sealed.recorded_at
        self.players = frozenset(mentioned_players(_as_dict(sealed.data)))
        self.topics = (
            *(() if table is None else (table_topic(table),)),
            *(f"player:{player}" for player in self.players),
        )
        self._data = sealed.data
        self._text = text
        self._payloads: dict[str, bytes] = {}

    @property
    def moves_money(self) -> bool:
        """Return whether balances of the players it names may have changed."""
        return bool(self.players) and self.type not in _MOVE_NOTHING

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
        if self._text is not None:
            data["text"] = self._text
        return LiveEventResponse(
            position=self.position,
            type=self.type,
            table=self.table,
            round=self.round,
            recorded_at=self.recorded_at,
            data=data if self.currency is None else format_amounts(data, self.currency),
        )

    def _write(self, viewer: UUID) -> bytes:
        return sse.message("event", self.present(viewer), position=self.position)


class LiveEventBuilder:
    """Caches the table and currency of rounds and tables, and loads missing ones in bulk. Not thread-safe."""

    def __init__(self) -> None:
        self._rounds: OrderedDict[UUID, UUID] = OrderedDict()
        self._currencies: dict[UUID, str] = {}
        self._texts: dict[UUID, str] = {}

    def build(self, batch: Sequence[SealedEvent]) -> list[LiveEvent]:
        """Build live events from sealed ones, with at most two queries for uncached tables and rounds.

        One more query reads the texts of all messages among them.
        """
        placed = [(sealed, *_subject(sealed)) for sealed in batch]
        self._texts = chat.load_displayed_texts(
            messages=[_message(sealed) for sealed in batch if sealed.type == CHAT_MESSAGE_SENT]
        )
        round_ids = {key for _, kind, key in placed if kind == "round" and key is not None}
        self._look_up_rounds(round_ids)
        table_ids = {key for _, kind, key in placed if kind not in {"round", ""} and key is not None}
        self._look_up_tables(table_ids | {self._rounds[key] for key in round_ids if key in self._rounds})
        return [self._live_event(sealed, kind, key) for sealed, kind, key in placed]

    def _live_event(self, sealed: SealedEvent, kind: str, key: UUID | None) -> LiveEvent:
        round_ = key if kind == "round" else None
        table = self._rounds.get(key) if kind == "round" and key is not None else key
        if table not in self._currencies:
            table = None
        currency = None if table is None else self._currencies[table]
        text = self._texts.get(_message(sealed), "") if sealed.type == CHAT_MESSAGE_SENT else None
        return LiveEvent(sealed, table=table, round_=round_, currency=currency, text=text)

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
        unknown = [key for key in table_ids if key not in self._currencies]
        if unknown:
            self._currencies.update(tables.currencies_of_tables(tables=unknown))


def _message(sealed: SealedEvent) -> UUID:
    return UUID(_as_dict(sealed.data)["message"])


def _subject(sealed: SealedEvent) -> tuple[str, UUID | None]:
    """Return kind and id from a stream's name: `round-…`, or anything else named after a table.

    A message is in its writer's stream, and names its table.
    """
    kind, _, key = sealed.stream.partition("-")
    if sealed.type == CHAT_MESSAGE_SENT:
        return kind, UUID(_as_dict(sealed.data)["table"])
    if kind in _NOT_OF_A_TABLE:
        return "", None
    try:
        return kind, UUID(key)
    except ValueError:
        return "", None


_NOT_OF_A_TABLE: Final = frozenset(
    {
        "adjustment", "chat", "debt", "deposit", "discrepancy", "operator", "limit", "responsible", "reconciliation",
        "stop", "wallet", "withdrawal",
    }
)  # fmt: skip
"""Prefixes of streams about players, payments and operators: no table is looked up for them."""
