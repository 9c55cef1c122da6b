"""What staff call these things."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("wallet", "0014_sealed_words"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="callback",
            options={"verbose_name": "provider's callback", "verbose_name_plural": "providers' callbacks"},
        ),
        migrations.AlterModelOptions(
            name="entry",
            options={"verbose_name": "ledger entry", "verbose_name_plural": "ledger entries"},
        ),
    ]
