"""Heartbeats, what is wrong, who is told, and the messages on their way to them."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from casino.significant.recorder import Severity


class Heartbeat(models.Model):
    """A process that runs. It renews its row every few seconds and removes it when it ends."""

    kind = models.TextField(help_text="As in CASINO_PROCESS.")
    host = models.TextField()
    pid = models.IntegerField()
    version = models.TextField(help_text="Of the code that it runs.")
    started_at = models.DateTimeField(db_default=Now())
    beat_at = models.DateTimeField(db_default=Now())
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


class AlertPass(models.Model):
    """When was last decided what is wrong; the one row is locked by the process that decides."""

    passed_at = models.DateTimeField()
    steady_since = models.DateTimeField(help_text="Since when there was no gap between two passes.")

    def __str__(self) -> str:
        return f"pass at {self.passed_at}"


class Alert(models.Model):
    """Something that is or was wrong. Of each key at most one is not resolved; repeats are counted in it."""

    key = models.TextField()
    kind = models.TextField(help_text="The name of the condition.")
    severity = models.TextField(choices=[(each.value, each.value) for each in Severity])
    operator_id = models.UUIDField(null=True)
    summary = models.TextField(help_text="The effect.")
    cause = models.TextField()
    command = models.TextField(help_text="What to run or to open first.")
    subjects = ArrayField(models.TextField(), default=list, help_text="Tables and the like that are affected.")
    number = models.IntegerField(default=1, help_text="Of the things that are wrong, such as open cases.")
    opened_at = models.DateTimeField()
    seen_at = models.DateTimeField(help_text="When it was last wrong.")
    notice = models.IntegerField(default=1, help_text="Counts how often people were told of it anew.")
    noticed_at = models.DateTimeField(help_text="Since when nobody has acknowledged it.")
    acknowledged_at = models.DateTimeField(null=True)
    acknowledged_by = models.TextField(blank=True, default="")
    acknowledged_number = models.IntegerField(default=0)
    resolved_at = models.DateTimeField(null=True)

    class Meta:
        permissions = [("acknowledge_alert", "Can acknowledge an alert")]
        constraints = [
            models.UniqueConstraint(fields=["key"], condition=models.Q(resolved_at=None), name="alerts_alert_one_open")
        ]

    def __str__(self) -> str:
        return f"alert {self.pk}: {self.summary}"


class OnCallList(models.Model):
    """Who is told of which alerts, and after how long without an acknowledgement."""

    name = models.TextField(unique=True)
    kinds = ArrayField(models.TextField(), default=list, help_text="Empty for all.")
    severity = models.TextField(
        choices=[(each.value, each.value) for each in Severity if each is not Severity.INFO],
        help_text="The lowest that is told.",
    )
    after_seconds = models.IntegerField(default=0, help_text="0 to be told at once; more for the next in line.")

    class Meta:
        verbose_name = "on-call list"

    def __str__(self) -> str:
        return self.name


class Channel(models.TextChoices):
    """How a target is told."""

    EMAIL = "email", "E-mail"
    WEBHOOK = "webhook", "Webhook (Standard Webhooks)"
    CHAT = "chat", "Chat (incoming webhook of Slack and others)"
    PAGER = "pager", "Pager (events of PagerDuty and others)"
    DEAD_MAN = "dead_man", "Dead-man's signal (while alerting works)"


class OnCallTarget(models.Model):
    """Where a list's alerts go. Addresses of chats and keys of pagers are secrets, so they are encrypted."""

    on_call_list = models.ForeignKey(OnCallList, models.CASCADE, related_name="targets")
    channel = models.TextField(choices=Channel.choices)
    label = models.TextField(help_text="The address of an e-mail, the host of any other.")
    key_id = models.TextField()
    encrypted = models.BinaryField()

    class Meta:
        verbose_name = "on-call target"

    def __str__(self) -> str:
        return f"{self.channel} {self.label}"


class DeadManSignal(models.Model):
    """When a target of that channel gets its next signal."""

    target = models.OneToOneField(OnCallTarget, models.CASCADE, primary_key=True, related_name="signal")
    due_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True, default="")

    def __str__(self) -> str:
        return f"dead-man's signal to {self.target_id}"


class Stage(models.TextChoices):
    """What a message says of its alert."""

    OPENED = "opened"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class AlertMessage(models.Model):
    """A message about an alert to a target, once for each stage and notice."""

    alert = models.ForeignKey(Alert, models.CASCADE, related_name="messages")
    target = models.ForeignKey(OnCallTarget, models.CASCADE, related_name="messages")
    stage = models.TextField(choices=Stage.choices)
    notice = models.IntegerField()
    created_at = models.DateTimeField(db_default=Now())
    due_at = models.DateTimeField(db_default=Now(), null=True, help_text="Of the next attempt; null once it is over.")
    attempts = models.IntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True, default="", help_text="Why the last attempt failed.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["alert", "target", "stage", "notice"], name="alerts_message_once")
        ]
        indexes = [models.Index(fields=["due_at"], condition=models.Q(due_at__isnull=False), name="alerts_message_due")]

    def __str__(self) -> str:
        return f"{self.stage} {self.alert_id} to {self.target_id}"
