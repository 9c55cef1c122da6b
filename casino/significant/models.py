"""Significant events, their notes and thresholds: append-only. Events that wait for acknowledgement have a table."""

from django.db import models
from django.db.models.functions import Now


class SignificantEvent(models.Model):
    """An event that compliance must know: when, by whom, why, and what it changed."""

    id = models.UUIDField(primary_key=True)
    number = models.BigIntegerField(unique=True, help_text="Ascends in the order of recording; may have gaps.")
    kind = models.TextField()
    severity = models.TextField()
    operator_id = models.UUIDField(null=True, help_text="Null for events of the whole installation.")
    subject = models.TextField(help_text="The object concerned: round:<id>, table:<id>, player:<id> …")
    actor = models.TextField(help_text="The actor: staff:<number>, operator:<id>, player:<id>, system.")
    authorised_by = models.TextField(default="", help_text="The person who approved it, if another one.")
    reason = models.TextField(default="")
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    amount = models.BigIntegerField(null=True, help_text="In minor units, if the event is about an amount.")
    currency = models.TextField(default="")
    address = models.TextField(default="", help_text="The client's network address, if known.")
    dedup_key = models.TextField(default="", help_text="Of events with the same key, only the first is recorded.")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        permissions = [("acknowledge_significantevent", "Can acknowledge significant events and add notes")]
        constraints = [
            models.UniqueConstraint(
                fields=["dedup_key"], condition=~models.Q(dedup_key=""), name="significant_event_once"
            ),
        ]
        indexes = [
            models.Index(fields=["operator_id", "-id"], name="significant_event_operator"),
            models.Index(fields=["kind", "-id"], name="significant_event_kind"),
            models.Index(fields=["subject", "-id"], name="significant_event_subject"),
            models.Index(fields=["actor", "-id"], name="significant_event_actor"),
        ]

    def __str__(self) -> str:
        return f"{self.kind.replace('_', ' ')} (no. {self.number})"


class Unacknowledged(models.Model):
    """A significant event that nobody has acknowledged yet. Acknowledging deletes the row."""

    event = models.OneToOneField(
        SignificantEvent, models.PROTECT, primary_key=True, related_name="waiting", db_index=False
    )
    operator_id = models.UUIDField(null=True)

    class Meta:
        indexes = [models.Index(fields=["operator_id"], name="significant_waiting_operator")]
        verbose_name_plural = "unacknowledged"

    def __str__(self) -> str:
        return f"{self.event_id} waits"


class Note(models.Model):
    """A note on a significant event, its acknowledgement, or that it was handed over to an `owner`."""

    event = models.ForeignKey(SignificantEvent, models.PROTECT, related_name="remarks")
    acknowledges = models.BooleanField()
    owner = models.TextField(db_default="")
    text = models.TextField(default="")
    by = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["event"], condition=models.Q(acknowledges=True), name="significant_remark_acknowledged_once"
            ),
        ]

    def __str__(self) -> str:
        return f"note {self.pk}"


class Threshold(models.Model):
    """Amounts, in minor units, from which something is large for an operator. The newest row of a currency counts."""

    operator_id = models.UUIDField()
    currency = models.TextField()
    wager = models.BigIntegerField()
    wager_day = models.BigIntegerField()
    win = models.BigIntegerField()
    win_day = models.BigIntegerField()
    payment = models.BigIntegerField()
    actor = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["operator_id", "currency", "-id"], name="significant_threshold_newest")]

    def __str__(self) -> str:
        return f"thresholds of {self.operator_id} in {self.currency}"
