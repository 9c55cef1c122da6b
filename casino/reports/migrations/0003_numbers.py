from django.db import migrations

TABLES = ("reports_report", "reports_matter")
ADD = "ALTER TABLE {} ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY UNIQUE"


class Migration(migrations.Migration):
    """Rows are numbered in the order in which they were written, for the inventories that hold them."""

    dependencies = [("reports", "0002_append_only")]

    operations = [
        migrations.RunSQL(sql=ADD.format(table), reverse_sql=f"ALTER TABLE {table} DROP COLUMN number")
        for table in TABLES
    ]
