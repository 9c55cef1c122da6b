"""Players' PINs: set by the operator, changed by the player, checked when a player has to confirm something.

A failed attempt counts even if the request fails: `try_pin` returns its refusal instead of raising it, so that the
transaction that counts it can be committed first.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib.auth.hashers import check_password, make_password
from django.db import connection, transaction

from casino.kernel.errors import Refusal
from casino.operators.refusals import MalformedPin, PinLocked, PinNotSet, PinWrong, UnknownPlayer
from casino.significant import recorder

MAX_FAILURES: Final = 3
WINDOW: Final = timedelta(minutes=30)
LOCK_TIME: Final = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class FailedAttempts:
    """Times of the failed attempts that still count, oldest first, and the end of a lock."""

    failed_at: tuple[datetime, ...]
    locked_until: datetime | None = None

    @property
    def left(self) -> int:
        """Return how many further failures lock the PIN."""
        return 0 if self.locked_until is not None else MAX_FAILURES - len(self.failed_at)


def after_failure(failed_at: Sequence[datetime], *, now: datetime) -> FailedAttempts:
    """Add a failed attempt; attempts older than the window no longer count."""
    recent = (*(failure for failure in failed_at if failure > now - WINDOW), now)
    if len(recent) < MAX_FAILURES:
        return FailedAttempts(recent)
    return FailedAttempts((), now + LOCK_TIME)


_PIN: Final = re.compile(r"[0-9]{4,12}", re.ASCII)

_SET: Final = """
    INSERT INTO operators_playerpin (player_id, pin_hash, set_at, failed_at)
    SELECT id, %s, clock_timestamp(), '{}' FROM operators_player WHERE id = %s AND operator_id = %s
    ON CONFLICT (player_id) DO UPDATE
    SET pin_hash = excluded.pin_hash, set_at = excluded.set_at, failed_at = '{}', locked_until = NULL
    RETURNING set_at
"""
# The clock is read outside the subquery, that is after the lock is acquired.
_LOCK: Final = """
    SELECT locked.*, clock_timestamp() FROM (
        SELECT pin_hash, failed_at, locked_until FROM operators_playerpin WHERE player_id = %s FOR UPDATE) AS locked
"""
_SAVE_FAILURE: Final = """
    UPDATE operators_playerpin SET failed_at = %s::timestamptz[], locked_until = %s::timestamptz WHERE player_id = %s
"""
_CLEAR_FAILURES: Final = """
    UPDATE operators_playerpin SET failed_at = '{}', locked_until = NULL
    WHERE player_id = %s AND (failed_at <> '{}' OR locked_until IS NOT NULL)
"""


def set_pin(*, operator: UUID, player: UUID, pin: str) -> datetime:
    """Set a player's PIN for the operator, which also lifts a lock, and return the time.

    Raises MalformedPin, and UnknownPlayer also for a player of another operator.
    """
    with transaction.atomic():
        return _set_pin(operator, player, pin, by=f"operator:{operator}")


def _set_pin(operator: UUID, player: UUID, pin: str, *, by: str) -> datetime:
    require_well_formed(pin)
    rows = _fetch_all(_SET, make_password(pin), player, operator)
    if not rows:
        raise UnknownPlayer
    subject = f"player:{player}"
    recorder.record(
        kind=recorder.SignificantEventKind.ACCOUNT_CHANGED,
        operator=operator,
        subject=subject,
        actor=by,
        reason="The PIN was set",
    )
    set_at: datetime = rows[0][0]
    return set_at


def change_pin(*, operator: UUID, player: UUID, old: str, new: str) -> datetime:
    """Change a player's PIN for the player, and return the time.

    Raises MalformedPin, PinNotSet, PinLocked, and PinWrong, which is counted before it is raised.
    """
    require_well_formed(new)
    with transaction.atomic():
        refusal = try_pin(player=player, pin=old)
        if refusal is None:
            return _set_pin(operator, player, new, by=f"player:{player}")
    raise refusal


def try_pin(*, player: UUID, pin: str) -> Refusal | None:
    """Check a player's PIN, one attempt at a time; return the refusal, or None if it is correct.

    Call it inside a transaction, and commit that before raising the refusal: it counts the failed attempt.
    """
    rows = _fetch_all(_LOCK, player)
    if not rows:
        return PinNotSet()
    pin_hash, failed_at, locked_until, now = rows[0]
    if locked_until is not None and locked_until > now:
        return PinLocked(until=locked_until)
    if check_password(pin, pin_hash):
        _execute(_CLEAR_FAILURES, player)
        return None
    failures = after_failure(failed_at, now=now)
    _execute(_SAVE_FAILURE, list(failures.failed_at), failures.locked_until, player)
    return PinWrong(attempts_left=failures.left, locked_until=failures.locked_until)


def require_well_formed(pin: str) -> None:
    """Check that a PIN is 4 to 12 digits. Raises MalformedPin, which does not repeat it."""
    if not _PIN.fullmatch(pin):
        raise MalformedPin


def _fetch_all(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _execute(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
