from django.db import migrations, models


class Migration(migrations.Migration):
    """How little a spot may return for real money unless an operator acknowledges it."""

    dependencies = [("operators", "0005_removal")]

    operations = [
        migrations.AddField(
            "operator",
            "return_floor",
            models.IntegerField(
                default=7500,
                db_default=7500,
                help_text="In hundredths of a percent: what returns less needs an acknowledgement for real money.",
            ),
        )
    ]
