"""What staff call these things."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("events", "0002_append_only"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="headmark",
            options={"verbose_name": "head of the chain", "verbose_name_plural": "heads of the chain"},
        ),
        migrations.AlterModelOptions(
            name="subscription",
            options={"verbose_name": "subscriber"},
        ),
    ]
