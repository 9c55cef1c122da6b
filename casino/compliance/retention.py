"""How long each kind of data is kept: ten years by policy, some for good, what is of use for a while for a while.

Periods are days. `least` is what the law wants kept and no setting shortens: ten years for all that play and accounts
are told from (N.J.A.C. 13:69O-1.8 d), five for complaints (GLI-19 A.4.4 b), four months for requests that a wallet
answered (usual among operators), 90 days for failed logins. The database itself refuses to let younger rows go of the
tables that are never changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from casino.compliance.refusals import KeptPermanently, TooRecentToPurge, UnknownRetentionKind
from casino.events.sql import fetch
from casino.significant import recorder

TEN_YEARS: Final = 3653
FIVE_YEARS: Final = 1827
FOUR_MONTHS: Final = 123


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How a kind of data is kept: in which tables, by which column's time, at least and by default how many days."""

    tables: Mapping[str, str]
    minimum_days: int
    default_days: int


PERMANENT: Final[Mapping[str, Sequence[str]]] = {
    "events": ("events_event", "events_seal"),
    "ledger": ("wallet_account", "wallet_entry", "wallet_posting"),
    "significant_events": ("significant_significantevent",),
    "checkpoints": ("checkpoints_checkpoint",),
}
RETENTION_POLICIES: Final[Mapping[str, RetentionPolicy]] = {
    "player_sessions": RetentionPolicy({"operators_playersession": "created_at"}, TEN_YEARS, TEN_YEARS),
    "sign_ins": RetentionPolicy({"staff_signin": "at"}, TEN_YEARS, TEN_YEARS),
    "views": RetentionPolicy({"staff_accesslogentry": "at"}, TEN_YEARS, TEN_YEARS),
    "callbacks": RetentionPolicy({"wallet_providercallback": "received_at"}, TEN_YEARS, TEN_YEARS),
    "chat_texts": RetentionPolicy(
        {
            "chat_chatreportclosure": "closed_at",
            "chat_chatreport": "reported_at",
            "chat_moderationaction": "done_at",
            "chat_chatmessage": "sent_at",
        },
        FIVE_YEARS,
        TEN_YEARS,
    ),
    "requests": RetentionPolicy({"api_idempotentrequest": "created_at"}, FOUR_MONTHS, FOUR_MONTHS),
    "failed_logins": RetentionPolicy({"axes_accessattempt": "attempt_time"}, 90, 90),
    "staff_sessions": RetentionPolicy({"django_session": "expire_date"}, 0, 0),
    "stream_tickets": RetentionPolicy({"operators_streamticket": "expires_at"}, 0, 0),
}


@dataclass(frozen=True, slots=True)
class PurgeResult:
    """What is, or would be, purged of a kind: rows from before a time."""

    kind: str
    days: int
    before: datetime
    rows: int


def retention_days(kind: str, days: int | None = None) -> int:
    """Return for how many days a kind is kept: as asked for, as set, or by default.

    Raises UnknownKeeping, KeptForGood, and TooYoung for fewer days than the policy or the law wants.
    """
    if kind in PERMANENT:
        raise KeptPermanently(f"{kind} are kept for good.")
    if kind not in RETENTION_POLICIES:
        raise UnknownRetentionKind(f"There is no kind {kind[:60]!r}.")
    keeping = RETENTION_POLICIES[kind]
    policy = settings.RETENTION_DAYS.get(kind, keeping.default_days)
    wanted = policy if days is None else days
    shortest = max(policy, keeping.minimum_days)
    if wanted < shortest:
        raise TooRecentToPurge(f"{kind} are kept for {shortest} days, not for {wanted}.", days=shortest)
    return wanted


def preview_purge(kind: str, *, days: int | None = None) -> PurgeResult:
    """Count what a purge of a kind would remove. Raises as `period` does."""
    kept = retention_days(kind, days)
    before = _now() - timedelta(days=kept)
    rows = sum(_count(table, column, before) for table, column in RETENTION_POLICIES[kind].tables.items())
    return PurgeResult(kind, kept, before, rows)


def purge(kind: str, *, by: str, days: int | None = None) -> PurgeResult:
    """Remove what is older than a kind is kept, and record that. Raises as `period` does."""
    kept = retention_days(kind, days)
    with transaction.atomic():
        before = _now() - timedelta(days=kept)
        rows = sum(_remove(table, column, before) for table, column in RETENTION_POLICIES[kind].tables.items())
        done = PurgeResult(kind, kept, before, rows)
        if rows:
            recorder.record(
                kind=recorder.SignificantEventKind.DATA_PURGED,
                operator=None,
                subject=f"retention:{kind}",
                actor=by,
                reason=f"Kept for {kept} days.",
                after={"rows": rows, "before": before.isoformat()},
            )
    return done


def _now() -> datetime:
    now: datetime = fetch("SELECT clock_timestamp()")[0][0]
    return now


def _count(table: str, column: str, before: datetime) -> int:
    return int(fetch(f"SELECT count(*) FROM {table} WHERE {column} < %s", [before])[0][0])  # noqa: S608  (constants)


def _remove(table: str, column: str, before: datetime) -> int:
    statement = f"WITH gone AS (DELETE FROM {table} WHERE {column} < %s RETURNING 1) SELECT count(*) FROM gone"  # noqa: S608
    return int(fetch(statement, [before])[0][0])
