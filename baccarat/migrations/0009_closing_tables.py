from django.db import migrations


class Migration(migrations.Migration):
    """Closing a table for good is a function of its own."""

    dependencies = [("baccarat", "0008_link_packs")]

    operations = [
        migrations.AlterModelOptions(
            name="table", options={"permissions": [("close_table", "Can close a table for good")]}
        ),
    ]
