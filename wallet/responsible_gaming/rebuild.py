"""Throw away what protects players and what they have played, and make it again: from events, and from entries."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.db import transaction

from casino.events.sql import execute, fetch
from wallet.ledger.event_registry import CATALOGUE
from wallet.responsible_gaming import projection
from wallet.responsible_gaming.state import fold, fold_operator_limits
from wallet.responsible_gaming.usage import PLAYED, TURNOVER

CHUNK: Final = 500
KEYS: Final = {
    projection.RESTRICTIONS_TABLE: "player_id::text",
    projection.OPERATOR_LIMITS_TABLE: "operator_id::text",
    "wallet_turnover": "account_id || ' ' || sequence",
    "wallet_played": "player_id || ' ' || slot",
}
"""Every projection with what names a row of it."""

_STREAMS: Final = """
    SELECT stream FROM events_event WHERE version = 1 AND type = ANY (%s::text[]) AND stream LIKE %s AND stream > %s
     ORDER BY stream LIMIT %s
"""
_EVENTS: Final = """
    SELECT stream, type, schema, data::text FROM events_event
     WHERE stream = ANY (%s::text[]) ORDER BY stream, version
"""
_OF_PLAYERS: Final = ["PlayLimitSet", "CoolingOffStarted", "SelfExcluded", "RealityCheckSet", "PlayerBlocked"]
_OF_HOUSES: Final = ["OperatorLimitSet", "PlayMoneyCapSet"]
"""What a stream can begin with."""


@dataclass(frozen=True, slots=True)
class RebuildResult:
    """How many rows each projection has now; `changed` names those that came out otherwise, where compared."""

    rows: dict[str, int]
    changed: tuple[str, ...]


def rebuild_responsible_gaming(*, compare: bool = False) -> RebuildResult:
    """Make all four projections again in one transaction, holding writers out."""
    with transaction.atomic():
        execute(f"LOCK TABLE {', '.join(KEYS)} IN EXCLUSIVE MODE")
        if compare:
            _keep()
        for table in KEYS:
            execute(f"DELETE FROM {table}")  # noqa: S608  (names are constants)
        _make()
        changed = tuple(_changed()) if compare else ()
        counts = {table: int(fetch(f"SELECT count(*) FROM {table}")[0][0]) for table in KEYS}  # noqa: S608
        return RebuildResult(counts, changed)


def _make() -> None:
    for stream, events in _streams(_OF_PLAYERS, "responsible-gaming-%"):
        player = UUID(stream.removeprefix("responsible-gaming-"))
        projection.save_restrictions(
            operator=events[0].operator, player=player, state=fold(events), version=len(events)
        )
    for _, events in _streams(_OF_HOUSES, "operator-limits-%"):
        last = events[-1]
        projection.save_operator_limits(
            operator=last.operator, currency=last.currency, state=fold_operator_limits(events), version=len(events)
        )
    execute(f"INSERT INTO wallet_turnover (account_id, at, sequence, staked, lost) {TURNOVER}")
    execute(f"INSERT INTO wallet_played (player_id, slot) {PLAYED}")


def _streams(beginnings: list[str], like: str) -> Iterator[tuple[str, list[Any]]]:
    last = ""
    while streams := [row[0] for row in fetch(_STREAMS, [beginnings, like, last, CHUNK])]:
        last = streams[-1]
        found: dict[str, list[Any]] = {stream: [] for stream in streams}
        for stream, kind, schema, data in fetch(_EVENTS, [streams]):
            found[stream].append(CATALOGUE.decode(kind, schema, data))
        yield from found.items()


def _keep() -> None:
    for table, key in KEYS.items():
        execute(
            f"CREATE TEMPORARY TABLE before_{table} ON COMMIT DROP AS "  # noqa: S608  (names are constants)
            f"SELECT {key} AS key, md5(kept::text) AS content FROM {table} AS kept"
        )


def _changed() -> Iterator[str]:
    for table, key in KEYS.items():
        found = fetch(
            f"SELECT coalesce(was.key, now.key) FROM before_{table} AS was "  # noqa: S608  (names are constants)
            f"FULL JOIN (SELECT {key} AS key, md5(kept::text) AS content FROM {table} AS kept) AS now "
            "ON now.key = was.key WHERE was.content IS DISTINCT FROM now.content ORDER BY 1"
        )
        yield from (f"{table} {row[0]}" for row in found)
