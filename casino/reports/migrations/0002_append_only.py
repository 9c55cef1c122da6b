from django.db import migrations

from casino.events.immutability import app_role, append_only, lift_append_only

ROLE = app_role()
TABLES = ("reports_report", "reports_matter", "reports_matteract")


class Migration(migrations.Migration):
    """Reports, matters and what was done about them are never changed; nobody chooses when a matter was found."""

    dependencies = [("events", "0002_append_only"), ("reports", "0001_tables")]

    operations = [
        *(migrations.RunSQL(sql=append_only(table), reverse_sql=lift_append_only(table)) for table in TABLES),
        migrations.RunSQL(
            sql=[
                f"REVOKE INSERT ON TABLE reports_matter, reports_matteract FROM {ROLE}",
                f"GRANT INSERT (id, operator_id, kind, about, report_id, found) ON TABLE reports_matter TO {ROLE}",
                f"GRANT INSERT (matter_id, number, act, owner, words, by) ON TABLE reports_matteract TO {ROLE}",
            ],
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
