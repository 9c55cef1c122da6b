from django.db import migrations


class Migration(migrations.Migration):
    """States as they were written: nobody searches them, so each write and read would parse them in vain."""

    dependencies = [("baccarat", "0003_forced_cards")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE baccarat_table ALTER state TYPE json, ALTER round_state TYPE json",
            "ALTER TABLE baccarat_table ALTER state TYPE jsonb, ALTER round_state TYPE jsonb",
        )
    ]
