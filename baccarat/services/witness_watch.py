"""Finds witnesses that are away: those for which tables stand, and those for which none does yet."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from baccarat.domain.rounds.voiding import ANSWER_LIMIT
from baccarat.services.releasing import MAX_SILENCE_SECONDS
from baccarat.storage import witness_chains
from baccarat.storage.witness_chains import WaitingTable
from casino.observability.conditions import Observation
from casino.observability.health import within_a_second
from casino.witness.client import configured_client

TABLES_WAIT: Final = "tables_without_witness"
AWAY: Final = "witness_away"
MOST: Final = 50
"""Tables that a finding names."""


def find(name: str) -> list[Observation]:
    """Find the conditions of this name, one for each witness. Call it outside any transaction: it may ask them."""
    names, away = _witnesses()
    limit = datetime.now(UTC) - timedelta(seconds=MAX_SILENCE_SECONDS)
    silent = [key for key, since in away.items() if since <= limit]
    standing = _standing_tables(silent, away)
    if name == AWAY:
        return [_away(names[key], away[key]) for key in silent if key not in standing]
    return [
        _standing(names.get(key, f"with the key {key[:16]}"), tables, away.get(key)) for key, tables in standing.items()
    ]


def _witnesses() -> tuple[dict[str, str], dict[str, datetime]]:
    """Return the configured witnesses' names by release key, and since when which of them have not answered.

    A witness that only cosigns has its name for a key.
    """
    client = configured_client()
    names = {each.release_key.hex() or each.name: each.name for each in client.addresses}
    since = {each.release_key.hex() or each.name: client.silent_since(each) for each in client.addresses}
    return names, {key: datetime.fromtimestamp(at, UTC) for key, at in since.items() if at is not None}


def _standing_tables(silent: Sequence[str], away: Mapping[str, datetime]) -> dict[str, list[WaitingTable]]:
    """Return the tables that stand by the witness that they wait for: the one that is away, if one of theirs is."""
    of_witness = defaultdict(list)
    for table in within_a_second(partial(witness_chains.list_standing, silent, MAX_SILENCE_SECONDS)):
        for key in {*table.release_keys} & away.keys() or table.release_keys:
            of_witness[key].append(table)
    return dict(of_witness)


def _standing(witness: str, tables: Sequence[WaitingTable], away_since: datetime | None) -> Observation:
    since = away_since or min(each.links_due_at for each in tables if each.links_due_at is not None)
    closed = min((each.closed_at for each in tables if each.closed_at is not None), default=None)
    return Observation(
        name=TABLES_WAIT,
        part=witness,
        values={
            "witness": witness,
            "since": _time(since),
            "bets": _of_bets(closed),
            "why": "It does not answer" if away_since else "It answers, and gives out no link",
        },
        number=len(tables),
        where=[f"table:{each.table}" for each in tables[:MOST]],
    )


def _of_bets(closed: datetime | None) -> str:
    if closed is None:
        return "no bets are taken there"
    return f"bets there are voided at {closed + ANSWER_LIMIT:%H:%M:%S} UTC"


def _away(witness: str, since: datetime) -> Observation:
    return Observation(name=AWAY, part=witness, values={"witness": witness, "since": _time(since)})


def _time(when: datetime) -> str:
    return f"{when.astimezone(UTC):%H:%M} UTC"
