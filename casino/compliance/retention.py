"""Retention periods in days, and purges of what is older.

`minimum_days` is what the law requires and no setting shortens: ten years for play and accounts (N.J.A.C. 13:69O-1.8
d), five for complaints (GLI-19 A.4.4 b), four months for answered wallet requests (usual among operators), 90 days for
failed logins. The database itself refuses to delete younger rows of append-only tables. From settings.LEGAL_HOLD on
nothing is deleted, whatever its kind. Apps above this one register their own kinds.

The job runs every hour and ages count from the beginning of a day: most days it has something to do once, and goes on
an hour later when its time was over.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from types import MappingProxyType
from typing import Final

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings

from casino.compliance.cases import IS_OPEN
from casino.compliance.refusals import KeptPermanently, TooRecentToPurge, UnknownRetentionKind
from casino.events.sql import execute, fetch
from casino.significant import recorder

logger = logging.getLogger(__name__)

BATCH: Final = 5000
TEN_YEARS: Final = 3653
FIVE_YEARS: Final = 1827
FOUR_MONTHS: Final = 123


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """The tables of a kind of data, each with the column of a row's age, and how long they are kept.

    Tables `of_players` have a `player_id`; what is about a player who is reviewed is kept until that has ended.
    """

    tables: Mapping[str, str]
    minimum_days: int
    default_days: int
    of_players: bool = False


_permanent: Final[dict[str, Sequence[str]]] = {
    "events": ("events_event", "events_seal"),
    "significant_events": ("significant_significantevent",),
    "checkpoints": ("checkpoints_checkpoint",),
}
_policies: Final[dict[str, RetentionPolicy]] = {
    "player_sessions": RetentionPolicy(
        {"operators_playersession": "created_at"}, TEN_YEARS, TEN_YEARS, of_players=True
    ),
    "sign_ins": RetentionPolicy({"staff_signin": "at"}, TEN_YEARS, TEN_YEARS),
    "access_log": RetentionPolicy({"staff_accesslogentry": "at"}, TEN_YEARS, TEN_YEARS),
    "idempotency_keys": RetentionPolicy({"api_idempotentrequest": "created_at"}, FOUR_MONTHS, FOUR_MONTHS),
    "failed_logins": RetentionPolicy({"axes_accessattempt": "attempt_time"}, 90, 90),
    "staff_sessions": RetentionPolicy({"django_session": "expire_date"}, 0, 0),
    "emails": RetentionPolicy({"mail_email": "sent_at"}, 90, 90),
    "launches": RetentionPolicy({"operators_launch": "expires_at"}, 1, 1),
    "stream_tickets": RetentionPolicy({"operators_streamticket": "expires_at"}, 0, 0),
}
PERMANENT: Final[Mapping[str, Sequence[str]]] = MappingProxyType(_permanent)
"""Tables that are kept for good, by kind."""
RETENTION_POLICIES: Final[Mapping[str, RetentionPolicy]] = MappingProxyType(_policies)


_reviewed: Final[list[str]] = [
    f"""SELECT substring(subject FROM 8 FOR 36)::uuid FROM compliance_case AS opened
         WHERE subject LIKE 'player:%%' AND {IS_OPEN}"""  # noqa: S608  (a constant)
]
"""Statements that list the players who are reviewed: those of open cases."""


def register_reviewed(statement: str) -> None:
    """Add a statement that lists players who are reviewed; call it in AppConfig.ready()."""
    _reviewed.append(statement)


def register(*, permanent: Mapping[str, Sequence[str]], policies: Mapping[str, RetentionPolicy]) -> None:
    """Add another app's kinds of data; call it in AppConfig.ready()."""
    _permanent.update(permanent)
    _policies.update(policies)


@dataclass(frozen=True, slots=True)
class PurgeResult:
    """How many rows of a kind, older than `before`, were purged or would be."""

    kind: str
    days: int
    before: datetime
    rows: int


def retention_days(kind: str, days: int | None = None) -> int:
    """Return how many days a kind is kept: `days`, or settings.RETENTION_DAYS, or the policy's default.

    Raises UnknownRetentionKind, KeptPermanently, and TooRecentToPurge for fewer days than policy or law require.
    """
    if kind in PERMANENT:
        raise KeptPermanently(f"{kind} are kept for good.")
    if kind not in RETENTION_POLICIES:
        raise UnknownRetentionKind(f"There is no kind {kind[:60]!r}.")
    policy = RETENTION_POLICIES[kind]
    configured = settings.RETENTION_DAYS.get(kind, policy.default_days)
    requested = configured if days is None else days
    shortest = max(configured, policy.minimum_days)
    if requested < shortest:
        raise TooRecentToPurge(f"{kind} are kept for {shortest} days, not for {requested}.", days=shortest)
    return requested


def preview_purge(kind: str, *, days: int | None = None) -> PurgeResult:
    """Count what a purge of a kind would delete, which is nothing under legal hold. Raises as `retention_days` does."""
    age = retention_days(kind, days)
    today = _now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    before = today - timedelta(days=age)
    if settings.LEGAL_HOLD is not None:
        before = min(before, datetime.combine(settings.LEGAL_HOLD, time.min, UTC))
    policy = RETENTION_POLICIES[kind]
    rows = sum(_count(table, _is_over(policy, column), before) for table, column in policy.tables.items())
    return PurgeResult(kind, age, before, rows)


def purge(kind: str, *, by: str, days: int | None = None) -> PurgeResult:
    """Record that what is older than a kind is kept is deleted, and delete it. Raises as `retention_days` does.

    Deletes in batches, outside a transaction each in its own: nobody waits long, and what is left when the process
    dies goes with the next purge. What no law asks to keep goes without a record.
    """
    result = preview_purge(kind, days=days)
    policy = RETENTION_POLICIES[kind]
    if result.rows and policy.minimum_days > 1:
        recorder.record(
            kind=recorder.SignificantEventKind.DATA_PURGED,
            operator=None,
            subject=f"retention:{kind}",
            actor=by,
            reason=f"Kept for {result.days} days.",
            after={"rows": result.rows, "before": result.before.isoformat()},
        )
    for table, column in policy.tables.items():
        while _delete_batch(table, _is_over(policy, column), result.before) == BATCH:
            continue
    return result


def purge_expired() -> None:
    """Purge every kind. One that fails raises an alert and does not block the others."""
    for kind in RETENTION_POLICIES:
        try:
            purge(kind, by="schedule")
        except SoftTimeLimitExceeded:
            raise
        except Exception as error:
            logger.critical("ALERT %s can't be purged: %s", kind, type(error).__name__, exc_info=error)


def _now() -> datetime:
    now: datetime = fetch("SELECT clock_timestamp()")[0][0]
    return now


def _is_over(policy: RetentionPolicy, column: str) -> str:
    """Return the condition that a row is kept no longer."""
    if not policy.of_players:
        return f"{column} < %s"
    return f"{column} < %s AND (player_id IS NULL OR player_id NOT IN ({' UNION '.join(_reviewed)}))"


def _count(table: str, is_over: str, before: datetime) -> int:
    return int(fetch(f"SELECT count(*) FROM {table} WHERE {is_over}", [before])[0][0])  # noqa: S608  (constants)


def _delete_batch(table: str, is_over: str, before: datetime) -> int:
    return execute(
        f"DELETE FROM {table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM {table} WHERE {is_over} LIMIT {BATCH}))",  # noqa: S608
        [before],
    )
