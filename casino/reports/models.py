"""Reports as they were made, and what they found that needs a person: both only ever grow."""

from django.db import models
from django.db.models.functions import Now


class Report(models.Model):
    """One version of a report. `content` is its JSON document, `sha256` the hash of that; neither ever changes.

    `facts` hashes what it says without when it was made: a version that would say the same is not made. `figures` are
    its sums in minor units.
    """

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    name = models.TextField()
    period = models.TextField()
    since = models.DateTimeField()
    until = models.DateTimeField()
    label = models.TextField()
    version = models.IntegerField()
    position = models.BigIntegerField(help_text="All events sealed up to here are in it.")
    rows = models.IntegerField()
    generated_by = models.TextField()
    generated_at = models.DateTimeField()
    sha256 = models.TextField()
    facts_digest = models.TextField()
    content = models.BinaryField()
    figures = models.JSONField()

    class Meta:
        permissions = [("export_report", "Can have reports made")]
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


class Case(models.Model):
    """Something a report found that a person has to look into. `about` is what; open ones have it once each."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    kind = models.TextField()
    subject = models.TextField()
    report_id = models.UUIDField(null=True)
    details = models.JSONField()
    opened_at = models.DateTimeField(db_default=Now())

    class Meta:
        permissions = [("acknowledge_matter", "Can own and resolve what reports found")]
        indexes = [
            models.Index(fields=["operator_id", "-id"], name="reports_matter_operator"),
            models.Index(fields=["operator_id", "subject", "-id"], name="reports_matter_about"),
        ]

    def __str__(self) -> str:
        return f"{self.kind.replace('_', ' ')}: {self.subject}"


class CaseAction(models.Model):
    """What somebody did about a matter: gave it an owner, or resolved it with a word of why. Numbered from 1."""

    case = models.ForeignKey(Case, models.PROTECT, related_name="acts")
    number = models.IntegerField()
    action = models.TextField()
    owner = models.TextField()
    resolution = models.TextField()
    by = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "number"], name="reports_act_number"),
            models.UniqueConstraint(
                fields=["case"], condition=models.Q(action="resolved"), name="reports_act_resolved_once"
            ),
        ]

    def __str__(self) -> str:
        return f"act {self.number} on {self.case_id}"
