from django.db import migrations, models


class Migration(migrations.Migration):
    """A player who comes back is told of wagers that were voided meanwhile, however old their rounds are."""

    dependencies = [("baccarat", "0003_sittings")]

    operations = [
        migrations.AddIndex(
            "wager",
            models.Index(
                fields=["player_id", "voided_at"], name="wager_voided", condition=models.Q(voided_at__isnull=False)
            ),
        )
    ]
