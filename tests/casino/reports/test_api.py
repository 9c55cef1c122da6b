"""Reports over HTTP: an operator creates, lists and downloads its own reports only."""

import pytest

from casino.events import sealer
from casino.reports import document
from tests.baccarat.api.people import NOWHERE, Gambler, Tenant, bet, deal_all, sit, tenant
from tests.conftest import Database

REVENUE = {"name": "revenue", "period": "lifetime"}


@pytest.fixture
def operators(database: Database) -> tuple[Tenant, Tenant, Gambler]:
    """Create an operator with one round, another without, and the first one's player."""
    lucky, golden = tenant("lucky"), tenant("golden")
    table, alice = lucky.table("mini"), lucky.player("Alice")
    sit(alice, table)
    bet(alice, table, banker="100.00")
    deal_all()
    sealer.seal_all()
    return lucky, golden, alice


def test_only_their_operator_creates_lists_and_downloads_reports(operators: tuple[Tenant, Tenant, Gambler]) -> None:
    lucky, golden, alice = operators
    definitions = lucky.read("report-definitions")["items"]
    assert [definition["name"] for definition in definitions][:4] == [
        "liability",
        "accounts",
        "adjustments",
        "performance",
    ]

    report = lucky.do("reports", REVENUE)
    assert (report["rows"], report["version"]) == (1, 1)
    assert lucky.read(f"reports/{report['id']}") == report
    assert lucky.read("reports", name="revenue")["items"] == [report]
    assert lucky.read("reports", name="voids")["items"] == []

    file = lucky.get(f"reports/{report['id']}/file")
    assert document.sha256(file.content) == report["sha256"]
    row = dict(zip((column["name"] for column in file.json()["columns"]), file.json()["rows"][0], strict=True))
    assert (row["money_type"], row["handle"]) == ("real", "100.00")

    for address in ("", "/file"):
        answer = golden.get(f"reports/{report['id']}{address}")
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown_report")
    assert golden.read("reports")["items"] == []
    assert golden.do("reports", REVENUE)["rows"] == 0
    assert alice.get("reports").status_code == 403


def test_each_error_of_a_request_has_its_code(operators: tuple[Tenant, Tenant, Gambler]) -> None:
    lucky = operators[0]
    day, moment = "2026-11-20", "2026-11-20T00:00:00Z"
    bodies_by_code = {
        "interval_invalid": [
            {"name": "revenue", "period": "day"},
            {"name": "revenue", "period": "lifetime", "date": day},
            {"name": "revenue", "period": "interval", "since": moment, "until": moment},
            {"name": "revenue", "period": "interval", "since": moment},
        ],
        "interval_not_started": [{"name": "revenue", "period": "day", "date": "2190-01-01"}],
        "unknown_report": [{"name": "nonsense", "period": "lifetime"}],
        "unknown_choice": [{"name": "revenue", "period": "week"}],
        "field_invalid": [
            {"name": "revenue", "period": "day", "date": "yesterday"},
            {"name": "revenue", "period": "day", "date": "9999-12-31"},
            {"name": "revenue", "period": "interval", "since": "2026-11-20", "until": moment},
        ],
    }
    for code, bodies in bodies_by_code.items():
        for body in bodies:
            assert lucky.post("reports", body).json()["code"] == code, body
    assert lucky.get(f"reports/{NOWHERE}/file").json()["code"] == "unknown_report"
    report = lucky.do("reports", REVENUE)
    assert lucky.get(f"reports/{report['id']}/file", format="xls").json()["code"] == "unknown_report_format"
