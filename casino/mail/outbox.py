"""The queue of e-mails: `send` puts one in, `send_due` gives them to the mail server.

No transaction is open while the mail server is asked. A process that dies between sending an e-mail and noting that
has it sent once more, with the same Message-ID, by which mail programs fold the two.
"""

import logging
from email.utils import parseaddr
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from casino.events.sql import fetch
from casino.mail.models import Email

logger = logging.getLogger(__name__)

BATCH: Final = 50
LEASE_SECONDS: Final = 120
"""Longer than the mail server may take: settings.EMAIL_TIMEOUT for each of a few answers."""
LONGEST_PAUSE: Final = 3600
_CLAIM: Final = f"""
    UPDATE mail_email SET attempts = attempts + 1, due_at = clock_timestamp() + interval '{LEASE_SECONDS} seconds'
     WHERE id = (SELECT id FROM mail_email WHERE sent_at IS NULL AND due_at <= clock_timestamp()
                  ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING id, address, subject, body, attempts
"""  # noqa: S608  (constants)
_SENT: Final = "UPDATE mail_email SET sent_at = clock_timestamp(), error = '' WHERE id = %s RETURNING 1"
_FAILED: Final = """
    UPDATE mail_email SET error = %s, due_at = clock_timestamp() + make_interval(secs => %s) WHERE id = %s RETURNING 1
"""


def send(*, address: str, subject: str, body: str) -> None:
    """Have an e-mail sent once the caller's transaction commits. It must hold no secret."""
    Email.objects.create(address=address, subject=" ".join(subject.split()), body=body)


def send_due() -> int:
    """Send e-mails that are due, and return how many were sent. A failure is noted and tried again later."""
    sent = 0
    for _ in range(BATCH):
        rows = fetch(_CLAIM)
        if not rows:
            break
        number, address, subject, body, attempts = rows[0]
        try:
            _deliver(number, address, subject, body)
        except (OSError, ValueError) as error:  # connections, time-outs, every error of SMTP; addresses and headers
            logger.warning("An e-mail could not be sent (attempt %s): %s", attempts, type(error).__name__)
            pause = min(60 * 2 ** min(attempts - 1, 10), LONGEST_PAUSE)
            fetch(_FAILED, [f"{type(error).__name__}: {error}"[:500], pause, number])
        else:
            fetch(_SENT, [number])
            sent += 1
    return sent


def _deliver(number: int, address: str, subject: str, body: str) -> None:
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    headers = {"Message-ID": f"<casino-{number}@{domain}>", "Auto-Submitted": "auto-generated"}
    EmailMessage(subject, body, to=[address], headers=headers, connection=get_connection()).send()
