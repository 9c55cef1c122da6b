"""What was measured, what was approved, and how far clocks were apart. Rows are never changed."""

from django.db import models
from django.db.models.functions import Now


class ComponentDigest(models.Model):
    """The items of one part with their SHA-256 digests, kept once however often it is measured."""

    digest = models.TextField(primary_key=True)
    component = models.TextField()
    items = models.JSONField()

    def __str__(self) -> str:
        return f"{self.component} {self.digest[:12]}"


class Measurement(models.Model):
    """What one process found: a digest for each part; `findings` are what differs from what was approved."""

    process = models.TextField()
    code = models.TextField()
    dependencies = models.TextField()
    settings = models.TextField()
    rules = models.TextField()
    verdict = models.TextField()
    findings = models.JSONField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "integrity check"
        indexes = [models.Index(fields=["-at"], name="compliance_measurement_at")]

    def __str__(self) -> str:
        return f"{self.process} {self.verdict}"


class Approval(models.Model):
    """A person approved code, dependencies and settings with these digests; the newest row counts."""

    code = models.TextField()
    dependencies = models.TextField()
    settings = models.TextField()
    by = models.TextField()
    reason = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "approved release"
        permissions = [("approve_release", "Can approve a release")]

    def __str__(self) -> str:
        return f"approval {self.pk}"


class ClockReading(models.Model):
    """How far the clock of a process was from PostgreSQL's: `offset_ms` above zero where it was behind."""

    process = models.TextField()
    host = models.TextField()
    offset_ms = models.IntegerField()
    out_of_tolerance = models.BooleanField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["host", "-id"], name="compliance_clock_host")]

    def __str__(self) -> str:
        return f"{self.process} {self.offset_ms} ms"
