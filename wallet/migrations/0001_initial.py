from pathlib import Path

from django.db import migrations, models

from casino.events.immutability import append_only, grant_all, lift_append_only
from casino.events.row_digests import HeldTable, hold_rows, release_rows

HERE = Path(__file__).parent
FORWARD = tuple((HERE / name).read_text(encoding="utf-8") for name in ("0001_tables.sql", "0001_functions.sql"))
APPEND_ONLY = (
    "wallet_account",
    "wallet_entry",
    "wallet_posting",
    "wallet_deposit_method",
    "wallet_withdrawal_policy",
)
ORDINARY = (
    "wallet_balance",
    "wallet_deposit",
    "wallet_withdrawal",
    "wallet_hold",
    "wallet_providercallback",
    "wallet_payment_due",
    "wallet_table_limit",
    "wallet_playerrestrictions",
    "wallet_operatorlimits",
    "wallet_turnover",
    "wallet_played",
    "wallet_exclusion_note",
    "wallet_funding",
    "wallet_transfer",
    "wallet_adjustment",
    "wallet_notice",
    "wallet_reconciliation",
    "wallet_discrepancy",
    "wallet_discrepancy_note",
    "wallet_reconciliation_try",
)
HELD = {
    "wallet_deposit_method": HeldTable(("id",), own=()),
    "wallet_discrepancy_note": HeldTable(("id",)),
    "wallet_exclusion_note": HeldTable(("player_id", "since")),
    "wallet_notice": HeldTable(("id",), ignored=("read_at",)),
    "wallet_providercallback": HeldTable(("id",), ignored=("next_try_at", "attempts", "last_error")),
    "wallet_withdrawal_policy": HeldTable(("id",), own=()),
}
FUNCTIONS = (
    "wallet_refuse_unbalanced_postings",
    "wallet_refuse_partial_entry",
    "wallet_open",
    "wallet_lock",
    "wallet_refuse_contradiction",
    "wallet_refuse_overdraft",
    "wallet_count_play",
    "wallet_post",
    "wallet_play_used",
    "wallet_eligibility",
    "wallet_play_total",
    "wallet_play_leaving",
)
REVERSE = f"DROP TABLE {', '.join((*APPEND_ONLY, *ORDINARY))}; DROP FUNCTION {', '.join(FUNCTIONS)}"


class Migration(migrations.Migration):
    """The ledger and its rules, payments, limits and exclusions, adjustments, and reconciliation."""

    initial = True

    dependencies = [("events", "0001_initial")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(sql=FORWARD, reverse_sql=REVERSE)],
            state_operations=[
                migrations.CreateModel(
                    name="Account",
                    fields=[
                        ("id", models.UUIDField(editable=False, primary_key=True, serialize=False)),
                        ("kind", models.TextField()),
                        ("operator_id", models.UUIDField()),
                        ("money_type", models.TextField()),
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
                                db_constraint=False,
                                on_delete=models.DO_NOTHING,
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
                        ("cause", models.BigIntegerField(primary_key=True, serialize=False)),
                        ("recorded_at", models.DateTimeField()),
                        ("kind", models.TextField()),
                    ],
                    options={
                        "verbose_name_plural": "ledger entries",
                        "verbose_name": "ledger entry",
                    },
                ),
                migrations.CreateModel(
                    name="Posting",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "account_id", "sequence", blank=True, editable=False, primary_key=True, serialize=False
                            ),
                        ),
                        ("amount", models.BigIntegerField()),
                        ("balance", models.BigIntegerField()),
                        ("sequence", models.BigIntegerField()),
                        (
                            "account",
                            models.ForeignKey(
                                db_constraint=False,
                                on_delete=models.DO_NOTHING,
                                related_name="postings",
                                to="wallet.account",
                            ),
                        ),
                        (
                            "entry",
                            models.ForeignKey(on_delete=models.DO_NOTHING, related_name="postings", to="wallet.entry"),
                        ),
                    ],
                ),
                migrations.CreateModel(
                    name="DepositMethod",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("method_id", models.UUIDField()),
                        ("version", models.IntegerField()),
                        ("operator_id", models.UUIDField()),
                        ("name", models.TextField()),
                        ("provider", models.TextField()),
                        ("currency", models.TextField()),
                        ("minimum", models.BigIntegerField()),
                        ("maximum", models.BigIntegerField()),
                        ("fee_fixed", models.BigIntegerField()),
                        ("fee_ppm", models.IntegerField()),
                        ("processing_seconds", models.IntegerField()),
                        ("supports_withdrawals", models.BooleanField()),
                        ("enabled", models.BooleanField()),
                        ("actor", models.TextField()),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "wallet_deposit_method",
                    },
                ),
                migrations.CreateModel(
                    name="Deposit",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("player_id", models.UUIDField()),
                        ("method_id", models.UUIDField()),
                        ("method_version", models.IntegerField()),
                        ("provider", models.TextField()),
                        ("currency", models.TextField()),
                        ("amount", models.BigIntegerField()),
                        ("status", models.TextField()),
                        ("reference", models.TextField(null=True)),
                        ("reason", models.TextField()),
                        ("requested_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("version", models.IntegerField()),
                        ("fee", models.BigIntegerField()),
                        ("debt_created", models.BigIntegerField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Withdrawal",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("player_id", models.UUIDField()),
                        ("method_id", models.UUIDField()),
                        ("method_version", models.IntegerField()),
                        ("provider", models.TextField()),
                        ("currency", models.TextField()),
                        ("amount", models.BigIntegerField()),
                        ("status", models.TextField()),
                        ("reference", models.TextField(null=True)),
                        ("reason", models.TextField()),
                        ("requested_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("version", models.IntegerField()),
                        ("approvals_required", models.IntegerField()),
                        ("approved_by", models.TextField()),
                        ("rejected_by", models.TextField(null=True)),
                        ("owner", models.TextField(null=True)),
                        ("note", models.TextField()),
                        ("fee", models.BigIntegerField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Hold",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("player_id", models.UUIDField()),
                        ("withdrawal_id", models.UUIDField()),
                        ("currency", models.TextField()),
                        ("amount", models.BigIntegerField()),
                        ("causes", models.TextField()),
                        ("status", models.TextField()),
                        ("owner", models.TextField(null=True)),
                        ("told", models.IntegerField()),
                        ("tell_at", models.DateTimeField(null=True)),
                        ("due_at", models.DateTimeField()),
                        ("decided_by", models.TextField()),
                        ("reason", models.TextField()),
                        ("placed_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("version", models.IntegerField()),
                    ],
                    options={
                        "verbose_name": "held payment",
                        "permissions": [
                            ("decide_hold", "Can release or reject held payments"),
                            ("freeze_player", "Can freeze a player's account"),
                            ("unfreeze_player", "Can lift the freeze of a player's account"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="PlayerRestrictions",
                    fields=[
                        ("player_id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("state", models.JSONField()),
                        ("excluded_until", models.DateTimeField(null=True)),
                        ("self_excluded", models.BooleanField()),
                        ("blocked", models.BooleanField()),
                        ("frozen", models.BooleanField()),
                        ("version", models.IntegerField()),
                    ],
                    options={
                        "verbose_name": "player's limits",
                        "verbose_name_plural": "players' limits",
                        "permissions": [("exclude_player", "Can exclude a player from deposits and play")],
                    },
                ),
                migrations.CreateModel(
                    name="PlayerTableLimit",
                    fields=[
                        ("account_id", models.UUIDField(primary_key=True, serialize=False)),
                        ("player_id", models.UUIDField()),
                        ("operator_id", models.UUIDField()),
                        ("currency", models.TextField()),
                        ("amount", models.BigIntegerField(null=True)),
                        ("set_at", models.DateTimeField()),
                        ("next_change_at", models.DateTimeField()),
                        ("version", models.IntegerField()),
                    ],
                    options={
                        "db_table": "wallet_table_limit",
                    },
                ),
                migrations.CreateModel(
                    name="OperatorFunding",
                    fields=[
                        ("operator_id", models.UUIDField(primary_key=True, serialize=False)),
                        ("funding", models.TextField()),
                        ("since", models.DateTimeField()),
                        ("version", models.IntegerField()),
                    ],
                    options={
                        "db_table": "wallet_funding",
                    },
                ),
                migrations.CreateModel(
                    name="Transfer",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("player_id", models.UUIDField()),
                        ("reference", models.TextField()),
                        ("direction", models.TextField()),
                        ("money_type", models.TextField()),
                        ("currency", models.TextField()),
                        ("amount", models.BigIntegerField()),
                        ("everything", models.BooleanField()),
                        ("balance", models.BigIntegerField()),
                        ("at", models.DateTimeField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Adjustment",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("player_id", models.UUIDField()),
                        ("money_type", models.TextField()),
                        ("currency", models.TextField()),
                        ("direction", models.TextField()),
                        ("amount", models.BigIntegerField()),
                        ("reason", models.TextField()),
                        ("note", models.TextField()),
                        ("message", models.TextField()),
                        ("requested_by", models.TextField()),
                        ("approved_by", models.TextField()),
                        ("posted_at", models.DateTimeField()),
                        ("taken", models.BigIntegerField()),
                        ("owed", models.BigIntegerField()),
                    ],
                    options={
                        "permissions": [
                            ("request_adjustment", "Can request an adjustment"),
                            ("approve_adjustment", "Can approve an adjustment"),
                        ],
                    },
                ),
                migrations.CreateModel(
                    name="Reconciliation",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("operator_id", models.UUIDField()),
                        ("provider", models.TextField()),
                        ("currency", models.TextField()),
                        ("day", models.DateField()),
                        ("since", models.DateTimeField()),
                        ("until", models.DateTimeField()),
                        ("ours", models.IntegerField()),
                        ("theirs", models.IntegerField()),
                        ("matched", models.IntegerField()),
                        ("amount", models.BigIntegerField()),
                        ("discrepancies", models.IntegerField()),
                        ("compared_at", models.DateTimeField()),
                        ("version", models.IntegerField()),
                    ],
                ),
                migrations.CreateModel(
                    name="Discrepancy",
                    fields=[
                        ("id", models.UUIDField(primary_key=True, serialize=False)),
                        ("run_id", models.UUIDField()),
                        ("operator_id", models.UUIDField(null=True)),
                        ("provider", models.TextField()),
                        ("currency", models.TextField()),
                        ("day", models.DateField()),
                        ("kind", models.TextField(null=True)),
                        ("payment", models.TextField()),
                        ("reference", models.TextField()),
                        ("type", models.TextField()),
                        ("our_amount", models.BigIntegerField(null=True)),
                        ("our_status", models.TextField(null=True)),
                        ("their_amount", models.BigIntegerField(null=True)),
                        ("their_currency", models.TextField(null=True)),
                        ("their_status", models.TextField(null=True)),
                        ("status", models.TextField()),
                        ("owner", models.TextField(null=True)),
                        ("resolution", models.TextField(null=True)),
                        ("resolved_by", models.TextField(null=True)),
                        ("found_at", models.DateTimeField()),
                        ("ended_at", models.DateTimeField(null=True)),
                        ("version", models.IntegerField()),
                    ],
                    options={"verbose_name_plural": "discrepancies"},
                ),
                migrations.CreateModel(
                    name="DiscrepancyNote",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("discrepancy_id", models.UUIDField()),
                        ("actor", models.TextField()),
                        ("note", models.TextField()),
                        ("created_at", models.DateTimeField()),
                    ],
                    options={
                        "db_table": "wallet_discrepancy_note",
                    },
                ),
                migrations.CreateModel(
                    name="ProviderCallback",
                    fields=[
                        ("id", models.BigAutoField(primary_key=True, serialize=False)),
                        ("provider", models.TextField()),
                        ("nonce", models.TextField()),
                        ("operator_id", models.UUIDField(null=True)),
                        ("player_id", models.UUIDField(null=True)),
                        ("payment_id", models.UUIDField(null=True)),
                        ("money", models.TextField()),
                        ("body", models.TextField()),
                        ("received_at", models.DateTimeField()),
                        ("attempts", models.IntegerField()),
                        ("outcome", models.TextField(null=True)),
                        ("last_error", models.TextField()),
                    ],
                    options={
                        "verbose_name": "provider callback",
                    },
                ),
            ],
        ),
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in APPEND_ONLY),
        *(migrations.RunSQL(sql=grant_all(table), reverse_sql=migrations.RunSQL.noop) for table in ORDINARY),
        *(
            migrations.RunSQL(sql=hold_rows(table, held), reverse_sql=release_rows(table))
            for table, held in HELD.items()
        ),
    ]
