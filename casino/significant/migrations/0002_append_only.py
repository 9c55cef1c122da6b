from django.db import migrations

from casino.events.immutability import app_role, append_only, lift_append_only

ROLE = app_role()
EVENT, REMARK, WAITING = "significant_significantevent", "significant_remark", "significant_unacknowledged"
TOLD = (
    "id, kind, severity, operator_id, subject, actor, authorised_by, reason, before, after, money, currency, "
    "address, once"
)


class Migration(migrations.Migration):
    """Events and remarks are never changed; the application chooses neither their numbers nor their times."""

    dependencies = [("significant", "0001_tables")]

    operations = [
        migrations.RunSQL(
            sql=f"ALTER TABLE {EVENT} ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY",
            reverse_sql=f"ALTER TABLE {EVENT} ALTER COLUMN number DROP IDENTITY",
        ),
        migrations.RunSQL(sql=append_only(EVENT), reverse_sql=lift_append_only(EVENT)),
        migrations.RunSQL(sql=append_only(REMARK), reverse_sql=lift_append_only(REMARK)),
        migrations.RunSQL(
            sql=[
                f"REVOKE INSERT ON TABLE {EVENT}, {REMARK} FROM {ROLE}",
                f"GRANT INSERT ({TOLD}) ON TABLE {EVENT} TO {ROLE}",
                f"GRANT INSERT (event_id, acknowledges, note, by) ON TABLE {REMARK} TO {ROLE}",
                f"REVOKE ALL ON TABLE {WAITING} FROM PUBLIC, {ROLE}",
                f"GRANT SELECT, INSERT, DELETE ON TABLE {WAITING} TO {ROLE}",
            ],
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
