"""Tickets by which browsers open streams."""

from django.db import migrations, models

from casino.events.immutability import grant_all


class Migration(migrations.Migration):
    dependencies = [("operators", "0003_staff_and_time_zones")]

    operations = [
        migrations.CreateModel(
            name="StreamTicket",
            fields=[
                ("ticket_hash", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("session_hash", models.BinaryField(max_length=32)),
                ("expires_at", models.DateTimeField()),
            ],
            options={"indexes": [models.Index(fields=["expires_at"], name="operators_ticket_expiry")]},
        ),
        migrations.RunSQL(sql=";".join(grant_all("operators_streamticket")), reverse_sql=migrations.RunSQL.noop),
    ]
