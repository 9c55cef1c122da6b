from django.db import migrations

NAME = "compliance_case_player"


class Migration(migrations.Migration):
    """An index by which the cases about a player are found; made while cases are opened."""

    atomic = False

    dependencies = [("compliance", "0002_export_operator")]

    operations = [
        migrations.RunSQL(
            sql=f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {NAME} ON compliance_case (split_part(subject, ' ', 1), id)",
            reverse_sql=f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}",
        ),
    ]
