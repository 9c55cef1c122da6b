from django.db import migrations, models


class Migration(migrations.Migration):
    """What two players staked in the rounds in which they bet on opposite sides."""

    dependencies = [("risk", "0002_lookup_by_status")]

    operations = [
        migrations.AddField(
            model_name="playerpair",
            name="staked",
            field=models.BigIntegerField(
                db_default=0, help_text="What both staked in such rounds; less, if some were before this was counted."
            ),
        ),
    ]
