"""Tables as CSV and as XLSX have the same cells, exactly, and none is a formula."""

import csv
import io
from collections.abc import Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casino.api import sheets
from casino.api.downloads import file_stem
from casino.api.sheets import ColumnType, Sheet, escape_cell, pieces_of, sheet_as_csv, write_csv, write_xlsx
from tests.support import workbooks
from tests.support.depth import examples

COLUMNS = {
    "id": ColumnType.TEXT,
    "name": ColumnType.TEXT,
    "rounds": ColumnType.INTEGER,
    "amount": ColumnType.MONEY,
    "at": ColumnType.TIMESTAMP,
    "over": ColumnType.BOOLEAN,
}
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
NAMES = (
    "Šimić",
    "陈伟",
    "山田\u3000太郎",
    "김민준",
    "สมชาย",
    "अमित",
    "علی\u200cرضا",  # noqa: RUF001
    "דוד",
    "Юрий",
    "Nguyễn",
    "👨‍👩‍👧",
)
MINUS = "\uff0d"


def table(rows: Sequence[Sequence[Any]]) -> Sheet:
    return Sheet("Table", COLUMNS, rows, keys=2)


def xlsx(sheet: Sheet) -> bytes:
    return b"".join(pieces_of(write_xlsx([sheet], made_at=NOON)))


def csv_of(sheet: Sheet) -> list[list[str]]:
    text = b"".join(sheet_as_csv(sheet)).decode()
    assert text.startswith("\ufeff")
    return list(csv.reader(io.StringIO(text[1:], newline="")))


def test_names_in_all_scripts_amounts_and_times_are_the_same_in_both_files() -> None:
    sheet = table([(f"0{n}", name, n, f"{n}.50", NOON, n > 3) for n, name in enumerate(NAMES)])

    assert workbooks.rows_of(xlsx(sheet), "Table") == csv_of(sheet)


def test_amounts_are_numbers_with_the_decimals_of_their_currency_and_ids_are_text() -> None:
    rows = [("007", "-1", 1234, amount, "2026-11-20T12:00:00Z", True) for amount in ("-1234.50", "700", "1.500")]

    page = workbooks.open_workbook(xlsx(table(rows)))["Table"]

    assert [(page.cell(row, 4).value, page.cell(row, 4).number_format) for row in (2, 3, 4)] == [
        (-1234.5, "#,##0.00"),
        (700, "#,##0"),
        (1.5, "#,##0.000"),
    ]
    assert [cell.value for cell in page[2]] == ["007", "-1", 1234, -1234.5, NOON.replace(tzinfo=None), True]
    assert page.freeze_panes == "C2"
    assert page.auto_filter.ref == "A1:F4"


def test_an_amount_that_a_spreadsheet_would_round_is_text() -> None:
    exact, rounded = "1234567890123.45", "12345678901234.56"

    page = workbooks.open_workbook(xlsx(table([("1", "a", None, each, None, None) for each in (exact, rounded)])))[
        "Table"
    ]

    assert [page.cell(row, 4).value for row in (2, 3)] == [float(exact), rounded]


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ("=SUM(A1)", "'=SUM(A1)"),
        ("+1+1", "'+1+1"),
        ("-1+1", "'-1+1"),
        ("@cmd", "'@cmd"),
        ("\tx", "'\tx"),
        ("\uff1dcmd|' /C calc'!A0", "'\uff1dcmd|' /C calc'!A0"),
        ("\uff0b1", "'\uff0b1"),
        (f"{MINUS}1", f"'{MINUS}1"),
        ("\uff20x", "'\uff20x"),
        ("-12.50", "-12.50"),
        ("buy_in", "buy_in"),
        ("", ""),
    ],
)
def test_no_cell_is_a_formula(cell: str, kept: str) -> None:
    assert escape_cell(cell) == kept
    assert workbooks.rows_of(xlsx(table([("1", cell, None, None, None, None)])), "Table")[1][1] == cell


TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)


@given(
    rows=st.lists(
        st.tuples(TEXT, TEXT, st.integers(-(10**14), 10**14), st.decimals(-(10**12), 10**12, places=2)), max_size=6
    )
)
@settings(max_examples=examples(25), deadline=None)
def test_any_text_and_any_number_reads_the_same_in_both_files(rows: list[tuple[str, str, int, Decimal]]) -> None:
    sheet = table([(*row, None, None) for row in rows])

    read = workbooks.rows_of(xlsx(sheet), "Table")

    assert [[escape_cell(cell) for cell in row] for row in read] == csv_of(sheet)


def test_a_long_table_goes_on_on_further_sheets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheets, "MAX_ROWS", 2)
    for count, names in ((0, ["Table"]), (2, ["Table"]), (5, ["Table", "Table 2", "Table 3"])):
        rows = [(str(n), "a", n, "1.00", None, None) for n in range(count)]
        book = workbooks.open_workbook(xlsx(table(rows)))
        assert book.sheetnames == names
        assert [row[0].value for page in book for row in page.iter_rows(min_row=2)] == [row[0] for row in rows]
        assert all(page.cell(1, 1).value == "id" for page in book)


def test_a_text_longer_than_a_cell_is_cut_and_says_so() -> None:
    long = "😀" * 20_000

    (_, row) = workbooks.rows_of(xlsx(table([("1", long, None, None, None, None)])), "Table")

    assert len(row[1].encode("utf-16-le")) // 2 <= sheets.MAX_TEXT
    assert row[1].endswith("(cut: the CSV file has all of it)")
    assert csv_of(table([("1", long, None, None, None, None)]))[1][1] == long


def test_the_same_tables_give_the_same_bytes() -> None:
    sheet = table([("1", "a", 1, "1.00", NOON, True)])

    assert xlsx(sheet) == xlsx(sheet)


def test_csv_comes_in_pieces_with_one_byte_order_mark() -> None:
    rows = [("x" * 1000,)] * 200

    pieces = list(write_csv(rows))

    assert len(pieces) > 2
    assert b"".join(pieces).count("\ufeff".encode()) == 1
    assert b"".join(pieces).count(b"\r\n") == 200


@pytest.mark.parametrize(
    ("since", "until", "stem"),
    [
        (None, None, "lucky-adjustments"),
        (NOON, None, "lucky-adjustments-from-2026-11-20T120000Z"),
        (None, NOON.replace(hour=0), "lucky-adjustments-to-2026-11-20"),
        (NOON.replace(day=1, hour=0), NOON.replace(hour=0), "lucky-adjustments-2026-11-01-to-2026-11-20"),
    ],
)
def test_the_name_of_a_file_says_whose_it_is_what_it_is_and_of_which_period(
    since: datetime | None, until: datetime | None, stem: str
) -> None:
    assert file_stem("lucky", "adjustments", since=since, until=until) == stem
