"""What operators learn of tables, rounds and chats: the types of feed items, and the facts that their data needs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final
from uuid import UUID

from baccarat.chat import events as ce
from baccarat.chat.storage import CATALOGUE as CHAT
from baccarat.domain.rounds import events as re
from baccarat.domain.tables import events as te
from baccarat.domain.tables.kill_switch import PlayResumed, PlayStopped
from baccarat.storage.event_registry import CATALOGUE as GAME
from casino.api.shapes import AmountText, CurrencyCode, HexText
from casino.events.records import SealedEvent
from casino.events.sql import fetch
from casino.feed.types import FeedSource, FeedType

_ROUNDS: Final = """
    SELECT 'round-' || id, id::text, table_id::text, number, currency, cards, operator_id
    FROM baccarat_round WHERE id = ANY (%s::uuid[])
"""
_TABLES: Final = """
    SELECT 'table-' || id, id::text, currency, operator_id FROM baccarat_table WHERE id = ANY (%s::uuid[])
"""
_OF_ROUND: Final[Mapping[str, Any]] = {"round": UUID, "table": UUID, "number": int, "currency": CurrencyCode}
_OF_TABLE: Final[Mapping[str, Any]] = {"table": UUID, "currency": CurrencyCode}
_of_round: Final[Callable[..., FeedType]] = partial(FeedType, app="baccarat", subject="rounds/{round}", facts=_OF_ROUND)
_of_table: Final[Callable[..., FeedType]] = partial(FeedType, app="baccarat", subject="tables/{table}", facts=_OF_TABLE)
_of_player: Final[Callable[..., FeedType]] = partial(FeedType, app="baccarat", subject="players/{player}")

_LIMITS: Final[Mapping[str, Any]] = {
    "preset": str,
    "seats": int,
    "chips": tuple[AmountText, ...],
    "minimum": AmountText,
    "maximum": AmountText,
    "turn_seconds": int | None,
}


_NAMES: Final[Mapping[str, Any]] = {"rules": HexText, "rules_label": str}


def _named(event: Any) -> dict[str, Any]:
    """Return the digest of an event's rules, and what people call them."""
    return {"rules": event.rules.digest, "rules_label": event.rules.decoded.label}


def _limits(event: Any) -> dict[str, Any]:
    """Return what a lobby shows of an event's rules, with amounts in minor units."""
    return {**_named(event), **{name: getattr(event.rules.decoded, name) for name in _LIMITS}}


ROUND_TYPES: Final = (
    _of_round(event=re.RoundOpened, name="round.opened", summary="Betting opened."),
    _of_round(event=re.WagerConfirmed, name="wager.confirmed", summary="A wager was confirmed."),
    _of_round(event=re.BettingClosed, name="round.betting_closed", summary="Betting closed."),
    _of_round(
        event=re.RoundSettled,
        name="round.settled",
        summary="The cards and the outcome; an item `wager.settled` follows for each wager.",
        without=frozenset({"wagers"}),
        facts={**_OF_ROUND, "cards": tuple[str, ...]},
    ),
    _of_round(
        event=re.RoundSettled,
        name="wager.settled",
        summary="A wager's result; `returned` was paid back.",
        each="wagers",
        without=frozenset({"outcome", "player_total", "banker_total", "natural", "betting_opens_at", "seed"}),
    ),
    _of_round(event=re.RoundLapsed, name="round.lapsed", summary="Nobody wagered, so no card was dealt."),
    _of_round(event=re.RoundSuspended, name="round.suspended", summary="The round could not be dealt and waits."),
    _of_round(event=re.RoundResumed, name="round.resumed", summary="A suspended round is dealt after all."),
    _of_round(event=re.RoundVoided, name="round.voided", summary="Stakes, payouts and commissions were undone."),
)
TABLE_TYPES: Final = (
    _of_table(
        event=te.TableOpened,
        name="table.opened",
        summary="A table opened.",
        without=frozenset({"rules", "returns", "return_floor"}),
        facts={**_OF_TABLE, **_NAMES, **_LIMITS},
        derive=_limits,
    ),
    _of_table(event=te.TableClosureAnnounced, name="table.closing", summary="The table closes after its last round."),
    _of_table(event=te.TableClosed, name="table.closed", summary="The table is closed; its seeds are revealed."),
    _of_table(event=PlayStopped, name="table.stopped", summary="A kill switch stops the table."),
    _of_table(event=PlayResumed, name="table.resumed", summary="A kill switch no longer stops the table."),
    _of_table(event=te.ShowEnded, name="table.idle", summary="The last deal was shown and no round opens."),
    _of_table(event=te.SeatTaken, name="seat.taken", summary="A player sat down."),
    _of_table(event=te.SeatChanged, name="seat.changed", summary="A player changed seats."),
    _of_table(event=te.Rebought, name="seat.rebought", summary="A player brought more money to the table."),
    _of_table(event=te.SeatLeft, name="seat.left", summary="A player left; the money went back to the account."),
    _of_table(event=te.SeatReleased, name="seat.released", summary="An absent player's seat was freed."),
    _of_table(event=te.ShoeCommitted, name="shoe.committed", summary="The next long shoe was committed to."),
    _of_table(event=te.ShoeStarted, name="shoe.started", summary="A long shoe was shuffled and cut."),
    _of_table(event=te.ShoeEnded, name="shoe.ended", summary="A long shoe ended; its seed is revealed."),
    *(
        _of_table(
            event=event,
            name=name,
            summary=summary,
            without=frozenset({"rules", "returns", "return_floor"}),
            facts={**_OF_TABLE, **_NAMES},
            derive=_named,
        )
        for event, name, summary in (
            (te.RulesDrafted, "rules.drafted", "A version of the rules was proposed."),
            (te.RulesPublished, "rules.published", "A version was agreed on and takes effect as it says."),
        )
    ),
    _of_table(event=te.RulesRejected, name="rules.rejected", summary="A draft was dropped."),
    _of_table(event=te.RulesRetired, name="rules.retired", summary="The version in force was retired; no round opens."),
    _of_table(
        event=te.RulesTookEffect,
        name="rules.took_effect",
        summary="A version applies from this round, with these limits.",
        without=frozenset({"rules"}),
        facts={**_OF_TABLE, **_NAMES, **_LIMITS},
        derive=_limits,
    ),
)
CHAT_TYPES: Final = (
    _of_player(event=ce.PlayerReported, name="chat.reported", summary="A player was reported for a message."),
    _of_player(event=ce.ChatReportClosed, name="chat.report_closed", summary="A report was decided."),
    _of_player(event=ce.PlayerMuted, name="player.muted", summary="A player may not write in chats."),
    _of_player(event=ce.PlayerUnmuted, name="player.unmuted", summary="A player may write in chats again."),
    _of_player(event=ce.PlayerBanned, name="player.banned", summary="A player was removed from the casino."),
    _of_player(event=ce.PlayerUnbanned, name="player.unbanned", summary="A player was let in again."),
)


def load_facts(batch: Sequence[SealedEvent]) -> dict[str, dict[str, Any]]:
    """Return the round, table, currency and operator of each stream in the batch, in two queries."""
    rounds = {
        stream: {
            "round": round_,
            "table": table,
            "number": number,
            "currency": currency,
            "cards": cards.split(),
            "operator": operator,
        }
        for stream, round_, table, number, currency, cards, operator in fetch(_ROUNDS, [_ids(batch, "round-")])
    }
    tables = {
        stream: {"table": table, "currency": currency, "operator": operator}
        for stream, table, currency, operator in fetch(_TABLES, [_ids(batch, "table-")])
    }
    return {**rounds, **tables}


def _ids(batch: Iterable[SealedEvent], prefix: str) -> list[str]:
    return sorted({each.stream.removeprefix(prefix) for each in batch if each.stream.startswith(prefix)})


SOURCES: Final = (
    FeedSource(GAME, (*ROUND_TYPES, *TABLE_TYPES), load_facts),
    FeedSource(CHAT, CHAT_TYPES, lambda _: {}),
)
