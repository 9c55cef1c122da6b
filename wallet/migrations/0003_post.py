from pathlib import Path

from django.db import migrations

HERE = Path(__file__).parent
REVERSE = """
    DROP FUNCTION wallet_post, wallet_refuse_overdraft, wallet_refuse_contradiction, wallet_lock, wallet_open;
"""


class Migration(migrations.Migration):
    """Posting in one round trip."""

    dependencies = [("wallet", "0002_rules")]

    operations = [
        migrations.RunSQL(sql=(HERE / "0003_post.sql").read_text(encoding="utf-8"), reverse_sql=REVERSE),
    ]
