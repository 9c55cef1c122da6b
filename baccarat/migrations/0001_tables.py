from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [("events", "0002_append_only")]

    operations = [
        migrations.CreateModel(
            name="ShoeSecret",
            fields=[
                ("shoe_id", models.UUIDField(primary_key=True, serialize=False)),
                ("key_id", models.TextField()),
                ("nonce", models.BinaryField()),
                ("sealed", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="Round",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("table_id", models.UUIDField()),
                ("operator_id", models.UUIDField()),
                ("number", models.IntegerField()),
                ("rules", models.TextField()),
                ("currency", models.TextField()),
                ("phase", models.TextField()),
                ("opened_at", models.DateTimeField()),
                ("deadline_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("cards", models.TextField()),
                ("outcome", models.TextField(null=True)),
                ("player_total", models.IntegerField(null=True)),
                ("banker_total", models.IntegerField(null=True)),
                ("wagers", models.IntegerField()),
                ("set_aside", models.TextField(null=True)),
                ("version", models.IntegerField()),
                ("state", models.JSONField()),
            ],
            options={
                "indexes": [models.Index(fields=["operator_id", "id"], name="round_operator")],
                "constraints": [models.UniqueConstraint(fields=("table_id", "number"), name="round_number")],
            },
        ),
        migrations.CreateModel(
            name="Table",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("name", models.TextField()),
                ("preset", models.TextField()),
                ("currency", models.TextField()),
                ("books", models.TextField()),
                ("seats", models.IntegerField()),
                ("seats_taken", models.IntegerField()),
                ("round_id", models.UUIDField(null=True)),
                ("rounds", models.IntegerField()),
                ("due_at", models.DateTimeField(null=True)),
                ("set_aside", models.TextField(null=True)),
                ("opened_at", models.DateTimeField()),
                ("version", models.IntegerField()),
                ("state", models.JSONField()),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="table_due"),
                    models.Index(fields=["operator_id", "id"], name="table_operator"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Wager",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("round_id", models.UUIDField()),
                ("table_id", models.UUIDField()),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField()),
                ("seat", models.IntegerField()),
                ("preset", models.TextField()),
                ("book", models.TextField()),
                ("currency", models.TextField()),
                ("stakes", models.JSONField()),
                ("staked", models.BigIntegerField()),
                ("won", models.BigIntegerField(null=True)),
                ("commission", models.BigIntegerField(null=True)),
                ("returned", models.BigIntegerField(null=True)),
                ("confirmed_at", models.DateTimeField()),
                ("settled_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player_id", "round_id"], name="wager_player"),
                    models.Index(fields=["round_id"], name="wager_round"),
                ],
            },
        ),
        # Rows are updated in place many times; room on the page keeps those updates off the indexes (HOT).
        migrations.RunSQL(
            ["ALTER TABLE baccarat_table SET (fillfactor = 50)", "ALTER TABLE baccarat_round SET (fillfactor = 70)"],
            [],
        ),
    ]
