"""Generated reports. No row is ever changed."""

from django.db import models


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
