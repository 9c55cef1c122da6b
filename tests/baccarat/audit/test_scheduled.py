"""The nightly audit: what it finds is a significant event, once."""

from datetime import UTC, datetime

from baccarat import tasks
from baccarat.audit import scheduled
from casino.events.sql import execute, fetch
from tests.baccarat.audit.playing import seal, sit

RECORDED = "SELECT kind, subject, reason FROM significant_significantevent ORDER BY id"


def test_nothing_is_recorded_of_a_sound_house_and_each_finding_once(database, settings):
    sit("mini")
    seal()
    assert scheduled.run_nightly_audit().ok
    assert fetch(RECORDED) == []
    table = fetch("SELECT id FROM baccarat_table")[0][0]
    execute("UPDATE baccarat_table SET name = 'Another'")
    settings.AUDIT_HOUR = (datetime.now(UTC).hour + 12) % 24
    tasks.run_nightly_audit()
    assert fetch(RECORDED) == []
    for _ in range(2):
        settings.AUDIT_HOUR = datetime.now(UTC).hour
        tasks.run_nightly_audit()
    failed, found = fetch(RECORDED)
    assert (failed[0], found) == ("integrity_failed", ("audit_finding", f"baccarat_table {table} name", "row differs"))
    assert failed[2].startswith("audit: FAILED rounds=")
