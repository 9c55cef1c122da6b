"""An item that is changed, missing, moved or invented is found; what the writer wrote is not."""

from django.db import transaction

from casino.events.sql import execute, fetch
from casino.feed import audit
from casino.feed.audit import DIFFERS, GAP, ITEM_MISSING, UNEXPECTED
from tests.baccarat.api.people import Tenant, bet, company, deal_all
from tests.casino.feed.play import publish

COPY = """
    INSERT INTO feed_feeditem SELECT operator_id, {last} + 1, position, type, subject, time, data
      FROM feed_feeditem WHERE number = {settled}
"""
CHANGES = {
    "returned more": (
        "UPDATE feed_feeditem SET data = jsonb_set(data, '{{returned}}', '\"999.00\"') WHERE number = {settled}",
        [DIFFERS],
    ),
    "another subject": ("UPDATE feed_feeditem SET subject = 'rounds/1' WHERE number = {settled}", [DIFFERS]),
    "another time": ("UPDATE feed_feeditem SET time = now() WHERE number = {settled}", [DIFFERS]),
    "another type": (
        "UPDATE feed_feeditem SET type = 'baccarat.round.opened.v1' WHERE number = {settled}",
        [UNEXPECTED, ITEM_MISSING],
    ),
    "removed": ("DELETE FROM feed_feeditem WHERE number = {settled}", [ITEM_MISSING, GAP]),
    "the last one removed": ("DELETE FROM feed_feeditem WHERE number = {last}", [ITEM_MISSING, GAP]),
    "removed with its number": (
        "WITH gone AS (DELETE FROM feed_feeditem WHERE number = {last}) UPDATE feed_feedhead SET number = number - 1",
        [ITEM_MISSING],
    ),
    "invented": (COPY, [GAP, UNEXPECTED]),
    "moved to the end": ("UPDATE feed_feeditem SET number = {last} + 1 WHERE number = {settled}", [GAP]),
}  # fmt: skip


def test_what_was_told_is_what_follows(lucky: Tenant) -> None:
    table, (alice,) = company(lucky, "mini", "Alice")
    for _ in range(3):
        bet(alice, table, banker="25.00")
        deal_all()
        publish()
    assert audit.check() == []
    numbers = fetch("SELECT number FROM feed_feeditem WHERE type LIKE %s ORDER BY 1", ["%wager.settled%"])
    ((last,),) = fetch("SELECT max(number) FROM feed_feeditem")
    for name, (change, kinds) in CHANGES.items():
        with transaction.atomic():
            execute(change.format(settled=numbers[1][0], last=last))
            found = {finding.kind for finding in audit.check()}
            assert sorted(found) == sorted(kinds), name
            assert {finding.kind for finding in audit.check(since=10**9)} <= {GAP}
            transaction.set_rollback(True)
