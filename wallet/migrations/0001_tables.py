from pathlib import Path

import django.db.models.deletion
from django.db import migrations, models

HERE = Path(__file__).parent


class Migration(migrations.Migration):
    """Accounts, their balances, entries and postings."""

    initial = True
    dependencies = [("events", "0002_append_only")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    sql=(HERE / "0001_tables.sql").read_text(encoding="utf-8"),
                    reverse_sql="DROP TABLE wallet_posting, wallet_entry, wallet_balance, wallet_account",
                )
            ],
            state_operations=[
                migrations.CreateModel(
                    name="Account",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("kind", models.TextField()),
                        ("operator_id", models.UUIDField()),
                        ("book", models.TextField()),
                        ("currency", models.TextField()),
                        ("player_id", models.UUIDField(null=True)),
                        ("table_id", models.UUIDField(null=True)),
                    ],
                ),
                migrations.CreateModel(
                    name="Balance",
                    fields=[
                        (
                            "account",
                            models.OneToOneField(
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                primary_key=True,
                                serialize=False,
                                to="wallet.account",
                            ),
                        ),
                        ("balance", models.BigIntegerField(default=0)),
                        ("sequence", models.BigIntegerField(default=0)),
                        ("floor", models.BooleanField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Entry",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("kind", models.TextField()),
                        ("cause", models.BigIntegerField(unique=True)),
                        ("recorded_at", models.DateTimeField()),
                    ],
                    options={"verbose_name_plural": "entries"},
                ),
                migrations.CreateModel(
                    name="Posting",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("amount", models.BigIntegerField()),
                        ("balance", models.BigIntegerField()),
                        ("sequence", models.BigIntegerField()),
                        (
                            "account",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                related_name="postings",
                                to="wallet.account",
                            ),
                        ),
                        (
                            "entry",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.DO_NOTHING,
                                related_name="postings",
                                to="wallet.entry",
                            ),
                        ),
                    ],
                    options={
                        "constraints": [
                            models.UniqueConstraint(fields=("account", "sequence"), name="wallet_posting_gapless"),
                            models.UniqueConstraint(fields=("entry", "account"), name="wallet_posting_once"),
                        ]
                    },
                ),
            ],
        )
    ]
