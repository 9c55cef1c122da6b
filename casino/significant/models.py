"""Significant events and what was said about them: both only ever grow. What still waits is a table of its own."""

from django.db import models
from django.db.models.functions import Now


class SignificantEvent(models.Model):
    """Something that compliance has to know of: when, by whom, why, and what it changed."""

    id = models.UUIDField(primary_key=True)
    number = models.BigIntegerField(unique=True, help_text="Ascends in the order of recording; may skip some.")
    kind = models.TextField()
    severity = models.TextField()
    operator_id = models.UUIDField(null=True, help_text="Null for what is of the whole installation.")
    subject = models.TextField(help_text="What it is about: round:<id>, table:<id>, player:<id> …")
    actor = models.TextField(help_text="Who did it: staff:<number>, operator:<id>, player:<id>, system.")
    authorised_by = models.TextField(default="", help_text="Who agreed to it, where that is another person.")
    reason = models.TextField(default="")
    before = models.JSONField(null=True)
    after = models.JSONField(null=True)
    amount = models.BigIntegerField(null=True, help_text="In minor units, where it is about an amount.")
    currency = models.TextField(default="")
    address = models.TextField(default="", help_text="The network address it came from, where one is known.")
    dedup_key = models.TextField(
        default="", help_text="A name under which it is recorded once; empty for as often as said."
    )
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
    """A significant event that nobody has acknowledged yet; the row goes when somebody does."""

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
    """What a person said about a significant event: an acknowledgement, or a note."""

    event = models.ForeignKey(SignificantEvent, models.PROTECT, related_name="remarks")
    acknowledges = models.BooleanField()
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
        return f"remark {self.pk}"


class Threshold(models.Model):
    """From which amount on things are large for an operator, in minor units; the newest row of a currency counts."""

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
