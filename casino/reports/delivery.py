"""The queue of deliveries: each version of a saved report's period that is over goes once to each of its destinations.

No transaction is open while an e-mail is sent. A process that dies between sending it and noting so has it sent once
more, with the same Message-ID.
"""

from datetime import timedelta
from typing import Final

from django.core.mail import EmailMessage

from casino.events.ids import first_id
from casino.events.outbox import Claim, Outbox, doubling
from casino.events.sql import database_now, fetch
from casino.mail import outbox
from casino.reports import document
from casino.reports.models import ReportDelivery
from casino.reports.renderers import render_report

MOST: Final = 20
"""Deliveries of one run of the job."""
_RECENT: Final = timedelta(days=7)
"""Versions that are older were queued long ago, or created before the destination."""
_QUEUE: Final = """
    INSERT INTO reports_reportdelivery (destination_id, report_id)
    SELECT destination.id, report.id
      FROM reports_reportdestination AS destination
      JOIN reports_savedreport AS saved ON saved.id = destination.saved_report_id
      JOIN reports_report AS report
        ON report.operator_id = ANY (saved.operators) AND report.name = saved.name AND report.period = saved.period
     WHERE report.id >= %s AND report.generated_at > destination.created_at AND report.generated_at >= report.until
    ON CONFLICT DO NOTHING RETURNING id
"""
DELIVERIES: Final = Outbox("reports_reportdelivery", gaps=doubling(60, 3600), leases=[180])
"""A lease is longer than sending an e-mail may take."""


def queue_deliveries() -> int:
    """Queue versions for destinations that have not got them, and return how many."""
    return len(fetch(_QUEUE, [first_id(database_now() - _RECENT)]))


def deliver_due() -> int:
    """Deliver what is due, and return how much arrived. A failure is noted and tried again later.

    Call it outside any transaction.
    """
    return DELIVERIES.work(_deliver, most=MOST)


def _deliver(claim: Claim) -> bool:
    """Send a version as an attachment."""
    delivery = ReportDelivery.objects.select_related("report", "destination").get(pk=claim.key)
    report, file = delivery.report, render_report(delivery.report, delivery.destination.format)
    title = document.title(document.read(bytes(report.content)))
    text = f"{title}, {report.label}, version {report.version}.\n\nSHA-256 of the JSON file: {report.sha256}\n"
    message = EmailMessage(file.name, text, to=[delivery.destination.address])
    message.attach(file.name, file.content, file.media_type.partition(";")[0])
    outbox.deliver(message, key=f"casino-report-{delivery.pk}")
    return DELIVERIES.done(claim, database_now())
