"""What staff call these things."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("integrity", "0001_tables"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="approval",
            options={"permissions": [("approve_release", "Can approve a release")], "verbose_name": "approved release"},
        ),
        migrations.AlterModelOptions(
            name="measurement",
            options={"verbose_name": "integrity check"},
        ),
    ]
