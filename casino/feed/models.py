"""The feed's tables. Items are written by `writer`, deliveries by `queue`."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import models

from casino.crypto.models import EncryptedSecret
from casino.events.outbox import Waiting


class FeedHead(models.Model):
    """The last number of an operator's feed."""

    operator_id = models.UUIDField(primary_key=True)
    number = models.BigIntegerField()

    def __str__(self) -> str:
        return f"feed of {self.operator_id} at {self.number}"


class FeedItem(models.Model):
    """An item of an operator's feed. Numbers have no gaps; the oldest items expire."""

    pk = models.CompositePrimaryKey("operator_id", "number")
    operator_id = models.UUIDField()
    number = models.BigIntegerField()
    position = models.BigIntegerField(null=True, help_text="Of the event in the sealed log; null for an announcement.")
    type = models.TextField()
    subject = models.TextField()
    time = models.DateTimeField()
    data = models.JSONField()

    class Meta:
        indexes = [BrinIndex(fields=["position"], name="feed_item_position", autosummarize=True, pages_per_range=16)]

    def __str__(self) -> str:
        return f"{self.type} {self.number}"


class WebhookStatus(models.TextChoices):
    """Whether an endpoint's deliveries are sent."""

    ACTIVE = "active"
    PAUSED = "paused"
    WAITING = "waiting"


class WebhookEndpoint(models.Model):
    """An address that an operator's items are pushed to; nothing is while it waits for another person."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    url = models.TextField()
    types = ArrayField(models.TextField(), help_text="Empty for all.")
    status = models.TextField(choices=WebhookStatus.choices, default=WebhookStatus.ACTIVE)
    paused_reason = models.TextField(default="")
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = "webhook"
        indexes = [models.Index(fields=["operator_id", "id"], name="feed_webhook_operator")]

    def __str__(self) -> str:
        return self.url


class WebhookSecret(EncryptedSecret):
    """What signs an endpoint's deliveries. At most two live at a time."""

    endpoint = models.ForeignKey(WebhookEndpoint, models.CASCADE, related_name="secrets")
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, help_text="Null for the newest.")

    def __str__(self) -> str:
        return f"secret of webhook {self.endpoint_id}"

    def bound_to(self) -> bytes:
        """Return what the secret belongs to."""
        return b"casino.webhook.v1\x00" + self.endpoint_id.bytes


class WebhookRun(models.Model):
    """A run over the feed: one without end for what is new, and one for each replay."""

    id = models.UUIDField(primary_key=True)
    endpoint = models.ForeignKey(WebhookEndpoint, models.CASCADE, related_name="runs")
    queued = models.BigIntegerField(help_text="The last number that was queued, or left out by its type.")
    until = models.BigIntegerField(null=True, help_text="The last number of a replay.")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["endpoint"], condition=models.Q(until=None), name="feed_webhookrun_one_without_end"
            )
        ]

    def __str__(self) -> str:
        return f"run of {self.endpoint_id} at {self.queued}"


class WebhookDelivery(Waiting):
    """An item on its way to an endpoint, with the last attempt's answer. `number` is null for a test."""

    id = models.UUIDField(primary_key=True)
    endpoint = models.ForeignKey(WebhookEndpoint, models.CASCADE, related_name="deliveries")
    run = models.UUIDField(null=True)
    number = models.BigIntegerField(null=True)
    subject = models.TextField()
    created_at = models.DateTimeField()
    leased_until = models.DateTimeField(null=True, help_text="Set while it is sent.")
    first_tried_at = models.DateTimeField(null=True)
    last_tried_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    response_status = models.IntegerField(null=True)
    response_body = models.TextField(default="", help_text="Its beginning.")

    class Meta:
        verbose_name = "webhook delivery"
        verbose_name_plural = "webhook deliveries"
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="feed_delivery_once_per_run")]
        indexes = [
            models.Index(fields=["endpoint", "-id"], name="feed_delivery_list"),
            BrinIndex(fields=["created_at"], name="feed_delivery_created", autosummarize=True, pages_per_range=16),
            models.Index(
                fields=["endpoint", "due_at", "id"],
                name="feed_delivery_due",
                condition=models.Q(due_at__isnull=False),
            ),
            models.Index(
                fields=["run", "subject", "number"],
                name="feed_delivery_order",
                condition=models.Q(due_at__isnull=False),
            ),
        ]

    def __str__(self) -> str:
        return f"delivery {self.id}"
