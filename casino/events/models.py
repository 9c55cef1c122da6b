"""The event store's tables as Django sees them, for reading pages; rows go in through `store` and `sealer` only."""

from django.db import models
from django.db.models.functions import Now


class Event(models.Model):
    """What happened, once and for ever: the `version`-th event of its stream."""

    id = models.BigAutoField(primary_key=True)
    stream = models.TextField()
    version = models.IntegerField()
    type = models.TextField()
    schema = models.SmallIntegerField()
    data = models.JSONField()
    metadata = models.JSONField()
    recorded_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["stream", "version"], name="events_event_stream_version")]

    def __str__(self) -> str:
        return f"{self.stream} #{self.version} {self.type}"


class Unsealed(models.Model):
    """An event that the sealer has yet to give a position."""

    event_id = models.BigIntegerField(primary_key=True)

    class Meta:
        verbose_name_plural = "unsealed"

    def __str__(self) -> str:
        return str(self.event_id)


class Seal(models.Model):
    """An event's gapless, commit-ordered position, and the digest chained from the one before."""

    position = models.BigIntegerField(primary_key=True)
    event_id = models.BigIntegerField(unique=True)
    digest = models.BinaryField(max_length=32)

    def __str__(self) -> str:
        return str(self.position)


class ChainHead(models.Model):
    """The head of the chain as one pass of the sealer left it: a cut tail contradicts it."""

    position = models.BigIntegerField(primary_key=True)
    digest = models.BinaryField(max_length=32)
    sealed_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "head of the chain"
        verbose_name_plural = "heads of the chain"

    def __str__(self) -> str:
        return str(self.position)


class Subscription(models.Model):
    """How far one subscriber has read."""

    name = models.TextField(primary_key=True)
    position = models.BigIntegerField()

    class Meta:
        verbose_name = "subscriber"

    def __str__(self) -> str:
        return f"{self.name} at {self.position}"
