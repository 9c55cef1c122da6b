"""The queue of e-mails: `send` puts one in, `send_due` gives them to the mail server.

No transaction is open while the mail server is asked. A process that dies between sending an e-mail and noting that
has it sent once more, with the same Message-ID, by which mail programs fold the two.
"""

from email.utils import parseaddr
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from casino.events.outbox import Claim, Outbox, doubling
from casino.events.sql import database_now
from casino.mail.models import Email

MOST: Final = 50
"""E-mails that one run of the job sends."""
EMAILS: Final = Outbox("mail_email", gaps=doubling(60, 3600), leases=[120])
"""A lease is longer than the mail server may take: settings.EMAIL_TIMEOUT for each of a few answers."""


def send(*, address: str, subject: str, body: str) -> None:
    """Have an e-mail sent once the caller's transaction commits. It must hold no secret."""
    Email.objects.create(address=address, subject=" ".join(subject.split()), body=body)


def send_due() -> int:
    """Send e-mails that are due, and return how many were sent. A failure is noted and tried again later."""
    return EMAILS.work(_send, most=MOST)


def _send(claim: Claim) -> bool:
    email = Email.objects.get(pk=claim.key)
    deliver(EmailMessage(email.subject, email.body, to=[email.address]), key=f"casino-{email.pk}")
    return EMAILS.done(claim, database_now())


def deliver(message: EmailMessage, *, key: str) -> None:
    """Give an e-mail to the mail server; `key` is the same each time, and makes the Message-ID."""
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    message.extra_headers = {"Message-ID": f"<{key}@{domain}>", "Auto-Submitted": "auto-generated"}
    message.connection = get_connection()
    message.send()
