"""What staff call these things."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("staff", "0002_proxies"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="view",
            options={"verbose_name": "look at data", "verbose_name_plural": "looks at data"},
        ),
    ]
