from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("baccarat", "0005_switches"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="wager",
            index=models.Index(fields=["staked", "round_id"], name="wager_staked"),
        ),
    ]
