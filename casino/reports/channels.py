"""Bring a file to its destination: by e-mail, by SFTP, to an object store.

Bringing the same file again changes nothing: it has the same name, and an e-mail the same Message-ID. A file appears
complete: it is uploaded under another name first, or in parts that are put together at the end.
"""

import asyncio
from email.utils import parseaddr
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import asyncssh
import httpcore
from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from casino.feed.destinations import checked_addresses
from casino.reports.models import DeliveryChannel
from casino.reports.renderers import RenderedReport
from casino.reports.saved import DestinationAddress

CONNECT_SECONDS: Final = 10
TOTAL_SECONDS: Final = 60
ERRORS: Final = (OSError, ValueError, asyncssh.Error, httpcore.NetworkError)
"""What `deliver` raises: also errors of mail servers and of the object store, which are OSErrors, and time-outs."""
_SFTP_PORT: Final = 22


def deliver(channel: DeliveryChannel, where: DestinationAddress, file: RenderedReport, *, text: str, key: str) -> None:
    """Bring a file to its destination. Raises ERRORS.

    `text` introduces it in an e-mail; `key` is the same each time.
    """
    if channel is DeliveryChannel.EMAIL:
        _send_email(where, file, text=text, key=key)
    elif channel is DeliveryChannel.SFTP:
        asyncio.run(_upload(where, file))
    else:
        _put_object(where, file)


def _send_email(where: DestinationAddress, file: RenderedReport, *, text: str, key: str) -> None:
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    headers = {"Message-ID": f"<{key}@{domain}>", "Auto-Submitted": "auto-generated"}
    media_type = file.media_type.partition(";")[0]
    message = EmailMessage(file.name, text, to=[where.address], headers=headers, connection=get_connection())
    message.attach(file.name, file.content, media_type)
    message.send()


async def _upload(where: DestinationAddress, file: RenderedReport) -> None:
    parts = urlsplit(where.address)
    host, port = parts.hostname or "", parts.port or _SFTP_PORT
    credentials: dict[str, Any] = {"password": where.secret, "client_keys": None}
    if where.secret.lstrip().startswith("-----BEGIN"):
        credentials = {"client_keys": [asyncssh.import_private_key(where.secret)], "password": None}
    async with asyncio.timeout(TOTAL_SECONDS):
        addresses = await checked_addresses(host, port)
        known: tuple[Any, Any, Any] = ([asyncssh.import_public_key(where.host_key)], [], [])
        async with (
            asyncssh.connect(
                str(addresses[0]),
                port,
                username=unquote(parts.username or ""),
                known_hosts=known,
                config=None,
                agent_path=None,
                connect_timeout=CONNECT_SECONDS,
                login_timeout=CONNECT_SECONDS,
                **credentials,
            ) as connection,
            connection.start_sftp_client() as client,
        ):
            folder = unquote(parts.path).lstrip("/")
            final = f"{folder.rstrip('/')}/{file.name}" if folder else file.name
            temporary = f"{final}.part"
            async with client.open(temporary, "wb") as upload:
                await upload.write(file.content)
            await _rename(client, temporary, final)


async def _rename(client: asyncssh.SFTPClient, temporary: str, final: str) -> None:
    """Rename a file over another; a server that cannot do so replaces it in two steps."""
    try:
        await client.posix_rename(temporary, final)
    except asyncssh.SFTPOpUnsupported:
        if await client.exists(final):
            await client.remove(final)
        await client.rename(temporary, final)


def _put_object(where: DestinationAddress, file: RenderedReport) -> None:
    from pyarrow import fs

    parts = urlsplit(where.address)
    port = parts.port or {"https": 443, "http": 80}[parts.scheme]
    asyncio.run(checked_addresses(parts.hostname or "", port))
    store = fs.S3FileSystem(
        access_key=where.user,
        secret_key=where.secret,
        region=where.region or "us-east-1",
        scheme=parts.scheme,
        endpoint_override=parts.netloc,
        connect_timeout=CONNECT_SECONDS,
        request_timeout=TOTAL_SECONDS,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=1),
        background_writes=False,
    )
    metadata = {"Content-Type": file.media_type}
    with store.open_output_stream(f"{unquote(parts.path).strip('/')}/{file.name}", metadata=metadata) as stream:
        stream.write(file.content)
