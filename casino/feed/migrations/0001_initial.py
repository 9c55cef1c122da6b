from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import BrinIndex
from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import grant_all
from casino.events.row_digests import HeldTable, HoldRows

TABLES = (
    "feed_feedhead",
    "feed_feeditem",
    "feed_webhookendpoint",
    "feed_webhooksecret",
    "feed_webhookrun",
    "feed_webhookdelivery",
)
HELD = {"feed_webhookendpoint": HeldTable(("id",), own=()), "feed_webhooksecret": HeldTable(("id",))}


class Migration(migrations.Migration):
    """The numbered feed, webhooks and their queue."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="FeedHead",
            fields=[
                ("operator_id", models.UUIDField(primary_key=True, serialize=False)),
                ("number", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="FeedItem",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "operator_id", "number", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("operator_id", models.UUIDField()),
                ("number", models.BigIntegerField()),
                (
                    "position",
                    models.BigIntegerField(
                        help_text="Of the event in the sealed log; null for an announcement.", null=True
                    ),
                ),
                ("type", models.TextField()),
                ("subject", models.TextField()),
                ("time", models.DateTimeField()),
                ("data", models.JSONField()),
            ],
            options={
                "indexes": [
                    BrinIndex(fields=["position"], name="feed_item_position", autosummarize=True, pages_per_range=16)
                ],
            },
        ),
        migrations.CreateModel(
            name="WebhookEndpoint",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("url", models.TextField()),
                ("types", ArrayField(base_field=models.TextField(), help_text="Empty for all.", size=None)),
                (
                    "status",
                    models.TextField(
                        choices=[("active", "Active"), ("paused", "Paused"), ("waiting", "Waiting")], default="active"
                    ),
                ),
                ("paused_reason", models.TextField(default="")),
                ("created_at", models.DateTimeField()),
            ],
            options={
                "verbose_name": "webhook",
                "indexes": [models.Index(fields=["operator_id", "id"], name="feed_webhook_operator")],
            },
        ),
        migrations.CreateModel(
            name="WebhookSecret",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key_id", models.TextField()),
                ("wrapped", models.BinaryField()),
                ("created_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField(help_text="Null for the newest.", null=True)),
                (
                    "endpoint",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="secrets", to="feed.webhookendpoint"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("run", models.UUIDField(null=True)),
                ("number", models.BigIntegerField(null=True)),
                ("subject", models.TextField()),
                ("created_at", models.DateTimeField()),
                (
                    "due_at",
                    models.DateTimeField(
                        null=True,
                        db_default=Now(),
                        help_text="Of the next attempt, or the end of this one's lease; null once done.",
                    ),
                ),
                ("leased_until", models.DateTimeField(help_text="Set while it is sent.", null=True)),
                ("attempts", models.IntegerField(db_default=0)),
                ("first_tried_at", models.DateTimeField(null=True)),
                ("last_tried_at", models.DateTimeField(null=True)),
                ("delivered_at", models.DateTimeField(null=True)),
                ("response_status", models.IntegerField(null=True)),
                ("response_body", models.TextField(default="", help_text="Its beginning.")),
                ("error", models.TextField(blank=True, db_default="", help_text="Why the last attempt failed.")),
                (
                    "endpoint",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="deliveries", to="feed.webhookendpoint"),
                ),
            ],
            options={
                "verbose_name": "webhook delivery",
                "verbose_name_plural": "webhook deliveries",
                "indexes": [
                    models.Index(fields=["endpoint", "-id"], name="feed_delivery_list"),
                    BrinIndex(
                        fields=["created_at"], name="feed_delivery_created", autosummarize=True, pages_per_range=16
                    ),
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)),
                        fields=["endpoint", "due_at", "id"],
                        name="feed_delivery_due",
                    ),
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)),
                        fields=["run", "subject", "number"],
                        name="feed_delivery_order",
                    ),
                ],
                "constraints": [models.UniqueConstraint(fields=("run", "number"), name="feed_delivery_once_per_run")],
            },
        ),
        migrations.CreateModel(
            name="WebhookRun",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "queued",
                    models.BigIntegerField(help_text="The last number that was queued, or left out by its type."),
                ),
                ("until", models.BigIntegerField(help_text="The last number of a replay.", null=True)),
                (
                    "endpoint",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="runs", to="feed.webhookendpoint"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("until", None)),
                        fields=("endpoint",),
                        name="feed_webhookrun_one_without_end",
                    )
                ],
            },
        ),
        *(migrations.RunSQL(sql=grant_all(table), reverse_sql=migrations.RunSQL.noop) for table in TABLES),
        *(HoldRows(table, held) for table, held in HELD.items()),
    ]
