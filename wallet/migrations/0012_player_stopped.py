from django.db import migrations

# Rows written before don't know the field; a rebuild compares them as a whole with what their events come to.
KNOW_STOPS = """UPDATE wallet_protection SET state = state || '{"stopped": null}'"""
FORGET_STOPS = "UPDATE wallet_protection SET state = state - 'stopped'"


class Migration(migrations.Migration):
    """The house can hold a player back from play."""

    dependencies = [("wallet", "0011_exclusion_words")]

    operations = [migrations.RunSQL(sql=KNOW_STOPS, reverse_sql=FORGET_STOPS)]
