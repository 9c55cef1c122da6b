"""Every form of a report says the same, and harms no spreadsheet."""

import csv
import io
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from pyarrow import parquet

from casino.reports import document
from casino.reports.definition import (
    CURRENCY,
    MONEY_TYPE,
    Column,
    ReportData,
    ReportDefinition,
    Row,
    amount,
    count,
    flag,
    moment,
    rate,
)
from casino.reports.diff import RowChange, diff_rows
from casino.reports.document import ReportOperator, VersionInfo
from casino.reports.intervals import between
from casino.reports.renderers.base import render_csv, render_parquet, render_pdf

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
WHOSE = ReportOperator(UUID(int=1), "lucky", "=Lucky & Söhne 幸運", False, "Europe/Vienna")
INTERVAL = between(since=datetime(2026, 11, 1, tzinfo=UTC), until=NOON, zone=WHOSE.zone)
MADE = VersionInfo(UUID(int=9), 3, NOON, "system", 77)
REPORT = ReportDefinition(
    name="sample",
    title="A sample",
    description="One of each.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        Column("name", "Name"),
        count("rounds", "Rounds"),
        amount("ggr", "GGR"),
        rate("share", "Share"),
        moment("at", "At"),
        flag("over", "Over"),
    ),
    read=lambda _: ReportData([]),
)
ROWS: list[Row] = [
    ("real", "EUR", "=HYPERLINK(1)", 3, -1950, Fraction(1, 3), NOON, True),
    ("real", "EUR", "plain", 4, 5000, None, None, False),
    ("real", "KWD", "+1", 1, 1500, Fraction(95, 100), NOON, False),
    ("play", "EUR", "-2", 7, 100, None, NOON, True),
    ("real", "JPY", "@x", 2, 700, None, NOON, True),
]


def made(rows: list[Row] = ROWS) -> dict[str, Any]:
    return document.read(document.serialize_version(document.facts(REPORT, WHOSE, INTERVAL, ReportData(rows)), MADE))


def test_the_document_has_whose_of_when_and_when_made() -> None:
    told = dict(document.header(made()))
    assert told["Operator"] == "=Lucky & Söhne 幸運 (lucky)"
    assert told["Interval"] == "2026-11-01 01:00:00 to 2026-11-20 13:00:00 (Europe/Vienna)"
    assert (told["From (UTC)"], told["Generated at (UTC)"]) == ("2026-11-01T00:00:00Z", "2026-11-20T12:00:00Z")
    assert (told["Version"], told["As of position"]) == ("3", "77")


def test_amounts_are_decimals_of_their_currency_and_sums_never_mix() -> None:
    found = made()
    assert [row[4] for row in found["rows"]] == ["-19.50", "50.00", "1.500", "1.00", "700"]
    assert [(total[0], total[1], total[3], total[4]) for total in found["totals"]] == [
        ("play", "EUR", 7, "1.00"),
        ("real", "EUR", 7, "30.50"),
        ("real", "JPY", 2, "700"),
        ("real", "KWD", 1, "1.500"),
    ]


def test_what_is_a_sum_already_is_not_summed_again() -> None:
    one_a_money = replace(REPORT, columns=REPORT.columns[:2] + REPORT.columns[3:5])
    rows: list[Row] = [("play", "EUR", 7, 100), ("real", "EUR", 4, 5000)]
    found = document.read(
        document.serialize_version(document.facts(one_a_money, WHOSE, INTERVAL, ReportData(rows)), MADE)
    )
    assert document.totals(found) == []
    assert [total[2] for total in document.totals(made())] == ["total"] * 4


def test_versions_that_say_the_same_have_the_same_hash_of_facts() -> None:
    first, again = (document.facts(REPORT, WHOSE, INTERVAL, ReportData(ROWS)) for _ in range(2))
    assert document.digest(first) == document.digest(again)
    other = document.facts(REPORT, WHOSE, INTERVAL, ReportData(ROWS[1:]))
    assert document.digest(other) != document.digest(first)
    assert document.serialize_version(first, MADE) != document.serialize_version(first, replace(MADE, version=4))


def test_csv_begins_with_the_header_and_makes_formulas_harmless() -> None:
    lines = list(csv.reader(io.StringIO(render_csv(made()).decode())))
    assert lines[0] == ["Operator", "'=Lucky & Söhne 幸運 (lucky)"]
    start = lines.index(["money_type", "currency", "name", "rounds", "ggr", "share", "at", "over"]) + 1
    assert lines[start] == [
        "real", "EUR", "'=HYPERLINK(1)", "3", "-19.50", "0.333333", "2026-11-20T12:00:00Z", "true",
    ]  # fmt: skip
    assert [line[2] for line in lines[start + 2 : start + 5]] == ["'+1", "-2", "'@x"]
    assert lines[start + 5 : start + 7] == [[], ["Totals"]]
    assert lines[start + 7][:4] == ["play", "EUR", "total", "7"]


def test_parquet_has_types_exact_decimals_and_the_header() -> None:
    table = parquet.read_table(io.BytesIO(render_parquet(made())))
    assert table.column("ggr").to_pylist() == [Decimal(each) for each in ("-19.5", "50", "1.5", "1", "700")]
    assert str(table.schema.field("ggr").type) == "decimal128(38, 3)"
    assert table.column("at").to_pylist()[0] == NOON
    assert table.column("share").to_pylist()[0] == Decimal("0.333333")
    assert table.schema.metadata[b"As of position"] == b"77"


def test_pdf_is_the_same_each_time_whatever_names_are_in_it(caplog: pytest.LogCaptureFixture) -> None:
    first = render_pdf(made())
    assert first.startswith(b"%PDF-")
    assert first == render_pdf(made())
    assert "missing" not in caplog.text  # what has no letter in the font stands there by its number


def test_an_empty_report_says_no_activity() -> None:
    found = made([])
    assert dict(document.header(found))["Activity"] == "No activity"
    assert render_csv(found).decode().rstrip().endswith("No activity")
    table = parquet.read_table(io.BytesIO(render_parquet(found)))
    assert (table.num_rows, table.schema.metadata[b"Activity"]) == (0, b"No activity")
    assert render_pdf(found).startswith(b"%PDF-")


def test_versions_are_compared_row_by_row() -> None:
    older, newer = made(ROWS[:2]), made([ROWS[0], (*ROWS[1][:4], 6000, *ROWS[1][5:])])
    assert diff_rows(older, newer) == [
        RowChange(removed=True, row=tuple(older["rows"][1])),
        RowChange(removed=False, row=tuple(newer["rows"][1])),
    ]
    assert diff_rows(older, older) == []
