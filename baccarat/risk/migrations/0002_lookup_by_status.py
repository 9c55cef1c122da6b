from django.db import migrations

INDEXES = {
    "risk_status_tags": "USING gin (tags)",
    "risk_status_kyc": "(operator_id, kyc, player_id)",
}


class Migration(migrations.Migration):
    """Indexes by which players are found by tag and by KYC status; made while rows are added."""

    atomic = False

    dependencies = [("risk", "0001_initial")]

    operations = [
        migrations.RunSQL(
            sql=f"CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON risk_playerstatus {columns}",
            reverse_sql=f"DROP INDEX CONCURRENTLY IF EXISTS {name}",
        )
        for name, columns in INDEXES.items()
    ]
