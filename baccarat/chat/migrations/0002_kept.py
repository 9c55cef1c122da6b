"""What was said may go once nobody has to keep it any more: five years, as complaints (GLI-19 A.4.4 b)."""

from django.db import migrations

from casino.events.immutability import append_only, lift_append_only
from casino.staff.keeping import kept_for, lift_kept_for

FIVE_YEARS = 1827
TIMES = {"chat_message": "sent_at", "chat_report": "reported_at", "chat_closing": "closed_at", "chat_act": "done_at"}


class Migration(migrations.Migration):
    dependencies = [("chat", "0001_initial"), ("staff", "0001_initial")]

    operations = [
        migrations.RunSQL(
            sql=";".join((*lift_append_only(table), *kept_for(table, column=column, days=FIVE_YEARS))),
            reverse_sql=";".join((*lift_kept_for(table), *append_only(table))),
        )
        for table, column in TIMES.items()
    ]
