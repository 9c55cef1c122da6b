"""The report of significant events: the operator's own, and what happened to the house that it is in."""

from datetime import UTC, datetime, timedelta

from baccarat.reports.significant import SIGNIFICANT
from casino.operators import operations
from casino.reports.shape import Asked
from casino.significant import log
from tests.support.house import House


def test_an_operator_is_told_of_the_house_and_of_stops_that_held_its_tables_not_of_anothers(db: None) -> None:
    operator, other = (
        operations.create_operator(slug=slug, name=slug, currency="EUR", sandbox=True).id for slug in ("one", "two")
    )
    House(operator=operator).table("mini")
    since = datetime.now(UTC)
    for kind, whose, subject in (
        (log.Kind.GAMING_STOPPED, None, "gaming"),
        (log.Kind.GAMING_STOPPED, None, "rules:mini@1"),
        (log.Kind.GAMING_STOPPED, None, "rules:classic@1"),
        (log.Kind.INTEGRITY_FAILED, None, "integrity"),
        (log.Kind.TABLE_STOPPED, other, "table:x"),
        (log.Kind.TABLE_STOPPED, operator, "table:y"),
    ):
        log.record(kind=kind, operator=whose, subject=subject, actor="staff:1")
    asked = Asked(operator, False, since - timedelta(minutes=1), since + timedelta(minutes=1), 0)
    told = [row[5] for row in SIGNIFICANT.read(asked).rows if not row[5].startswith(("operator:", "table:0"))]
    assert told == ["gaming", "rules:mini@1", "integrity", "table:y"]
