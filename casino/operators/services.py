"""Use cases of operators, their keys and their players."""

import re
from decimal import Decimal
from functools import cache
from typing import Any, Final
from uuid import UUID
from zoneinfo import available_timezones

from django.db import IntegrityError, connection, transaction

from casino.crypto import blind_index, crypto_shredding
from casino.events.ids import new_id
from casino.kernel import money
from casino.operators import credentials
from casino.operators.models import ApiKey, Operator, Player
from casino.operators.refusals import (
    InvalidReturnFloor,
    InvalidSlug,
    SlugTaken,
    UnknownKey,
    UnknownOperator,
    UnknownTimeZone,
)
from casino.significant import recorder

_PERCENT: Final = re.compile(r"[0-9]{1,3}(\.[0-9]{1,2})?", re.ASCII)
_SLUG: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,39}", re.ASCII)

# A conflicting insert must return the existing row, even one committed just before: only DO UPDATE does.
_REGISTER: Final = """
    WITH registered AS (
        INSERT INTO operators_player (id, operator_id, reference_index, reference, nickname)
        VALUES (%(id)s, %(operator)s, %(mark)s, %(reference)s, %(nickname)s)
        ON CONFLICT (operator_id, reference_index) DO UPDATE SET reference_index = operators_player.reference_index
        RETURNING id, operator_id, reference, nickname, created_at
    ), keyed AS (
        INSERT INTO crypto_personalkey (player_id, key_id, wrapped, made_at)
        SELECT id, %(key_id)s, %(wrapped)s, clock_timestamp() FROM registered WHERE id = %(id)s
    )
    SELECT id, operator_id, reference, nickname, created_at FROM registered
"""
_REVOKE: Final = """
    UPDATE operators_apikey SET revoked_at = COALESCE(revoked_at, clock_timestamp()) WHERE key_id = %s
    RETURNING operator_id
"""


def create_operator(*, slug: str, name: str, currency: str, sandbox: bool, time_zone: str = "UTC") -> Operator:
    """Create an operator, whose accounting days begin at midnight in `time_zone`, an IANA name.

    Raises InvalidSlug, SlugTaken, UnknownCurrency, UnknownTimeZone.
    """
    _require_zone(time_zone)
    money.exponent(currency)
    if not _SLUG.fullmatch(slug):
        raise InvalidSlug(f"{slug[:60]!r} is not a slug.")
    try:
        with transaction.atomic():
            operator = Operator.objects.create(
                id=new_id(), slug=slug, name=name, currency=currency, sandbox=sandbox, time_zone=time_zone
            )
            recorder.record(
                kind=recorder.SignificantEventKind.CONFIG_CHANGED,
                operator=operator.id,
                subject=f"operator:{operator.id}",
                actor="command",
                reason="An operator was created",
                after={"slug": slug, "name": name, "currency": currency, "sandbox": sandbox, "time_zone": time_zone},
            )
    except IntegrityError:
        raise SlugTaken(f"There is an operator {slug!r} already.") from None
    return operator


def set_time_zone(*, slug: str, time_zone: str) -> None:
    """Change the time zone of an operator's accounting days. Raises UnknownOperator, UnknownTimeZone."""
    _require_zone(time_zone)
    with transaction.atomic():
        operator = Operator.objects.select_for_update().filter(slug=slug).first()
        if operator is None:
            raise UnknownOperator(f"There is no operator {slug[:60]!r}.")
        Operator.objects.filter(id=operator.id).update(time_zone=time_zone)
        recorder.record(
            kind=recorder.SignificantEventKind.CONFIG_CHANGED,
            operator=operator.id,
            subject=f"operator:{operator.id}",
            actor="command",
            reason="Accounting days begin elsewhere",
            before={"time_zone": operator.time_zone},
            after={"time_zone": time_zone},
        )


def set_return_floor(*, slug: str, percent: str, by: str) -> int:
    """Set the return below which a real-money spot needs acknowledgement; "82.5" is stored as 8250.

    Applies to rules drafted and tables opened from now on. Raises UnknownOperator, ReturnFloorImpossible.
    """
    if not _PERCENT.fullmatch(percent):
        raise InvalidReturnFloor
    floor = int(Decimal(percent) * 100)
    if not 0 < floor <= 10_000:
        raise InvalidReturnFloor
    with transaction.atomic():
        operator = Operator.objects.select_for_update().filter(slug=slug).first()
        if operator is None:
            raise UnknownOperator(f"There is no operator {slug[:60]!r}.")
        Operator.objects.filter(id=operator.id).update(return_floor=floor)
        recorder.record(
            kind=recorder.SignificantEventKind.CONFIG_CHANGED,
            operator=operator.id,
            subject=f"operator:{operator.id}",
            actor=by,
            reason="Another least return",
            before={"return_floor": operator.return_floor},
            after={"return_floor": floor},
        )
    return floor


def find_operator(*, slug: str) -> Operator:
    """Return an operator by its slug. Raises UnknownOperator."""
    operator = Operator.objects.filter(slug=slug).first()
    if operator is None:
        raise UnknownOperator(f"There is no operator {slug[:60]!r}.")
    return operator


def issue_key(*, operator: UUID, label: str = "") -> tuple[str, str]:
    """Issue a new key for an operator: (key id, secret). The secret cannot be shown again."""
    key_id, secret = credentials.new_key()
    with transaction.atomic():
        ApiKey.objects.create(key_id=key_id, operator_id=operator, secret_hash=credentials.digest(secret), label=label)
        _note_key(key_id, operator, by="command", reason="An API key was issued", label=label)
    return key_id, secret


def revoke_key(*, key_id: str, by: str = "command") -> None:
    """Revoke a key, at once and permanently; revoking it twice is no error. Raises UnknownKey."""
    with transaction.atomic():
        row = _returned(_REVOKE, (key_id,))
        if row is None:
            raise UnknownKey(f"There is no key {key_id[:60]!r}.")
        _note_key(key_id, row[0], by=by, reason="An API key was revoked")


def _note_key(key_id: str, operator: UUID, *, by: str, reason: str, label: str | None = None) -> None:
    recorder.record(
        kind=recorder.SignificantEventKind.ACCESS_CHANGED,
        operator=operator,
        subject=f"key:{key_id}",
        actor=by,
        reason=reason,
        after=None if label is None else {"label": label},
    )


def register_player(*, operator: UUID, reference: str, nickname: str) -> Player:
    """Register a player, or return the one with this reference as first registered."""
    identity = new_id()
    key, kept = crypto_shredding.new_key(identity)
    values = {
        "id": identity,
        "operator": operator,
        "mark": blind_index.blind_index(reference),
        "reference": key.encrypt_text(reference),
        "nickname": key.encrypt_text(nickname),
        "key_id": kept.key_id,
        "wrapped": kept.data,
    }
    row = _returned(_REGISTER, values)
    if row is None:
        raise AssertionError("an insert that updates on conflict returns a row")
    player = Player(id=row[0], operator_id=row[1], reference=reference, nickname=row[3], created_at=row[4])
    if player.id == identity:
        player.nickname = nickname
    else:
        crypto_shredding.decrypt_rows([player])
    return player


_zones = cache(available_timezones)  # reads hundreds of files


def _require_zone(name: str) -> None:
    if name not in _zones():
        raise UnknownTimeZone(f"{name[:60]!r} is not a time zone.")


def _returned(statement: str, values: Any) -> tuple[Any, ...] | None:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        row: tuple[Any, ...] | None = cursor.fetchone()
    return row
