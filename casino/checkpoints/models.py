"""Checkpoints and audits, for queries; rows are written by `signing` and `audit_states` only."""

from enum import StrEnum

from django.db import models
from django.db.models.functions import Now


class Checkpoint(models.Model):
    """A signed note with the root of the Merkle tree over the log's first `size` positions."""

    size = models.BigIntegerField(primary_key=True)
    root = models.BinaryField(max_length=32)
    note = models.TextField()
    made_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Checkpoint {self.size}"


class AuditState(models.Model):
    """The state of all tables that an audit without findings has seen at a position; signed. No row is ever changed."""

    position = models.BigIntegerField(primary_key=True)
    format = models.TextField()
    state = models.BinaryField()
    key = models.TextField()
    signature = models.BinaryField(max_length=64)
    made_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"state at {self.position}"


class AuditKind(StrEnum):
    """What a scheduled audit looks at."""

    FULL = "full"
    SINCE_CHECKPOINT = "since_checkpoint"
    RANGE = "range"
    OTHER_STREAMS = "other_streams"
    WITNESSES = "witnesses"
    MONEY = "money"


class AuditRun(models.Model):
    """A scheduled audit that came to its end: what of the log it read and what it found. No row is ever changed."""

    kind = models.TextField()
    since = models.BigIntegerField(help_text="It read the positions above this one.")
    upto = models.BigIntegerField(help_text="It read the positions up to this one.")
    findings = models.IntegerField()
    verdict = models.TextField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["kind", "-ended_at"], name="checkpoints_auditrun_kind")]

    def __str__(self) -> str:
        return f"{self.kind} audit: {self.verdict}"
