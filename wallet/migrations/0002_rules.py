from pathlib import Path

from django.db import migrations

from casino.events.immutability import append_only, grant_all, lift_append_only

HERE = Path(__file__).parent
REVERSE = """
    DROP TRIGGER wallet_entry_whole ON wallet_entry;
    DROP TRIGGER wallet_posting_balanced ON wallet_posting;
    DROP FUNCTION wallet_refuse_partial_entry(), wallet_refuse_unbalanced_postings();
"""


class Migration(migrations.Migration):
    """Every entry sums to zero; accounts, entries and postings are never changed or removed."""

    dependencies = [("wallet", "0001_tables")]

    operations = [
        migrations.RunSQL(sql=(HERE / "0002_rules.sql").read_text(encoding="utf-8"), reverse_sql=REVERSE),
        *(
            migrations.RunSQL(sql=";".join(append_only(table)), reverse_sql=";".join(lift_append_only(table)))
            for table in ("wallet_account", "wallet_entry", "wallet_posting")
        ),
        migrations.RunSQL(sql=";".join(grant_all("wallet_balance")), reverse_sql=migrations.RunSQL.noop),
    ]
