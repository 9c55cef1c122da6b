"""On-call lists and their targets: who is told of what, and where. Every change is a significant event."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import msgspec
from django.db import transaction

from casino.alerts import acts
from casino.alerts.models import Channel, DeadManSignal, OnCallList, OnCallTarget
from casino.crypto.encryption import EncryptedSecret, decrypt_secret, encrypt_secret, rewrap_rows
from casino.feed.signatures import SigningSecret
from casino.outbound.destinations import check_url
from casino.significant import act_log, recorder
from casino.significant.recorder import Severity

_PURPOSE: Final = b"casino.alerts.target.v1\x00"


class TargetAddress(msgspec.Struct, frozen=True):
    """Where a target is, and what it needs: a pager's routing key, or the secret that signs messages to a webhook."""

    address: str
    secret: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTerms:
    """What a list is told of: kinds (none for all), from a severity on, so many seconds after an alert opened."""

    name: str
    kinds: Sequence[str]
    severity: str
    after_seconds: int


def loosens(row: OnCallList, terms: ListTerms) -> bool:
    """Return whether a list would be told of less, or later."""
    fewer = bool(terms.kinds) and (not row.kinds or not {*row.kinds} <= {*terms.kinds})
    order = list(Severity)
    return (
        fewer
        or order.index(Severity(terms.severity)) > order.index(Severity(row.severity))
        or terms.after_seconds > row.after_seconds
    )


def save_list(terms: ListTerms, *, by: str, row: OnCallList | None = None) -> OnCallList:
    """Add a list, or change one."""
    with transaction.atomic():
        changed = row or OnCallList()
        before = _describe(changed) if row is not None else None
        tightens = row is None or not loosens(row, terms)
        changed.name, changed.kinds = terms.name, list(terms.kinds)
        changed.severity, changed.after_seconds = terms.severity, terms.after_seconds
        changed.save()
        reason = "An on-call list was changed" if row else "An on-call list was added"
        _record(changed, by, reason, before=before, tightens=tightens)
    return changed


def remove_list(row: OnCallList, *, by: str) -> None:
    """Remove a list with its targets and the messages to them."""
    with transaction.atomic():
        before, key = _describe(row), row.pk
        row.delete()
        row.pk = key
        _record(row, by, "An on-call list was removed", before=before, removed=True)


def new_secret() -> str:
    """Draw a secret for a webhook, in the form in which its receiver needs it."""
    return SigningSecret(secrets.token_bytes(32)).text


def add_target(row: OnCallList, *, channel: Channel, where: TargetAddress, by: str) -> OnCallTarget:
    """Add a target. Raises InvalidWebhookUrl."""
    if channel is not Channel.EMAIL:
        check_url(where.address)
    label = label_of(channel, where)
    with transaction.atomic():
        sealed = seal_address(where)
        target = OnCallTarget.objects.create(
            on_call_list=row, channel=channel, label=label, key_id=sealed.key_id, encrypted=sealed.data
        )
        if channel is Channel.DEAD_MAN:
            DeadManSignal.objects.create(target=target)
        _record(row, by, f"An on-call target was added: {target}")
    return target


def label_of(channel: Channel, where: TargetAddress) -> str:
    """Return what a target is called: an e-mail address, or the host of a receiver."""
    return where.address if channel is Channel.EMAIL else (urlsplit(where.address).hostname or "")


def seal_address(where: TargetAddress) -> EncryptedSecret:
    """Encrypt where a target is."""
    return encrypt_secret(msgspec.json.encode(where), associated_data=_PURPOSE)


def remove_target(target: OnCallTarget, *, by: str) -> None:
    """Remove a target with the messages to it."""
    with transaction.atomic():
        target.delete()
        _record(target.on_call_list, by, f"An on-call target was removed: {target}")


def open_address(key_id: str, encrypted: bytes) -> TargetAddress:
    """Decrypt where a target is. Raises DecryptionFailed."""
    raw = decrypt_secret(EncryptedSecret(key_id, bytes(encrypted)), associated_data=_PURPOSE)
    return msgspec.json.decode(raw, type=TargetAddress)


def rewrap(first: str) -> tuple[dict[str, int], list[str]]:
    """Encrypt all addresses under the first of PERSONAL_KEYS, whose id is `first`. Call it in a transaction.

    Returns how many had which key, and the targets whose addresses no key decrypts.
    """
    return rewrap_rows(OnCallTarget.objects.all(), first, associated_data=_PURPOSE)


def _describe(row: OnCallList) -> dict[str, object]:
    return {
        "name": row.name, "kinds": list(row.kinds), "severity": row.severity, "after_seconds": row.after_seconds
    }  # fmt: skip


def _record(
    row: OnCallList,
    by: str,
    reason: str,
    *,
    before: dict[str, object] | None = None,
    removed: bool = False,
    tightens: bool = False,
) -> None:
    act_log.done(
        acts.CHANGE_LIST.name,
        kind=recorder.SignificantEventKind.CONFIG_CHANGED,
        operator=None,
        subject=f"on_call_list:{row.pk}",
        actor=by,
        reason=f"{reason} ({row.name})",
        tightens=tightens,
        before=before,
        after=None if removed else _describe(row),
    )
