"""Reports over HTTP: an operator's own, made, listed, downloaded; nobody else's."""

import pytest

from casino.events import sealer
from casino.reports import document
from tests.baccarat.api.people import NOWHERE, Gambler, Tenant, bet, deal_all, sit, tenant
from tests.conftest import Database

DAY = {"name": "revenue", "period": "life"}


@pytest.fixture
def played(database: Database) -> tuple[Tenant, Tenant, Gambler]:
    """An operator with a round played, another with nothing, and a player."""
    lucky, golden = tenant("lucky"), tenant("golden")
    table, alice = lucky.table("mini"), lucky.player("Alice")
    sit(alice, table)
    bet(alice, table, banker="100.00")
    deal_all()
    sealer.seal_all()
    return lucky, golden, alice


def test_reports_are_made_listed_and_downloaded_by_their_operator_alone(played: tuple[Tenant, Tenant, Gambler]) -> None:
    lucky, golden, alice = played
    kinds = lucky.read("report-definitions")
    assert [kind["name"] for kind in kinds["items"]][:4] == ["liability", "accounts", "adjustments", "performance"]

    made = lucky.do("reports", DAY)
    assert (made["rows"], made["version"]) == (1, 1)
    assert lucky.read(f"reports/{made['id']}") == made
    assert lucky.read("reports", name="revenue")["items"] == [made]
    assert lucky.read("reports", name="voids")["items"] == []

    file = lucky.get(f"reports/{made['id']}/file")
    assert document.sha256(file.content) == made["sha256"]
    row = dict(zip((column["name"] for column in file.json()["columns"]), file.json()["rows"][0], strict=True))
    assert (row["money_type"], row["handle"]) == ("sandbox", "100.00")

    for address in ("", "/file"):
        answer = golden.get(f"reports/{made['id']}{address}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_report")
    assert golden.read("reports")["items"] == []
    assert golden.do("reports", DAY)["rows"] == 0
    assert alice.get("reports").status_code == 403


def test_what_is_wrong_with_a_request_has_a_code(played: tuple[Tenant, Tenant, Gambler]) -> None:
    lucky = played[0]
    day, moment = "2026-11-20", "2026-11-20T00:00:00Z"
    wrong = {
        "interval_invalid": [
            {"name": "revenue", "period": "day"},
            {"name": "revenue", "period": "life", "date": day},
            {"name": "revenue", "period": "interval", "since": moment, "until": moment},
            {"name": "revenue", "period": "interval", "since": moment},
        ],
        "interval_not_started": [{"name": "revenue", "period": "day", "date": "2190-01-01"}],
        "unknown_report": [{"name": "nonsense", "period": "life"}],
        "unknown_choice": [{"name": "revenue", "period": "week"}],
        "field_invalid": [
            {"name": "revenue", "period": "day", "date": "yesterday"},
            {"name": "revenue", "period": "day", "date": "9999-12-31"},
            {"name": "revenue", "period": "interval", "since": "2026-11-20", "until": moment},
        ],
    }
    for code, bodies in wrong.items():
        for body in bodies:
            assert lucky.post("reports", body).json()["code"] == code, body
    assert lucky.get(f"reports/{NOWHERE}/file").json()["code"] == "unknown_report"
    made = lucky.do("reports", DAY)
    assert lucky.get(f"reports/{made['id']}/file", format="xls").json()["code"] == "unknown_report_format"
