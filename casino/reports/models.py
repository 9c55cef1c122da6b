"""Generated reports, of which no row is ever changed; and saved reports with their destinations and deliveries."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from casino.events.outbox import Waiting


class Report(models.Model):
    """One version of a report: `content` is its JSON document, `sha256` that document's hash.

    `facts_digest` is the hash of its contents without the time of generation: no new version is stored while it stays
    the same. `figures` are its totals in minor units.
    """

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    name = models.TextField()
    period = models.TextField()
    since = models.DateTimeField()
    until = models.DateTimeField()
    label = models.TextField()
    version = models.IntegerField()
    position = models.BigIntegerField(help_text="It covers all events sealed up to here.")
    rows = models.IntegerField()
    generated_by = models.TextField()
    generated_at = models.DateTimeField()
    sha256 = models.TextField()
    facts_digest = models.TextField()
    content = models.BinaryField()
    figures = models.JSONField()

    class Meta:
        permissions = [("generate_report", "Can generate reports")]
        constraints = [
            models.UniqueConstraint(
                fields=["operator_id", "name", "period", "since", "until", "version"], name="reports_report_version"
            )
        ]
        indexes = [
            models.Index(fields=["operator_id", "-id"], name="reports_report_operator"),
            models.Index(fields=["operator_id", "period", "since"], name="reports_report_since"),
        ]

    def __str__(self) -> str:
        return f"{self.name}, {self.label}, version {self.version}"


class SavedReport(models.Model):
    """A report of some operators that somebody looks at again, and that is delivered when its period is over."""

    title = models.TextField()
    name = models.TextField()
    period = models.TextField()
    operators = ArrayField(models.UUIDField())
    created_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "saved report"

    def __str__(self) -> str:
        return self.title


class ReportDestination(models.Model):
    """An e-mail address to which a saved report goes."""

    saved_report = models.ForeignKey(SavedReport, models.CASCADE, related_name="destinations")
    address = models.TextField()
    format = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "report destination"

    def __str__(self) -> str:
        return self.address


class ReportDelivery(Waiting):
    """A version of a report on its way to a destination: tried when it is due, until it has arrived."""

    destination = models.ForeignKey(ReportDestination, models.CASCADE, related_name="deliveries")
    report = models.ForeignKey(Report, models.PROTECT, related_name="deliveries")
    created_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "report deliveries"
        constraints = [models.UniqueConstraint(fields=["destination", "report"], name="reports_delivery_once")]
        indexes = [
            models.Index(fields=["due_at"], condition=models.Q(due_at__isnull=False), name="reports_delivery_due")
        ]

    def __str__(self) -> str:
        return f"delivery {self.pk}"
