"""The queue of deliveries: each version of a saved report's period that is over goes once to each of its destinations.

No transaction is open while an e-mail is sent. A process that dies between sending it and noting so has it sent once
more, with the same Message-ID.
"""

import logging
from datetime import timedelta
from email.utils import parseaddr
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage, get_connection

from casino.events.ids import first_id
from casino.events.sql import database_now, fetch
from casino.reports import document
from casino.reports.models import Report
from casino.reports.renderers import render_report

logger = logging.getLogger(__name__)

BATCH: Final = 20
LEASE_SECONDS: Final = 180
"""Longer than sending an e-mail may take."""
LONGEST_PAUSE: Final = 3600
_RECENT: Final = timedelta(days=7)
"""Versions that are older were queued long ago, or created before the destination."""
_QUEUE: Final = """
    INSERT INTO reports_reportdelivery (destination_id, report_id, attempts, error)
    SELECT destination.id, report.id, 0, ''
      FROM reports_reportdestination AS destination
      JOIN reports_savedreport AS saved ON saved.id = destination.saved_report_id
      JOIN reports_report AS report
        ON report.operator_id = ANY (saved.operators) AND report.name = saved.name AND report.period = saved.period
     WHERE report.id >= %s AND report.generated_at > destination.created_at AND report.generated_at >= report.until
    ON CONFLICT DO NOTHING RETURNING id
"""
_CLAIM: Final = f"""
    UPDATE reports_reportdelivery AS delivery
       SET attempts = attempts + 1, due_at = clock_timestamp() + interval '{LEASE_SECONDS} seconds'
      FROM reports_reportdestination AS destination
     WHERE destination.id = delivery.destination_id AND delivery.id = (
           SELECT id FROM reports_reportdelivery WHERE sent_at IS NULL AND due_at <= clock_timestamp()
            ORDER BY due_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING delivery.id, delivery.attempts, delivery.report_id, destination.format, destination.address
"""  # noqa: S608  (constants)
_SENT: Final = """
    UPDATE reports_reportdelivery SET sent_at = clock_timestamp(), error = ''
     WHERE id = %s AND attempts = %s RETURNING 1
"""
_FAILED: Final = """
    UPDATE reports_reportdelivery SET error = %s, due_at = clock_timestamp() + make_interval(secs => %s)
     WHERE id = %s AND attempts = %s RETURNING 1
"""


def queue_deliveries() -> int:
    """Queue versions for destinations that have not got them, and return how many."""
    return len(fetch(_QUEUE, [first_id(database_now() - _RECENT)]))


def deliver_due() -> int:
    """Deliver what is due, and return how much arrived. A failure is noted and tried again later.

    Call it outside any transaction.
    """
    arrived = 0
    for _ in range(BATCH):
        rows = fetch(_CLAIM)
        if not rows:
            break
        number, attempt, report, file_format, address = rows[0]
        try:
            _send(Report.objects.get(pk=report), file_format, address, key=f"casino-report-{number}")
        except (OSError, ValueError) as error:  # errors of mail servers are OSErrors
            logger.warning("A report could not be delivered (attempt %s): %s", attempt, type(error).__name__)
            pause = min(60 * 2 ** min(attempt - 1, 10), LONGEST_PAUSE)
            fetch(_FAILED, [f"{type(error).__name__}: {error}"[:500], pause, number, attempt])
        else:
            fetch(_SENT, [number, attempt])
            arrived += 1
    return arrived


def _send(report: Report, file_format: str, address: str, *, key: str) -> None:
    """Send a version as an attachment; `key` is the same each time, and makes the Message-ID."""
    file = render_report(report, file_format)
    title = document.title(document.read(bytes(report.content)))
    text = f"{title}, {report.label}, version {report.version}.\n\nSHA-256 of the JSON file: {report.sha256}\n"
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2]
    headers = {"Message-ID": f"<{key}@{domain}>", "Auto-Submitted": "auto-generated"}
    message = EmailMessage(file.name, text, to=[address], headers=headers, connection=get_connection())
    message.attach(file.name, file.content, file.media_type.partition(";")[0])
    message.send()
