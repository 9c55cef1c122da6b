"""States that audits continue from, signed with the checkpoint key; and a record of each scheduled audit.

A state is only good at a position whose digest and key are those that were signed, in this log: a row that somebody
changed, or moved to a log with another history, is none.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final

from django.conf import settings

from casino.checkpoints import records
from casino.checkpoints.keyring import checkpoint_keyring
from casino.checkpoints.models import AuditKind
from casino.events.sql import execute, fetch

_DOMAIN: Final = "casino.audit.state.v1"
_ADD: Final = """
INSERT INTO checkpoints_auditstate (position, format, state, key, signature) VALUES (%s, %s, %s, %s, %s)
    ON CONFLICT DO NOTHING
"""
_STATE: Final = "SELECT state, key, signature FROM checkpoints_auditstate WHERE position = %s AND format = %s"
_POSITIONS: Final = """
SELECT state.position, greatest(state.made_at, coalesce(max(run.ended_at), state.made_at))
  FROM checkpoints_auditstate AS state
  LEFT JOIN checkpoints_auditrun AS run ON run.kind = 'range' AND run.findings = 0 AND run.upto = state.position
 WHERE state.format = %s GROUP BY state.position, state.made_at ORDER BY state.position
"""
_RECORD: Final = """
INSERT INTO checkpoints_auditrun (kind, since, upto, findings, verdict, started_at) VALUES (%s, %s, %s, %s, %s, %s)
"""
_LATEST: Final = """
SELECT kind, since, upto, findings, verdict, started_at, ended_at FROM checkpoints_auditrun
 WHERE kind = ANY (%s::text[]) ORDER BY ended_at DESC LIMIT 1
"""


_LATEST_OF_EACH: Final = """
SELECT DISTINCT ON (kind) kind, since, upto, findings, verdict, started_at, ended_at FROM checkpoints_auditrun
 ORDER BY kind, ended_at DESC
"""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A range of the log, which ends where a state is, and when it was last replayed without findings."""

    since: int
    upto: int
    at: datetime


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """A scheduled audit that came to its end."""

    kind: str
    since: int
    upto: int
    findings: int
    verdict: str
    started_at: datetime
    ended_at: datetime


def can_sign() -> bool:
    """Return whether this process has a key that signs checkpoints."""
    return bool(checkpoint_keyring().private)


def save(position: int, state: bytes, *, state_format: str) -> None:
    """Sign and keep a state at a sealed position. Idempotent. Raises KeyError without a key that signs."""
    keyring = checkpoint_keyring()
    signature = keyring.sign(_message(position, state, state_format))
    execute(_ADD, [position, state_format, state, keyring.active, signature])


def load(position: int, *, state_format: str) -> bytes | None:
    """Return the state of this format at a position if a trusted key has signed it for this log, else None."""
    for state, key, signature in fetch(_STATE, [position, state_format]):
        if checkpoint_keyring().has_signed(key, bytes(signature), _message(position, bytes(state), state_format)):
            return bytes(state)
    return None


def list_ranges(*, state_format: str) -> list[Replayed]:
    """Return the ranges between the states of a format, from the beginning of the log on."""
    ranges, since = [], 0
    for position, at in fetch(_POSITIONS, [state_format]):
        ranges.append(Replayed(since, position, at))
        since = position
    return ranges


def record(kind: AuditKind, *, since: int, upto: int, findings: int, verdict: str, started_at: datetime) -> None:
    """Record that a scheduled audit has come to its end."""
    execute(_RECORD, [kind, since, upto, findings, verdict, started_at])


def worst() -> AuditRecord | None:
    """Return the last scheduled audit of each kind that is worth most attention: with findings, else the newest."""
    last = [AuditRecord(*row) for row in fetch(_LATEST_OF_EACH)]
    return max(last, key=lambda each: (each.findings > 0, each.ended_at), default=None)


def latest(*kinds: AuditKind) -> AuditRecord | None:
    """Return the last scheduled audit of these kinds that came to its end, None if there is none."""
    rows = fetch(_LATEST, [list(kinds)])
    return AuditRecord(*rows[0]) if rows else None


def _message(position: int, state: bytes, state_format: str) -> bytes:
    members = {
        "log": settings.LOG_ORIGIN,
        "position": position,
        "head": (records.digest_at(position) or b"").hex(),
        "format": state_format,
        "state": sha256(state).hexdigest(),
    }
    return f"{_DOMAIN}\n{json.dumps(members, sort_keys=True)}".encode()


NIGHTLY: Final[Sequence[AuditKind]] = (AuditKind.FULL, AuditKind.SINCE_CHECKPOINT)
LATE: Final = timedelta(hours=30)
"""How long ago the last nightly audit may have ended."""
_AGE: Final = """
SELECT extract(epoch FROM clock_timestamp() - coalesce(
    (SELECT max(ended_at) FROM checkpoints_auditrun WHERE kind = ANY (%s::text[])),
    (SELECT min(event.recorded_at) FROM events_seal AS seal JOIN events_event AS event ON event.id = seal.event_id
      WHERE seal.position = 1), clock_timestamp()))::float8
"""


def seconds_since_nightly() -> float:
    """Return how long ago the last nightly audit ended, or since when there are events if there was none."""
    return float(fetch(_AGE, [list(NIGHTLY)])[0][0])
