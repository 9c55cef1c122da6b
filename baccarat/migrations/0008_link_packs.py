from django.db import migrations


class Migration(migrations.Migration):
    """Making links to dispute packs is a function of its own."""

    dependencies = [("baccarat", "0007_rules_versions")]

    operations = [
        migrations.AlterModelOptions(
            name="round",
            options={
                "permissions": [
                    ("request_void", "Can ask for a void"),
                    ("approve_void", "Can agree to a void"),
                    ("link_pack", "Can make links to dispute packs"),
                ]
            },
        ),
    ]
