from typing import Any

from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import append_only, grant_all, lift_append_only
from casino.events.row_digests import HeldTable, HoldRows

ORDINARY = ("baccarat_sitting", "baccarat_killswitch", "baccarat_rulesversion", "baccarat_playerpreferences")
HELD = {
    "baccarat_playerpreferences": HeldTable(("player_id",)),
    "baccarat_skin": HeldTable(("id",), own=()),
    "baccarat_voidpolicy": HeldTable(("id",), own=()),
}


def skip_pattern_indexes(_apps: object, schema_editor: Any) -> None:
    """Skip the second index that Django makes of a text key, for patterns: nothing looks for ids by their beginning."""
    waiting = schema_editor.deferred_sql
    schema_editor.deferred_sql = [statement for statement in waiting if "text_pattern_ops" not in str(statement)]


class Migration(migrations.Migration):
    """Projections of tables, rounds and wagers, seats, switches and rules; sealed seeds; and policies on voids."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="ShoeSecret",
            fields=[
                ("shoe_id", models.UUIDField(primary_key=True, serialize=False)),
                ("key_id", models.TextField()),
                ("nonce", models.BinaryField()),
                ("ciphertext", models.BinaryField()),
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
                ("rules_label", models.TextField()),
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
                ("forced", models.BooleanField(db_default=False)),
                ("suspension_reason", models.TextField(null=True)),
                ("flag", models.TextField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["operator_id", "id"], name="round_operator"),
                    models.Index(
                        condition=models.Q(("flag__isnull", False)),
                        fields=["flag", "operator_id", "id"],
                        name="round_flag",
                    ),
                    models.Index(condition=models.Q(("forced", True)), fields=["id"], name="round_forced"),
                ],
                "constraints": [models.UniqueConstraint(fields=("table_id", "number"), name="round_number")],
                "permissions": [
                    ("request_void", "Can request a void"),
                    ("approve_void", "Can approve or decline a void"),
                    ("share_dispute_pack", "Can share dispute packs by link"),
                ],
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
                ("money_types", models.TextField()),
                ("seats", models.IntegerField()),
                ("seats_taken", models.IntegerField()),
                ("round_id", models.UUIDField(null=True)),
                ("rounds", models.IntegerField()),
                ("suspension_reason", models.TextField(null=True)),
                ("in_lobby", models.BooleanField()),
                ("brands", models.TextField()),
                ("opened_at", models.DateTimeField()),
                ("version", models.IntegerField()),
                ("state", models.JSONField()),
                ("round_version", models.IntegerField(null=True)),
                ("round_state", models.JSONField(null=True)),
                ("rules", models.TextField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["operator_id", "id"], name="table_operator"),
                    models.Index(
                        condition=models.Q(("in_lobby", True)), fields=["operator_id", "id"], name="table_lobby"
                    ),
                    models.Index(fields=["rules"], name="table_rules"),
                ],
                "permissions": [
                    ("approve_table", "Can confirm tables that two persons agree on"),
                    ("close_table", "Can close a table permanently"),
                ],
            },
        ),
        migrations.CreateModel(
            name="DueTable",
            fields=[
                ("table_id", models.UUIDField(primary_key=True, serialize=False)),
                ("round_id", models.UUIDField(null=True)),
                ("closes", models.BooleanField()),
                ("due_at", models.DateTimeField(null=True)),
                ("links_due_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="duetable_due"),
                    models.Index(
                        condition=models.Q(("links_due_at__isnull", False)),
                        fields=["links_due_at"],
                        name="duetable_links",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Wager",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("round_id", models.UUIDField()),
                ("table_id", models.UUIDField()),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField()),
                ("seat", models.IntegerField()),
                ("preset", models.TextField()),
                ("money_type", models.TextField()),
                ("currency", models.TextField()),
                ("stakes", models.JSONField()),
                ("staked", models.BigIntegerField()),
                ("won", models.BigIntegerField(null=True)),
                (
                    "pushed",
                    models.BigIntegerField(help_text="Stakes that came back without a decision.", null=True),
                ),
                ("commission", models.BigIntegerField(null=True)),
                ("returned", models.BigIntegerField(null=True)),
                ("confirmed_at", models.DateTimeField()),
                ("settled_at", models.DateTimeField(null=True)),
                ("voided_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player_id", "round_id"], name="wager_player"),
                    models.Index(fields=["round_id"], name="wager_round"),
                    models.Index(
                        condition=models.Q(("voided_at__isnull", False)),
                        fields=["player_id", "voided_at"],
                        name="wager_voided",
                    ),
                    models.Index(fields=["staked"], name="wager_staked"),
                ],
            },
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
            options={
                "indexes": [models.Index(fields=["operator_id", "-id"], name="void_policy_operator")],
            },
        ),
        migrations.CreateModel(
            name="Sitting",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("table_id", models.UUIDField()),
                ("operator_id", models.UUIDField()),
                ("player_id", models.UUIDField()),
                ("seat", models.IntegerField(null=True)),
                ("money_type", models.TextField()),
                ("at", models.DateTimeField()),
            ],
            options={
                "indexes": [
                    models.Index(fields=["player_id", "at"], name="sitting_player"),
                    models.Index(fields=["table_id", "seat"], name="sitting_table"),
                    models.Index(condition=models.Q(("seat__isnull", False)), fields=["id"], name="sitting_now"),
                ],
            },
        ),
        migrations.CreateModel(
            name="KillSwitch",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("scope", models.TextField()),
                ("subject", models.TextField()),
                ("operator_id", models.UUIDField(null=True)),
                ("active", models.BooleanField()),
                ("reason", models.TextField()),
                ("message", models.TextField()),
                ("rank", models.TextField()),
                ("regulator_order", models.TextField()),
                ("deposits", models.BooleanField(help_text="Whether deposits are stopped, too.")),
                ("by", models.TextField()),
                ("agreed_by", models.TextField()),
                ("at", models.DateTimeField()),
                ("version", models.IntegerField()),
            ],
            options={
                "verbose_name_plural": "kill switches",
                "indexes": [models.Index(fields=["operator_id", "id"], name="killswitch_operator")],
                "permissions": [
                    ("stop_play", "Can stop and resume play"),
                    ("stop_gaming", "Can stop and resume all gaming"),
                    ("replace_witness", "Can confirm that tables use another witness"),
                ],
            },
        ),
        migrations.CreateModel(
            name="RulesVersion",
            fields=[
                ("id", models.TextField(primary_key=True, serialize=False)),
                ("table_id", models.UUIDField()),
                ("operator_id", models.UUIDField()),
                ("version", models.IntegerField()),
                ("label", models.TextField()),
                ("digest", models.TextField()),
                ("rules", models.JSONField()),
                ("returns", models.JSONField()),
                ("return_floor", models.IntegerField()),
                ("acknowledgement", models.TextField()),
                ("change_reason", models.TextField()),
                ("status", models.TextField()),
                ("drafted_by", models.TextField()),
                ("drafted_at", models.DateTimeField()),
                ("decided_by", models.TextField()),
                ("decided_at", models.DateTimeField(null=True)),
                ("effective_from", models.TextField()),
                ("reason", models.TextField()),
                ("first_round", models.IntegerField(null=True)),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField(null=True)),
                ("ended_by", models.TextField()),
            ],
            options={
                "verbose_name": "rules version",
                "indexes": [
                    models.Index(fields=["table_id", "version"], name="rulesversion_table"),
                    models.Index(fields=["label", "status"], name="rulesversion_label"),
                    models.Index(fields=["digest"], name="rulesversion_digest"),
                    models.Index(fields=["operator_id", "-drafted_at"], name="rulesversion_operator"),
                ],
                "permissions": [
                    ("draft_rules", "Can draft rules and discard drafts"),
                    ("publish_rules", "Can publish, reject and retire rules"),
                ],
            },
        ),
        migrations.CreateModel(
            name="PlayerPreferences",
            fields=[
                ("player_id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("sound", models.BooleanField(default=True)),
                ("voice", models.BooleanField(default=False)),
                ("animation", models.BooleanField(default=True)),
                ("full_screen", models.BooleanField(default=False)),
                ("instant", models.BooleanField(default=False)),
                ("show_nickname", models.BooleanField(default=False)),
                (
                    "style",
                    models.TextField(choices=[("modern", "Modern"), ("classic", "Classic")], default="modern"),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("style__in", ["modern", "classic"])), name="preferences_style"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Skin",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("name", models.TextField()),
                (
                    "properties",
                    models.JSONField(
                        help_text="Colours such as #0b474e, and the radius of corners in pixels, by name."
                    ),
                ),
                ("logo", models.BinaryField()),
                ("changed_at", models.DateTimeField()),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("operator_id", "name"), name="skin_name")],
            },
        ),
        migrations.RunPython(skip_pattern_indexes, migrations.RunPython.noop),
        # States stay as they were written: nobody searches them, so each write and read would parse them in vain.
        migrations.RunSQL(
            sql="ALTER TABLE baccarat_table ALTER state TYPE json, ALTER round_state TYPE json",
            reverse_sql=migrations.RunSQL.noop,
        ),
        # Room on the page keeps updates off the indexes (HOT): a table with its round is updated by every command,
        # rounds and wagers grow once. A table's row that fills more than half a page is compressed, so that its next
        # version fits beside it.
        migrations.RunSQL(
            sql=[
                "ALTER TABLE baccarat_table SET (fillfactor = 20, toast_tuple_target = 4064)",
                "ALTER TABLE baccarat_duetable SET (fillfactor = 50)",
                "ALTER TABLE baccarat_duetable SET (autovacuum_vacuum_scale_factor = 0)",
                "ALTER TABLE baccarat_duetable SET (autovacuum_vacuum_threshold = 2000)",
                "ALTER TABLE baccarat_round SET (fillfactor = 85)",
            ],
            reverse_sql=migrations.RunSQL.noop,
        ),
        migrations.RunSQL(sql=append_only("baccarat_voidpolicy"), reverse_sql=lift_append_only("baccarat_voidpolicy")),
        *(migrations.RunSQL(sql=grant_all(table), reverse_sql=migrations.RunSQL.noop) for table in ORDINARY),
        *(HoldRows(table, held) for table, held in HELD.items()),
    ]
