"""Triggers that refuse do so whoever asks."""

from tests.conftest import Database

REFUSING = """
    SELECT tgrelid::regclass::text, tgenabled FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
     WHERE proname IN ('events_refuse_change', 'staff_refuse_young')
"""


def test_triggers_that_refuse_cannot_be_skipped_by_a_session(database: Database) -> None:
    with database.owner() as owner:
        triggers = owner.execute(REFUSING).fetchall()
    assert len(triggers) > 40
    assert [table for table, enabled in triggers if enabled != "A"] == []
