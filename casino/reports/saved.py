"""Saved reports and their destinations. Every change is a significant event of each operator."""

from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction

from casino.crypto.encryption import EncryptedSecret, decrypt_secret, encrypt_secret, rewrap_rows
from casino.feed.destinations import check_host, check_url
from casino.feed.refusals import InvalidWebhookUrl
from casino.reports.definition import find_definition
from casino.reports.intervals import ReportPeriod
from casino.reports.models import DeliveryChannel, ReportDestination, SavedReport
from casino.reports.refusals import InvalidDestination, InvalidSavedReport, UnknownFormat
from casino.reports.renderers import format_names
from casino.significant import recorder

PERIODS: Final = (ReportPeriod.DAY, ReportPeriod.MONTH, ReportPeriod.YEAR)
"""Periods whose reports are created automatically, so that they can be delivered."""
MAX_TITLE_LENGTH: Final = 80
_PURPOSE: Final = b"casino.reports.destination.v1\x00"


class DestinationAddress(msgspec.Struct, frozen=True, kw_only=True):
    """Where a report goes, and what is needed to get there.

    `address` is that of an e-mail, or sftp://user@host:port/folder, or https://host/bucket/folder. `secret` is the
    password or the private key of SFTP, or the secret key of an object store, whose access key is `user`. `host_key` is
    the public key of the SFTP server.
    """

    address: str
    user: str = ""
    secret: str = ""
    host_key: str = ""
    region: str = ""


def save_report(*, title: str, name: str, period: ReportPeriod, operators: Collection[UUID], by: str) -> SavedReport:
    """Save a report of these operators. Raises UnknownOperatorReport, InvalidSavedReport."""
    find_definition(name)
    text = title.strip()
    if not operators or period not in PERIODS or not 1 <= len(text) <= MAX_TITLE_LENGTH or not text.isprintable():
        raise InvalidSavedReport
    with transaction.atomic():
        row = SavedReport.objects.create(
            title=text, name=name, period=period.value, operators=sorted(set(operators)), created_by=by
        )
        _record(row, by, "A report was saved")
    return row


def remove_report(row: SavedReport, *, by: str) -> None:
    """Remove a saved report with its destinations; versions of the report stay."""
    with transaction.atomic():
        _record(row, by, "A saved report was removed")
        row.delete()


def add_destination(
    row: SavedReport, *, channel: DeliveryChannel, file_format: str, where: DestinationAddress, by: str
) -> ReportDestination:
    """Add a destination, to which go all versions that are created from now on. Raises InvalidDestination."""
    if file_format not in format_names():
        raise UnknownFormat
    _check(channel, where)
    with transaction.atomic():
        encrypted = encrypt_secret(msgspec.json.encode(where), associated_data=_PURPOSE)
        destination = ReportDestination.objects.create(
            saved_report=row,
            channel=channel.value,
            format=file_format,
            label=where.address,
            key_id=encrypted.key_id,
            encrypted=encrypted.data,
        )
        _record(row, by, f"A destination of a saved report was added: {destination}")
    return destination


def remove_destination(destination: ReportDestination, *, by: str) -> None:
    """Remove a destination with what waits for it."""
    with transaction.atomic():
        _record(destination.saved_report, by, f"A destination of a saved report was removed: {destination}")
        destination.delete()


def open_address(key_id: str, encrypted: bytes) -> DestinationAddress:
    """Decrypt where a destination is. Raises DecryptionFailed."""
    raw = decrypt_secret(EncryptedSecret(key_id, bytes(encrypted)), associated_data=_PURPOSE)
    return msgspec.json.decode(raw, type=DestinationAddress)


def rewrap(first: str) -> tuple[dict[str, int], list[str]]:
    """Encrypt all addresses under the first of PERSONAL_KEYS, whose id is `first`. Call it in a transaction.

    Returns how many had which key, and the destinations whose addresses no key decrypts.
    """
    return rewrap_rows(ReportDestination.objects.all(), first, associated_data=_PURPOSE)


def _check(channel: DeliveryChannel, where: DestinationAddress) -> None:
    try:
        if channel is DeliveryChannel.EMAIL:
            validate_email(where.address)
        elif channel is DeliveryChannel.SFTP:
            _check_sftp(where)
        else:
            _check_object_store(where)
    except (ValidationError, InvalidWebhookUrl, ValueError) as error:
        raise InvalidDestination(str(error) if type(error) is ValueError else "") from None


def _check_sftp(where: DestinationAddress) -> None:
    parts = urlsplit(where.address)
    if parts.scheme != "sftp" or not parts.username or parts.password is not None or parts.port == 0:
        raise ValueError("Use sftp://user@host:port/folder; the password or key has a field of its own.")
    if not where.secret or len(where.host_key.split()) < 2:
        raise ValueError("SFTP needs a password or a private key, and the server's public key.")
    check_host(parts.hostname or "")


def _check_object_store(where: DestinationAddress) -> None:
    check_url(where.address)
    if not urlsplit(where.address).path.strip("/"):
        raise ValueError("Use https://host/bucket or https://host/bucket/folder.")
    if not where.user or not where.secret:
        raise ValueError("An object store needs an access key and its secret key.")


def _record(row: SavedReport, by: str, reason: str) -> None:
    for operator in row.operators:
        recorder.record(
            kind=recorder.SignificantEventKind.CONFIG_CHANGED,
            operator=operator,
            subject=f"saved_report:{row.pk}",
            actor=by,
            reason=f"{reason} ({row.title})",
            after={"report": row.name, "period": row.period},
        )
