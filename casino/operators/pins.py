"""Players' PINs: set by the operator, changed by the player, checked when a player has to confirm something.

An operator's request to replace a PIN waits a day, in which the player sees it and cancels it with the old PIN; what
only the PIN loosens stays as it is meanwhile.

A failed attempt counts even if the request fails: `try_pin` returns its refusal instead of raising it, so that the
transaction that counts it can be committed first.

Hashing takes long by design, so it is done before a transaction begins: `hash_pin` and `compare_pin`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final, NewType
from uuid import UUID

from django.contrib.auth.hashers import check_password, make_password
from django.db import connection, transaction

from casino.kernel.errors import Refusal
from casino.operators import acts
from casino.operators.models import Player
from casino.operators.refusals import (
    MalformedPin,
    NoPinReplacement,
    PinLocked,
    PinNotSet,
    PinReplacementWaits,
    PinWrong,
    UnknownPlayer,
)
from casino.significant import act_log, recorder

HashedPin = NewType("HashedPin", str)
MAX_FAILURES: Final = 3
WINDOW: Final = timedelta(minutes=30)
LOCK_TIME: Final = timedelta(minutes=30)
REPLACEMENT_DELAY: Final = timedelta(hours=24)
"""How long an operator's request to replace a PIN waits."""


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

_STORED: Final = """
    SELECT CASE WHEN replaced_at <= clock_timestamp() THEN next_hash ELSE pin_hash END
      FROM operators_playerpin WHERE player_id = %s
"""
_STATUS: Final = """
    SELECT CASE WHEN replaced_at <= clock_timestamp() THEN replaced_at ELSE set_at END,
           CASE WHEN replaced_at > clock_timestamp() THEN replaced_at END
      FROM operators_playerpin WHERE player_id = %s
"""
_SET: Final = """
    INSERT INTO operators_playerpin (player_id, pin_hash, set_at, failed_at, next_hash)
    SELECT id, %s, clock_timestamp(), '{}', '' FROM operators_player WHERE id = %s AND operator_id = %s
    ON CONFLICT (player_id) DO UPDATE
    SET pin_hash = excluded.pin_hash, set_at = excluded.set_at, failed_at = '{}', locked_until = NULL,
        next_hash = '', replaced_at = NULL
"""
_REQUEST: Final = """
    UPDATE operators_playerpin SET next_hash = %s, replaced_at = clock_timestamp() + %s
     WHERE player_id = %s AND player_id IN (SELECT id FROM operators_player WHERE operator_id = %s) RETURNING true
"""
_CANCEL: Final = """
    UPDATE operators_playerpin SET next_hash = '', replaced_at = NULL
     WHERE player_id = %s AND replaced_at IS NOT NULL RETURNING true
"""
_REPLACE: Final = """
    UPDATE operators_playerpin SET pin_hash = next_hash, set_at = replaced_at, next_hash = '', replaced_at = NULL,
                                   failed_at = '{}', locked_until = NULL
     WHERE player_id = %s AND replaced_at <= clock_timestamp()
"""
_UNLOCK: Final = """
    UPDATE operators_playerpin SET failed_at = '{}', locked_until = NULL
     WHERE player_id = %s AND player_id IN (SELECT id FROM operators_player WHERE operator_id = %s) RETURNING true
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


@dataclass(frozen=True, slots=True)
class ComparedPin:
    """A PIN that a player entered, and whether it is the one whose hash was stored then, if any."""

    player: UUID
    entered: str = field(repr=False)
    stored: str | None = field(repr=False)
    is_right: bool

    def matches(self, stored: str) -> bool:
        """Return whether it is the PIN with this hash, which is computed again only if it was replaced meanwhile."""
        return self.is_right if stored == self.stored else check_password(self.entered, stored)


def hash_pin(pin: str) -> HashedPin:
    """Hash a new PIN. Raises MalformedPin."""
    require_well_formed(pin)
    return HashedPin(make_password(pin))


def compare_pin(*, player: UUID, pin: str) -> ComparedPin:
    """Compare a PIN with the stored one. Tell nobody the result but by `try_pin`, which counts the attempt."""
    rows = _fetch_all(_STORED, player)
    stored = rows[0][0] if rows else None
    return ComparedPin(player, pin, stored, stored is not None and check_password(pin, stored))


@dataclass(frozen=True, slots=True)
class PinState:
    """When a PIN was set, None without one, and when an operator's request will replace it."""

    set_at: datetime | None = None
    replaced_at: datetime | None = None


def state_of(player: UUID) -> PinState:
    """Return what a player may know of their PIN."""
    return PinState(*next(iter(_fetch_all(_STATUS, player)), ()))


def set_pin(*, operator: UUID, player: UUID, pin: HashedPin) -> PinState:
    """Set a player's first PIN for the operator, or request that it replaces the one that there is, a day later.

    Raises UnknownPlayer, also for a player of another operator.
    """
    by = f"operator:{operator}"
    with transaction.atomic():
        _execute(_REPLACE, player)
        if _fetch_all(_REQUEST, pin, REPLACEMENT_DELAY, player, operator):
            _record(operator, player, "A new PIN was requested", by=by)
        else:
            _set_pin(operator, player, pin, by=by)
        return state_of(player)


def _set_pin(operator: UUID, player: UUID, pin: HashedPin, *, by: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_SET, (pin, player, operator))
        if not cursor.rowcount:
            raise UnknownPlayer
    _record(operator, player, "The PIN was set", by=by)


def _record(operator: UUID, player: UUID, reason: str, *, by: str) -> None:
    kind = recorder.SignificantEventKind.ACCOUNT_CHANGED
    recorder.record(kind=kind, operator=operator, subject=f"player:{player}", actor=by, reason=reason)


def cancel_replacement(*, operator: UUID, pin: ComparedPin) -> PinState:
    """Cancel the request to replace a player's PIN, for the player, who knows the old one.

    Raises NoPinReplacement, PinNotSet, PinLocked, and PinWrong, which is counted before it is raised.
    """
    with transaction.atomic():
        refusal = try_pin(pin)
        if refusal is None:
            if not _fetch_all(_CANCEL, pin.player):
                raise NoPinReplacement
            _record(operator, pin.player, "The request of a new PIN was cancelled", by=f"player:{pin.player}")
            return state_of(pin.player)
    raise refusal


def unlock(*, operator: UUID, player: UUID, by: str) -> PinState:
    """Lift the lock after wrong PINs, which sets none. Raises UnknownPlayer, PinNotSet."""
    with transaction.atomic():
        if not _fetch_all(_UNLOCK, player, operator):
            if not Player.objects.filter(pk=player, operator_id=operator).exists():
                raise UnknownPlayer
            raise PinNotSet
        act_log.done(
            acts.UNLOCK_PIN.name,
            kind=recorder.SignificantEventKind.ACCOUNT_CHANGED,
            operator=operator,
            subject=f"player:{player}",
            actor=by,
            reason="The lock of the PIN was lifted",
        )
        return state_of(player)


def require_no_replacement(player: UUID) -> None:
    """Check that no request waits to replace a player's PIN: what it guards can't be loosened meanwhile.

    Raises PinReplacementWaits.
    """
    replaced_at = state_of(player).replaced_at
    if replaced_at is not None:
        raise PinReplacementWaits(replaced_at=replaced_at)


def change_pin(*, operator: UUID, old: ComparedPin, new: HashedPin) -> PinState:
    """Change a player's PIN for the player, which cancels a request to replace it.

    Raises PinNotSet, PinLocked, and PinWrong, which is counted before it is raised.
    """
    with transaction.atomic():
        refusal = try_pin(old)
        if refusal is None:
            _set_pin(operator, old.player, new, by=f"player:{old.player}")
            return state_of(old.player)
    raise refusal


def try_pin(pin: ComparedPin) -> Refusal | None:
    """Check a player's PIN, one attempt at a time; return the refusal, or None if it is correct.

    Call it inside a transaction, and commit that before raising the refusal: it counts the failed attempt.
    """
    player = pin.player
    _execute(_REPLACE, player)
    rows = _fetch_all(_LOCK, player)
    if not rows:
        return PinNotSet()
    pin_hash, failed_at, locked_until, now = rows[0]
    if locked_until is not None and locked_until > now:
        return PinLocked(until=locked_until)
    if pin.matches(pin_hash):
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
