from pathlib import Path

from django.db import migrations, models

FORWARD = (Path(__file__).parent / "0003_post.sql").read_text(encoding="utf-8")
BEFORE = (Path(__file__).parent / "0001_functions.sql").read_text(encoding="utf-8")
START = BEFORE.index("CREATE FUNCTION wallet_post(")
REVERSE = BEFORE[START : BEFORE.index("END $$;", START)].replace("CREATE", "CREATE OR REPLACE", 1) + "END $$;"


class Migration(migrations.Migration):
    """Entries name their operator. Processes of the release before go on posting, by the same function."""

    dependencies = [("wallet", "0002_index_of_age")]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    sql=FORWARD, reverse_sql=f"{REVERSE}\nALTER TABLE wallet_entry DROP COLUMN operator_id"
                )
            ],
            state_operations=[migrations.AddField("entry", "operator_id", models.UUIDField(null=True))],
        ),
    ]
