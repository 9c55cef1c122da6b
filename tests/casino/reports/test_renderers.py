"""Every format of a report has the same contents, and no cell is a spreadsheet formula."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings as configured
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from casino.api.sheets import escape_cell
from casino.kernel import money
from casino.operators.models import Operator
from casino.reports import document
from casino.reports.definition import (
    CURRENCY,
    MONEY_TYPE,
    Column,
    ReportData,
    ReportDefinition,
    Row,
    amount,
    boolean,
    integer,
    rate,
    timestamp,
)
from casino.reports.document import RowChange, VersionInfo, diff_rows
from casino.reports.intervals import between
from casino.reports.models import Report
from casino.reports.renderers import render_csv, render_pdf, render_report, render_xlsx
from tests.support import workbooks
from tests.support.depth import examples
from tests.support.desk import texts_of

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
OPERATOR = Operator(id=UUID(int=1), slug="lucky", name="=Lucky & Söhne 幸運", time_zone="Europe/Vienna")
INTERVAL = between(since=datetime(2026, 11, 1, tzinfo=UTC), until=NOON, zone=OPERATOR.time_zone)
VERSION = VersionInfo(UUID(int=9), 3, NOON, "system")
REPORT = ReportDefinition(
    name="sample",
    title="A sample",
    description="One of each.",
    columns=(
        MONEY_TYPE,
        CURRENCY,
        Column("name", "Name"),
        integer("rounds", "Rounds"),
        amount("ggr", "GGR"),
        rate("share", "Share"),
        timestamp("at", "At"),
        boolean("over", "Over"),
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


def sample(rows: list[Row] = ROWS) -> dict[str, Any]:
    return document.read(
        document.serialize_version(document.facts(REPORT, OPERATOR, INTERVAL, ReportData(rows)), VERSION)
    )


def test_the_header_names_operator_interval_and_version() -> None:
    lines = dict(document.header(sample()))
    assert lines["Operator"] == "=Lucky & Söhne 幸運 (lucky)"
    assert lines["Interval"] == "2026-11-01 01:00:00 to 2026-11-20 13:00:00 (Europe/Vienna)"
    assert (lines["From (UTC)"], lines["Generated at (UTC)"]) == ("2026-11-01T00:00:00Z", "2026-11-20T12:00:00Z")
    assert lines["Version"] == "3"


def test_the_slug_stays_behind_a_name_from_right_to_left() -> None:
    content = {**sample(), "operator": {"name": NAMES[7], "slug": "lucky"}}
    assert dict(document.header(content))["Operator"] == f"\u2068{NAMES[7]}\u2069 (lucky)"


def test_a_report_of_an_interval_that_is_not_over_says_so_in_its_title() -> None:
    early = {**sample(), "generated_at": "2026-11-20T11:59:59Z"}

    assert document.title(sample()) == "A sample"
    assert document.title(early) == "A sample, so far"
    assert dict(document.header(early))["Report"] == "A sample, so far"
    assert "Not over" in dict(document.header(early))
    assert "Not over" not in dict(document.header(sample()))


def test_amounts_are_decimals_of_their_currency_and_are_totalled_by_currency() -> None:
    content = sample()
    assert [row[4] for row in content["rows"]] == ["-19.50", "50.00", "1.500", "1.00", "700"]
    assert [(total[0], total[1], total[3], total[4]) for total in content["totals"]] == [
        ("play", "EUR", 7, "1.00"),
        ("real", "EUR", 7, "30.50"),
        ("real", "JPY", 2, "700"),
        ("real", "KWD", 1, "1.500"),
    ]


def test_a_report_with_one_row_by_currency_has_no_totals() -> None:
    definition = replace(REPORT, columns=REPORT.columns[:2] + REPORT.columns[3:5])
    rows: list[Row] = [("play", "EUR", 7, 100), ("real", "EUR", 4, 5000)]
    content = document.read(
        document.serialize_version(document.facts(definition, OPERATOR, INTERVAL, ReportData(rows)), VERSION)
    )
    assert document.totals(content) == []
    assert [total[2] for total in document.totals(sample())] == ["total"] * 4


def test_versions_with_equal_contents_have_equal_digests() -> None:
    first, again = (document.facts(REPORT, OPERATOR, INTERVAL, ReportData(ROWS)) for _ in range(2))
    assert document.digest(first) == document.digest(again)
    other = document.facts(REPORT, OPERATOR, INTERVAL, ReportData(ROWS[1:]))
    assert document.digest(other) != document.digest(first)
    assert document.serialize_version(first, VERSION) != document.serialize_version(first, replace(VERSION, version=4))


def test_csv_begins_with_the_header_and_escapes_formulas() -> None:
    lines = list(csv.reader(io.StringIO(render_csv(sample()).decode("utf-8-sig"))))
    assert lines[0] == ["Operator", "'=Lucky & Söhne 幸運 (lucky)"]
    start = lines.index(["money_type", "currency", "name", "rounds", "ggr", "share", "at", "over"]) + 1
    assert lines[start] == [
        "real", "EUR", "'=HYPERLINK(1)", "3", "-19.50", "0.333333", "2026-11-20T12:00:00Z", "true",
    ]  # fmt: skip
    assert [line[2] for line in lines[start + 2 : start + 5]] == ["'+1", "-2", "'@x"]
    assert lines[start + 5 : start + 7] == [[], ["Totals"]]
    assert lines[start + 7][:4] == ["play", "EUR", "total", "7"]


def test_a_workbook_has_the_rows_of_csv_its_totals_and_what_it_is_about() -> None:
    content = sample()
    lines = list(csv.reader(io.StringIO(render_csv(content).decode("utf-8-sig"))))
    start = next(index for index, line in enumerate(lines) if line[:1] == ["money_type"])
    book = render_xlsx(content)
    report = workbooks.rows_of(book, "Report")
    assert [[escape_cell(cell) for cell in line] for line in report] == lines[start : start + 6]
    assert workbooks.rows_of(book, "Totals")[1:] == lines[start + 8 :]
    assert dict(workbooks.rows_of(book, "About"))["Operator"] == "=Lucky & Söhne 幸運 (lucky)"
    page = workbooks.open_workbook(book)["Report"]
    assert [cell.value for cell in page["E"]] == ["ggr", -19.5, 50, 1.5, 1, 700]
    assert [cell.number_format for cell in page["E"]][1:] == ["#,##0.00", "#,##0.00", "#,##0.000", "#,##0.00", "#,##0"]
    assert page.freeze_panes == "D2"


def test_a_workbook_has_the_key_columns_of_its_report_first() -> None:
    content = {**sample(), "name": "voids"}
    content["columns"] = [
        {**each, "name": "round" if each["name"] == "share" else each["name"]} for each in content["columns"]
    ]
    header, first, *_ = workbooks.rows_of(render_xlsx(content), "Report")
    assert header == ["money_type", "currency", "round", "at", "name", "rounds", "ggr", "over"]
    assert first[2:4] == ["0.333333", "2026-11-20T12:00:00Z"]


@pytest.fixture
def bitcoin() -> Iterator[None]:
    """Declare a currency of eight decimals."""
    money.declare(money.parse_declarations(["BTC:8"]))
    yield
    money.declare(configured.CURRENCIES)


@pytest.mark.usefixtures("bitcoin")
@hypothesis_settings(max_examples=examples(40))
@given(
    amounts=st.lists(
        st.tuples(st.sampled_from(["JPY", "EUR", "KWD", "BTC"]), st.integers(-(10**14), 10**14)), min_size=1, max_size=8
    )
)
def test_amounts_and_totals_survive_each_file_at_every_number_of_decimals(amounts: list[tuple[str, int]]) -> None:
    content = sample([("real", currency, "name", 1, minor, None, None, False) for currency, minor in amounts])
    lines = list(csv.reader(io.StringIO(render_csv(content).decode("utf-8-sig"))))
    start = next(i for i, line in enumerate(lines) if line[:1] == ["money_type"]) + 1
    for line, (currency, minor) in zip(lines[start:], amounts, strict=False):
        assert (line[1], money.parse(line[4], currency)) == (currency, minor)
    for line, (currency, minor) in zip(workbooks.rows_of(render_xlsx(content), "Report")[1:], amounts, strict=True):
        assert (line[1], money.parse(line[4], currency)) == (currency, minor)
    totals = {total[1]: money.parse(total[4], total[1]) for total in content["totals"]}
    sums = Counter[str]()
    for currency, minor in amounts:
        sums[currency] += minor
    assert totals == dict(sums)


NOTO = next(Path(configured.PDF_FONTS).rglob("NotoSansThai-Regular.ttf"), None)
NAMES = (
    "Šimić Ænn", "陈伟", "山田\u3000太郎 かな", "김민준", "สมชาย ใจดี", "अमित क्षत्रिय", "علی\u200cرضا محمدی",  # noqa: RUF001
    "דוד כהן",    "გიორგი", "Nguyễn Văn Ánh", "Юрий Ωμέγα",
)  # fmt: skip


def pdf_of(names: Sequence[str]) -> bytes:
    rows: list[Row] = [("real", "EUR", name, 1, 100, None, NOON, True) for name in names]
    document = {**sample(rows), "operator": {"name": "Lucky", "slug": "lucky"}}
    content = render_pdf(document)
    assert content == render_pdf(document)
    return content


def test_without_fonts_a_pdf_says_which_names_it_could_not_print_and_where_they_are(
    settings: Any, tmp_path: Path
) -> None:
    settings.PDF_FONTS = str(tmp_path)
    text = re.sub(r"\) Tj.*?\(", " ", texts_of(pdf_of(["Zoë", *NAMES])), flags=re.DOTALL)
    assert "There is no font here for characters of: Name in rows 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12." in text
    assert "the XLSX file has them" in text
    assert "[U+9648][U+4F1F]" in text
    assert "There is no font" not in texts_of(pdf_of(["Zoë"]))


@pytest.mark.skipif(NOTO is None, reason="Noto Sans is not installed")
def test_with_fonts_a_pdf_has_names_in_ten_scripts() -> None:
    """Each of the scripts brings its font, and nothing is missing."""
    fonts = set(re.findall(r"/BaseFont /[A-Z]+\+NotoSans([A-Za-z]*)", pdf_of(NAMES).decode("latin-1")))
    assert fonts == {"", "Bold", "CJKSC", "Thai", "Arabic", "Devanagari", "Hebrew", "Georgian"}


def test_a_pdf_has_what_it_is_read_for_first_and_names_for_ids_that_are_beside_them(settings: Any) -> None:
    settings.PDF_FONTS = ""
    names = (Column("table", "Table"), Column("table_name", "Where"))
    definition = replace(
        REPORT, name="revenue", columns=(*REPORT.columns[:2], REPORT.columns[3], *names, amount("ggr", "Won"))
    )
    rows: list[Row] = [("real", "EUR", 3, UUID(int=7), "Mini 1", 1500)]
    facts = document.facts(definition, OPERATOR, INTERVAL, ReportData(rows))
    text = texts_of(render_pdf(document.read(document.serialize_version(facts, VERSION))))
    assert text.index("Where") < text.index("Won") < text.index("Rounds")
    assert "Mini 1" in text
    assert "(Table)" not in text
    assert str(UUID(int=7))[-12:] not in text


@pytest.mark.django_db
def test_files_name_members_of_staff_by_their_logins_but_the_one_that_is_hashed(settings: Any) -> None:
    settings.PDF_FONTS = ""
    ann = User.objects.create(username="ann")
    rows: list[Row] = [("real", "EUR", f"staff:{ann.pk}", 1, 100, None, NOON, True)]
    facts = document.facts(REPORT, OPERATOR, INTERVAL, ReportData(rows))
    stored = document.serialize_version(facts, VERSION)
    report = Report(
        name="sample", period="interval", label="x", version=3, content=stored, generated_at=NOON, until=NOON
    )
    assert f"ann (staff:{ann.pk})" in render_report(report, "csv").content.decode()
    assert f"ann \\(staff:{ann.pk}\\)" in texts_of(render_report(report, "pdf").content)
    assert render_report(report, "json").content == stored


def test_an_empty_report_shows_no_activity() -> None:
    content = sample([])
    assert dict(document.header(content))["Activity"] == "No activity"
    assert render_csv(content).decode("utf-8-sig").rstrip().endswith("No activity")
    book = render_xlsx(content)
    assert len(workbooks.rows_of(book, "Report")) == 1
    assert dict(workbooks.rows_of(book, "About"))["Activity"] == "No activity"
    assert render_pdf(content).startswith(b"%PDF-")


def test_versions_are_compared_row_by_row() -> None:
    older, newer = sample(ROWS[:2]), sample([ROWS[0], (*ROWS[1][:4], 6000, *ROWS[1][5:])])
    assert diff_rows(older, newer) == [
        RowChange(removed=True, row=tuple(older["rows"][1])),
        RowChange(removed=False, row=tuple(newer["rows"][1])),
    ]
    assert diff_rows(older, older) == []
