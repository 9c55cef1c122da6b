"""Parquet: typed columns, money as decimal128, and the header as the file's metadata. Totals are left to the reader."""

import io
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import pyarrow as arrow
from pyarrow import parquet

from casino.reports.definition import ColumnType
from casino.reports.document import RATE_DECIMALS, header
from casino.reports.renderers.base import Renderer

MONEY_DECIMALS: Final = 3
"""No currency has more, so that amounts of all of them fit one column."""
_TYPES: Final = {
    ColumnType.TEXT: arrow.string(),
    ColumnType.COUNT: arrow.int64(),
    ColumnType.MONEY: arrow.decimal128(38, MONEY_DECIMALS),
    ColumnType.RATE: arrow.decimal128(38, RATE_DECIMALS),
    ColumnType.MOMENT: arrow.timestamp("us", tz="UTC"),
    ColumnType.FLAG: arrow.bool_(),
}


def render_parquet(document: dict[str, Any]) -> bytes:
    """Write the rows as one Parquet file."""
    fields, arrays = [], []
    for place, column in enumerate(document["columns"]):
        kind = ColumnType(column["kind"])
        cells = [_cell(row[place], kind) for row in document["rows"]]
        fields.append(arrow.field(column["name"], _TYPES[kind], metadata={"title": column["title"]}))
        arrays.append(arrow.array(cells, type=_TYPES[kind]))
    schema = arrow.schema(fields, metadata=dict(header(document)))
    sink = io.BytesIO()
    parquet.write_table(arrow.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    return sink.getvalue()


_READ: Final[dict[ColumnType, Callable[[Any], Any]]] = {
    ColumnType.MONEY: Decimal,
    ColumnType.RATE: Decimal,
    ColumnType.MOMENT: datetime.fromisoformat,
}


def _cell(cell: Any, kind: ColumnType) -> Any:
    read = _READ.get(kind)
    return cell if cell is None or read is None else read(cell)


PARQUET: Final = Renderer("parquet", "application/vnd.apache.parquet", render_parquet)
