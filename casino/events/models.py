"""The event store's tables, for queries; rows are written by `store` and `sealer` only."""

from django.db import models
from django.db.models.functions import Now


class Event(models.Model):
    """A recorded event: the `version`-th of its stream."""

    id = models.BigAutoField(primary_key=True)
    transaction = models.BigIntegerField(help_text="The number of the append that wrote it, on all streams.")
    stream = models.TextField()
    version = models.IntegerField()
    type = models.TextField()
    schema = models.SmallIntegerField()
    data = models.JSONField()
    metadata = models.JSONField(null=True, help_text="Null means that of the event before it in its stream.")
    recorded_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["stream", "version"], name="events_event_stream_version")]

    def __str__(self) -> str:
        return f"{self.stream} #{self.version} {self.type}"


class Unsealed(models.Model):
    """An event that waits for the sealer."""

    event_id = models.BigIntegerField(primary_key=True)
    transaction = models.BigIntegerField()

    class Meta:
        verbose_name_plural = "unsealed"

    def __str__(self) -> str:
        return str(self.event_id)


class Seal(models.Model):
    """An event's gapless, commit-ordered position and its digest, chained from the previous one."""

    position = models.BigIntegerField(primary_key=True)
    event_id = models.BigIntegerField(unique=True)
    digest = models.BinaryField(max_length=32)

    def __str__(self) -> str:
        return str(self.position)


class ChainHead(models.Model):
    """The head of the chain after one pass of the sealer. A log whose end was cut off contradicts it."""

    position = models.BigIntegerField(primary_key=True)
    digest = models.BinaryField(max_length=32)
    sealed_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "chain head"

    def __str__(self) -> str:
        return str(self.position)


class Announcement(models.Model):
    """A fact for operators' feeds that is no event, until it has its number there."""

    id = models.BigAutoField(primary_key=True)
    operator_id = models.UUIDField(null=True, help_text="Null for all operators.")
    type = models.TextField()
    data = models.JSONField()
    announced_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.type} {self.pk}"


class Subscription(models.Model):
    """The last position that a subscriber has handled."""

    name = models.TextField(primary_key=True)
    position = models.BigIntegerField()

    class Meta:
        verbose_name = "subscriber"

    def __str__(self) -> str:
        return f"{self.name} at {self.position}"
