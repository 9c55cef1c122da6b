from django.db import migrations

from casino.events.immutability import app_role, append_only, grant_all, lift_append_only

ROLE = app_role()


class Migration(migrations.Migration):
    """Events, seals and headmarks are never changed; the application chooses neither an event's id nor its time."""

    dependencies = [("events", "0001_tables")]

    operations = [
        migrations.RunSQL(sql=append_only("events_event"), reverse_sql=lift_append_only("events_event")),
        migrations.RunSQL(sql=append_only("events_seal"), reverse_sql=lift_append_only("events_seal")),
        migrations.RunSQL(sql=append_only("events_headmark"), reverse_sql=lift_append_only("events_headmark")),
        migrations.RunSQL(sql=grant_all("events_subscription"), reverse_sql=migrations.RunSQL.noop),
        migrations.RunSQL(
            sql=[
                f"REVOKE INSERT ON TABLE events_event FROM {ROLE}",
                f"GRANT INSERT (stream, version, type, schema, data, metadata) ON TABLE events_event TO {ROLE}",
                f"REVOKE ALL ON TABLE events_unsealed FROM PUBLIC, {ROLE}",
                f"GRANT SELECT, INSERT, DELETE ON TABLE events_unsealed TO {ROLE}",
            ],
            reverse_sql=migrations.RunSQL.noop,
        ),
    ]
