"""The tables of this app, as models.py describes them."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [("events", "0002_append_only")]

    operations = [
        migrations.CreateModel(
            name="Remark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("acknowledges", models.BooleanField()),
                ("note", models.TextField(default="")),
                ("by", models.TextField()),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name="SignificantEvent",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "number",
                    models.BigIntegerField(help_text="Ascends in the order of recording; may skip some.", unique=True),
                ),
                ("kind", models.TextField()),
                ("severity", models.TextField()),
                ("operator_id", models.UUIDField(help_text="Null for what is of the whole installation.", null=True)),
                ("subject", models.TextField(help_text="What it is about: round:<id>, table:<id>, player:<id> …")),
                (
                    "actor",
                    models.TextField(help_text="Who did it: staff:<number>, operator:<id>, player:<id>, system."),
                ),
                (
                    "authorised_by",
                    models.TextField(default="", help_text="Who agreed to it, where that is another person."),
                ),
                ("reason", models.TextField(default="")),
                ("before", models.JSONField(null=True)),
                ("after", models.JSONField(null=True)),
                ("money", models.BigIntegerField(help_text="In minor units, where it is about an amount.", null=True)),
                ("currency", models.TextField(default="")),
                (
                    "address",
                    models.TextField(default="", help_text="The network address it came from, where one is known."),
                ),
                (
                    "once",
                    models.TextField(
                        default="", help_text="A name under which it is recorded once; empty for as often as said."
                    ),
                ),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                "permissions": [("acknowledge_significantevent", "Can acknowledge significant events and add notes")],
            },
        ),
        migrations.CreateModel(
            name="Unacknowledged",
            fields=[
                (
                    "event",
                    models.OneToOneField(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="waiting",
                        serialize=False,
                        to="significant.significantevent",
                    ),
                ),
                ("operator_id", models.UUIDField(null=True)),
            ],
            options={
                "verbose_name_plural": "unacknowledged",
            },
        ),
        migrations.AddIndex(
            model_name="significantevent",
            index=models.Index(fields=["operator_id", "-id"], name="significant_event_operator"),
        ),
        migrations.AddIndex(
            model_name="significantevent",
            index=models.Index(fields=["kind", "-id"], name="significant_event_kind"),
        ),
        migrations.AddIndex(
            model_name="significantevent",
            index=models.Index(fields=["subject", "-id"], name="significant_event_subject"),
        ),
        migrations.AddConstraint(
            model_name="significantevent",
            constraint=models.UniqueConstraint(
                condition=models.Q(("once", ""), _negated=True), fields=("once",), name="significant_event_once"
            ),
        ),
        migrations.AddField(
            model_name="remark",
            name="event",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="remarks", to="significant.significantevent"
            ),
        ),
        migrations.AddIndex(
            model_name="unacknowledged",
            index=models.Index(fields=["operator_id"], name="significant_waiting_operator"),
        ),
        migrations.AddConstraint(
            model_name="remark",
            constraint=models.UniqueConstraint(
                condition=models.Q(("acknowledges", True)),
                fields=("event",),
                name="significant_remark_acknowledged_once",
            ),
        ),
    ]
