"""The report of significant events: the operator's own, and what happened to the house that it is in."""

from datetime import UTC, datetime, timedelta

from baccarat.reports.significant import SIGNIFICANT
from casino.operators import services
from casino.reports.definition import ReportScope
from casino.significant import recorder
from tests.support.house import House
from tests.support.tables import digest_of


def test_an_operator_is_told_of_the_house_and_of_stops_that_held_its_tables_not_of_anothers(db: None) -> None:
    operator, other = (
        services.create_operator(slug=slug, name=slug, currencies=["EUR"], sandbox=True).id for slug in ("one", "two")
    )
    rules = f"rules:{digest_of(House(operator=operator).table('mini'))}"
    since = datetime.now(UTC)
    for kind, whose, subject in (
        (recorder.SignificantEventKind.GAMING_STOPPED, None, "gaming"),
        (recorder.SignificantEventKind.GAMING_STOPPED, None, rules),
        (recorder.SignificantEventKind.GAMING_STOPPED, None, f"rules:{'0' * 64}"),
        (recorder.SignificantEventKind.INTEGRITY_FAILED, None, "integrity"),
        (recorder.SignificantEventKind.TABLE_STOPPED, other, "table:x"),
        (recorder.SignificantEventKind.TABLE_STOPPED, operator, "table:y"),
    ):
        recorder.record(kind=kind, operator=whose, subject=subject, actor="staff:1")
    asked = ReportScope(operator, False, since - timedelta(minutes=1), since + timedelta(minutes=1), 0)
    told = [row[5] for row in SIGNIFICANT.read(asked).rows if not row[5].startswith(("operator:", "table:0"))]
    assert told == ["gaming", rules, "integrity", "table:y"]
