"""Alerting as two threads of each worker-outbound: one decides what is wrong, the other sends what is queued.

Both share their work with other hosts by rows in PostgreSQL. A message is leased while it is sent, outside any
transaction, so a process that dies has it sent once more. Dead-man's signals are sent only while passes are made.
"""

import asyncio
import logging
import smtplib
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import httpcore
import msgspec
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.db import Error, connection

from casino.alerts import alerting, checks, messages, on_call
from casino.alerts.messages import AlertNews
from casino.alerts.models import Channel, Stage
from casino.alerts.on_call import TargetAddress
from casino.crypto.encryption import DecryptionFailed
from casino.events.sql import database_now, execute, fetch
from casino.feed import signatures
from casino.observability.conditions import runbook_path
from casino.outbound.client import WebhookClient

logger = logging.getLogger(__name__)

POLL_SECONDS: Final = 1.0
TOTAL_SECONDS: Final = 8.0
"""Seconds that a receiver may take."""
LEASE_SECONDS: Final = 30
SIGNAL_SECONDS: Final = 15
"""Seconds between two dead-man's signals."""
BATCH: Final = 50
GAPS: Final = (5, 10, 20, 40, 60)
"""Seconds before each attempt but the first; the last gap for all others."""
GIVE_UP: Final = "1 day"
_CLAIM: Final = f"""
UPDATE alerts_alertmessage AS message
   SET attempts = attempts + 1, due_at = clock_timestamp() + interval '{LEASE_SECONDS} seconds'
  FROM alerts_alert AS alert, alerts_oncalltarget AS target
 WHERE alert.id = message.alert_id AND target.id = message.target_id AND message.id IN (
       SELECT id FROM alerts_alertmessage AS one
        WHERE due_at <= clock_timestamp()
          AND NOT EXISTS (SELECT FROM alerts_alertmessage AS earlier
                           WHERE (earlier.alert_id, earlier.target_id) = (one.alert_id, one.target_id)
                             AND earlier.id < one.id AND earlier.due_at IS NOT NULL)
        ORDER BY due_at, id LIMIT {BATCH} FOR UPDATE SKIP LOCKED)
RETURNING message.id, message.attempts, target.channel, target.key_id, target.encrypted, alert.id, message.stage,
          alert.kind, alert.severity, alert.summary, alert.cause, alert.command, alert.number, alert.opened_at,
          alert.acknowledged_by
"""  # noqa: S608  (constants)
_SENT: Final = """
UPDATE alerts_alertmessage SET due_at = NULL, sent_at = clock_timestamp(), error = '' WHERE id = %s AND attempts = %s
"""
_FAILED: Final = f"""
UPDATE alerts_alertmessage
   SET error = %s, due_at = CASE WHEN created_at > clock_timestamp() - interval '{GIVE_UP}'
                                 THEN clock_timestamp() + make_interval(secs => %s) END
 WHERE id = %s AND attempts = %s
"""  # noqa: S608  (constants)
_SIGNALS: Final = f"""
UPDATE alerts_deadmansignal AS signal SET due_at = clock_timestamp() + interval '{SIGNAL_SECONDS} seconds'
  FROM alerts_oncalltarget AS target
 WHERE target.id = signal.target_id AND signal.target_id IN (
       SELECT target_id FROM alerts_deadmansignal WHERE due_at <= clock_timestamp() FOR UPDATE SKIP LOCKED)
RETURNING target.id, target.key_id, target.encrypted
"""  # noqa: S608  (constants)
_SIGNALLED: Final = """
UPDATE alerts_deadmansignal
   SET sent_at = CASE WHEN %(error)s = '' THEN clock_timestamp() ELSE sent_at END, error = %(error)s
 WHERE target_id = %(target)s
"""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A leased message, or a dead-man's signal, which has no news; `where` is None if no key decrypts it."""

    id: int
    attempt: int
    channel: Channel
    where: TargetAddress | None
    news: AlertNews | None


def start(process: str) -> None:
    """Start both threads in worker-outbound."""
    if process == "worker-outbound":
        for name, work in (("alerting", alerting.run_pass), ("alert-sending", send_due)):
            threading.Thread(target=_run, args=[work, threading.Event()], name=name, daemon=True).start()


def _run(work: Callable[[], object], stop: threading.Event) -> None:
    """Repeat some work until stopped, through restarts of the database."""
    while not stop.wait(POLL_SECONDS):
        try:
            work()
        except Exception as error:
            if not isinstance(error, Error):
                logger.critical("ALERT alerting fails: %s", type(error).__name__, exc_info=error)
            connection.close()
    connection.close()


def send_due() -> int:
    """Send messages and signals that are due, and return how many arrived. Call it outside any transaction."""
    claimed = [*_claim_messages(), *_claim_signals()]
    if not claimed:
        return 0
    errors = asyncio.run(_send_all(claimed, database_now()))
    for each, error in zip(claimed, errors, strict=True):
        _record(each, error)
    return errors.count("")


def _claim_messages() -> list[Outgoing]:
    source = settings.LOG_ORIGIN.partition("/")[0] or socket.gethostname()
    claimed = []
    for row in fetch(_CLAIM):
        number, attempt, channel, key_id, encrypted, alert, stage, kind, *facts = row
        page, runbook = (f"{_origin()}{path}" for path in (_page_path(alert), runbook_path(kind)))
        news = AlertNews(alert, Stage(stage), page, runbook, source, kind, *facts)
        claimed.append(Outgoing(number, attempt, Channel(channel), _open(key_id, encrypted), news))
    return claimed


def _claim_signals() -> list[Outgoing]:
    if checks.alerting():
        return []
    return [
        Outgoing(target, 0, Channel.DEAD_MAN, _open(key_id, encrypted), None)
        for target, key_id, encrypted in fetch(_SIGNALS)
    ]


def _open(key_id: str, encrypted: bytes) -> TargetAddress | None:
    try:
        return on_call.open_address(key_id, encrypted)
    except DecryptionFailed as error:
        logger.critical("ALERT the address of an on-call target can't be decrypted: %s", error)
        return None


def _origin() -> str:
    """Return where people open this service: the first trusted origin, or the first name that it answers to."""
    trusted = next(iter(settings.CSRF_TRUSTED_ORIGINS), "")
    return trusted or f"https://{settings.ALLOWED_HOSTS[0].lstrip('.')}"


def _page_path(alert: int) -> str:
    return f"{settings.FORCE_SCRIPT_NAME or ''}/admin/alerts/alert/{alert}/change/"


async def _send_all(claimed: Sequence[Outgoing], now: datetime) -> list[str]:
    """Send all at once, and return why each did not arrive; empty for those that did."""
    async with WebhookClient(total_seconds=TOTAL_SECONDS) as client:
        return await asyncio.gather(*(_send(each, client, now) for each in claimed))


async def _send(outgoing: Outgoing, client: WebhookClient, now: datetime) -> str:
    if outgoing.where is None:
        return "No key decrypts the address of this target; add it anew."
    try:
        if outgoing.channel is Channel.EMAIL and outgoing.news is not None:
            await asyncio.to_thread(_send_email, outgoing.where.address, outgoing.news)
            return ""
        headers, body = _request(outgoing, outgoing.where, now)
        answer = await client.post(outgoing.where.address, headers=headers, body=body)
    except (OSError, smtplib.SMTPException, ValueError, httpcore.NetworkError, httpcore.ProtocolError) as error:
        return f"{type(error).__name__}: {error}"
    except httpcore.TimeoutException:
        return "There was no answer in time."
    return "" if 200 <= answer.status < 300 else f"The receiver answered {answer.status}."


def _send_email(address: str, news: AlertNews) -> None:
    subject, text = messages.email(news)
    headers = {"Auto-Submitted": "auto-generated", "X-Priority": "1", "References": f"<{news.key}@{news.source}>"}
    EmailMessage(subject, text, to=[address], headers=headers, connection=get_connection()).send()


def _request(outgoing: Outgoing, where: TargetAddress, now: datetime) -> tuple[dict[str, str], bytes]:
    headers = {"content-type": "application/json", "user-agent": "casino-alerts/1"}
    if outgoing.news is None:
        return headers, b"{}"
    body = msgspec.json.encode(messages.body(outgoing.channel, outgoing.news, secret=where.secret, now=now))
    if outgoing.channel is Channel.WEBHOOK:
        message = f"{outgoing.news.key}-{outgoing.id}"
        headers |= signatures.headers([signatures.parse_secret(where.secret)], message=message, now=now, body=body)
    return headers, body


def _record(outgoing: Outgoing, error: str) -> None:
    if error:
        logger.warning("A message to an on-call target did not arrive (%s): %s", outgoing.channel, error)
    if outgoing.news is None:
        execute(_SIGNALLED, {"target": outgoing.id, "error": error[:500]})
    elif error:
        gap = GAPS[min(outgoing.attempt, len(GAPS)) - 1]
        execute(_FAILED, [error[:500], gap, outgoing.id, outgoing.attempt])
    else:
        execute(_SENT, [outgoing.id, outgoing.attempt])
