"""The tables of this app, as models.py describes them."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("events", "0001_tables"),
    ]

    operations = [
        migrations.CreateModel(
            name="Operator",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("slug", models.SlugField(max_length=40, unique=True)),
                ("name", models.CharField(max_length=120)),
                ("currency", models.CharField(help_text="ISO 4217: what its players play in.", max_length=3)),
                (
                    "sandbox",
                    models.BooleanField(
                        default=False, help_text="Play here is a test; credits may be made from nothing."
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                ("key_id", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("secret_hash", models.BinaryField(max_length=32)),
                ("label", models.CharField(blank=True, default="", max_length=80)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "operator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="keys", to="operators.operator"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Player",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("reference", models.CharField(help_text="The operator's own id of this player.", max_length=80)),
                ("nickname", models.CharField(max_length=40)),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "operator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="players", to="operators.operator"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="PlayerSession",
            fields=[
                ("token_hash", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("created_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("expires_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="sessions", to="operators.player"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="player",
            index=models.Index(fields=["operator", "id"], name="operators_player_page"),
        ),
        migrations.AddConstraint(
            model_name="player",
            constraint=models.UniqueConstraint(fields=("operator", "reference"), name="operators_player_reference"),
        ),
        migrations.AddIndex(
            model_name="playersession",
            index=models.Index(fields=["expires_at"], name="operators_session_expiry"),
        ),
    ]
