"""Parquet: typed columns, money as decimal128, and the header as the file's metadata. Totals are left to the reader."""

import io
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any, Final

import pyarrow as arrow
from pyarrow import parquet

from casino.reports.definition import Kind
from casino.reports.document import RATE_DECIMALS, header
from casino.reports.renderers.base import Form

MONEY_DECIMALS: Final = 3
"""No currency has more, so that amounts of all of them fit one column."""
_TYPES: Final = {
    Kind.TEXT: arrow.string(),
    Kind.COUNT: arrow.int64(),
    Kind.MONEY: arrow.decimal128(38, MONEY_DECIMALS),
    Kind.RATE: arrow.decimal128(38, RATE_DECIMALS),
    Kind.MOMENT: arrow.timestamp("us", tz="UTC"),
    Kind.FLAG: arrow.bool_(),
}


def write(document: dict[str, Any]) -> bytes:
    """Write the rows as one Parquet file."""
    fields, arrays = [], []
    for place, column in enumerate(document["columns"]):
        kind = Kind(column["kind"])
        cells = [_cell(row[place], kind) for row in document["rows"]]
        fields.append(arrow.field(column["name"], _TYPES[kind], metadata={"title": column["title"]}))
        arrays.append(arrow.array(cells, type=_TYPES[kind]))
    schema = arrow.schema(fields, metadata=dict(header(document)))
    sink = io.BytesIO()
    parquet.write_table(arrow.Table.from_arrays(arrays, schema=schema), sink, compression="zstd")
    return sink.getvalue()


_READ: Final[dict[Kind, Callable[[Any], Any]]] = {
    Kind.MONEY: Decimal,
    Kind.RATE: Decimal,
    Kind.MOMENT: datetime.fromisoformat,
}


def _cell(cell: Any, kind: Kind) -> Any:
    read = _READ.get(kind)
    return cell if cell is None or read is None else read(cell)


PARQUET: Final = Form("parquet", "application/vnd.apache.parquet", write)
