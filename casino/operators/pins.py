"""Players' PINs: set by the operator, changed by the player, checked where a player has to confirm something.

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

TRIES: Final = 3
WINDOW: Final = timedelta(minutes=30)
LOCKED_FOR: Final = timedelta(minutes=30)


@dataclass(frozen=True, slots=True)
class Tries:
    """Failed attempts that still count, oldest first, and the end of a lock; `left` before it locks."""

    failed_at: tuple[datetime, ...]
    locked_until: datetime | None = None

    @property
    def left(self) -> int:
        """Return how many failed attempts are left."""
        return 0 if self.locked_until is not None else TRIES - len(self.failed_at)


def after_failure(failed_at: Sequence[datetime], *, now: datetime) -> Tries:
    """Add a failed attempt; attempts older than the window no longer count."""
    recent = (*(moment for moment in failed_at if moment > now - WINDOW), now)
    if len(recent) < TRIES:
        return Tries(recent)
    return Tries((), now + LOCKED_FOR)


_PIN: Final = re.compile(r"[0-9]{4,12}", re.ASCII)

_SET: Final = """
    INSERT INTO operators_playerpin (player_id, pin_hash, set_at, failed_at)
    SELECT id, %s, clock_timestamp(), '{}' FROM operators_player WHERE id = %s AND operator_id = %s
    ON CONFLICT (player_id) DO UPDATE
    SET pin_hash = excluded.pin_hash, set_at = excluded.set_at, failed_at = '{}', locked_until = NULL
    RETURNING set_at
"""
# The clock is outside, so that it is read after the lock is acquired.
_LOCK: Final = """
    SELECT locked.*, clock_timestamp() FROM (
        SELECT pin_hash, failed_at, locked_until FROM operators_playerpin WHERE player_id = %s FOR UPDATE) AS locked
"""
_FAILED: Final = """
    UPDATE operators_playerpin SET failed_at = %s::timestamptz[], locked_until = %s::timestamptz WHERE player_id = %s
"""
_RIGHT: Final = """
    UPDATE operators_playerpin SET failed_at = '{}', locked_until = NULL
    WHERE player_id = %s AND (failed_at <> '{}' OR locked_until IS NOT NULL)
"""


def set_pin(*, operator: UUID, player: UUID, pin: str) -> datetime:
    """Set a player's PIN for the operator, which also lifts a lock, and return the time.

    Raises MalformedPin, and UnknownPlayer also for a player of another operator.
    """
    with transaction.atomic():
        return _set(operator, player, pin, by=f"operator:{operator}")


def _set(operator: UUID, player: UUID, pin: str, *, by: str) -> datetime:
    require_well_formed(pin)
    rows = _run(_SET, make_password(pin), player, operator)
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

    Raises MalformedPin, PinNotSet, PinLocked, and PinWrong, which has been counted.
    """
    require_well_formed(new)
    with transaction.atomic():
        refusal = try_pin(player=player, pin=old)
        if refusal is None:
            return _set(operator, player, new, by=f"player:{player}")
    raise refusal


def try_pin(*, player: UUID, pin: str) -> Refusal | None:
    """Check a player's PIN, one attempt at a time; return the refusal, or None if it is correct.

    Call it inside a transaction, and commit that before raising the refusal: it counts the failed attempt.
    """
    rows = _run(_LOCK, player)
    if not rows:
        return PinNotSet()
    kept, failed_at, locked_until, now = rows[0]
    if locked_until is not None and locked_until > now:
        return PinLocked(until=locked_until)
    if check_password(pin, kept):
        _change(_RIGHT, player)
        return None
    tries = after_failure(failed_at, now=now)
    _change(_FAILED, list(tries.failed_at), tries.locked_until, player)
    return PinWrong(attempts_left=tries.left, locked_until=tries.locked_until)


def require_well_formed(pin: str) -> None:
    """Check that a PIN is 4 to 12 digits. Raises MalformedPin, which does not repeat it."""
    if not _PIN.fullmatch(pin):
        raise MalformedPin


def _run(statement: str, *values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _change(statement: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
