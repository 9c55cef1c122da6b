"""The processes that run, and what all of them count."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class Heartbeat(models.Model):
    """A process that runs. It renews its row every few seconds and removes it when it ends."""

    kind = models.TextField(help_text="As in CASINO_PROCESS.")
    host = models.TextField()
    pid = models.IntegerField()
    version = models.TextField(help_text="Of the code that it runs.")
    started_at = models.DateTimeField(db_default=Now())
    beat_at = models.DateTimeField(db_default=Now())
    steady_since = models.DateTimeField(db_default=Now(), help_text="Since when no beat was late.")
    gauges = models.JSONField(default=dict, db_default={}, help_text="What it has now, such as open streams.")

    class Meta:
        verbose_name = "process"
        verbose_name_plural = "processes"
        constraints = [models.UniqueConstraint(fields=["kind", "host", "pid"], name="alerts_heartbeat_process")]

    def __str__(self) -> str:
        return f"{self.kind} {self.pid} on {self.host}"


class Figure(models.Model):
    """What all processes counted and timed since the installation was made: one series of a metric."""

    name = models.TextField()
    labels = ArrayField(models.TextField())
    numbers = ArrayField(models.FloatField(), help_text="A counter's value, or a histogram's buckets and its sum.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["name", "labels"], name="alerts_figure_series")]

    def __str__(self) -> str:
        return f"{self.name} {self.labels}"
