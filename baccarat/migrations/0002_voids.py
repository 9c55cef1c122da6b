from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import append_only, lift_append_only

# Rows written before know neither field; a state is compared as a whole with what its events come to.
KNOW_VOIDS = """UPDATE baccarat_round SET state = state || '{"void_request": null, "voided": null}'"""
FORGET_VOIDS = "UPDATE baccarat_round SET state = state - 'void_request' - 'voided'"


class Migration(migrations.Migration):
    """Rounds can be voided; an operator says what becomes of winnings that were spent before."""

    dependencies = [("baccarat", "0001_tables"), ("events", "0002_append_only")]

    operations = [
        migrations.AlterModelOptions(
            name="round",
            options={
                "permissions": [("request_void", "Can ask for a void"), ("approve_void", "Can agree to a void")],
            },
        ),
        migrations.AddField("round", "void_asked", models.BooleanField(db_default=False)),
        migrations.AddField("wager", "voided_at", models.DateTimeField(null=True)),
        migrations.AddIndex(
            "round", models.Index(fields=["id"], name="round_void_asked", condition=models.Q(void_asked=True))
        ),
        migrations.CreateModel(
            name="VoidPolicy",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("forgive", models.BooleanField()),
                ("actor", models.TextField()),
                ("created_at", models.DateTimeField(db_default=Now())),
            ],
            options={"indexes": [models.Index(fields=["operator_id", "-id"], name="void_policy_operator")]},
        ),
        migrations.RunSQL(
            sql=";".join(append_only("baccarat_voidpolicy")),
            reverse_sql=";".join(lift_append_only("baccarat_voidpolicy")),
        ),
        migrations.RunSQL(sql=KNOW_VOIDS, reverse_sql=FORGET_VOIDS),
    ]
