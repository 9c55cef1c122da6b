from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("compliance", "0001_initial")]

    operations = [
        migrations.AlterModelOptions(
            name="erasure",
            options={
                "permissions": [
                    ("request_erasure", "Can request the erasure of a player"),
                    ("approve_erasure", "Can approve or decline an erasure"),
                    ("export_player", "Can export what one may see of a player"),
                    ("export_operator", "Can export everything about an operator"),
                ]
            },
        ),
    ]
