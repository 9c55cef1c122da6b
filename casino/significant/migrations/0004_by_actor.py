from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("significant", "0003_thresholds"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="significantevent",
            index=models.Index(fields=["actor", "-id"], name="significant_event_actor"),
        ),
    ]
