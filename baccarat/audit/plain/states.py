"""Read models of rounds of the usual course that ended, compared as text with what their events come to.

Only whether those of some rounds are just that is told here; what differs is for those who compare column by column.
"""

from collections.abc import Sequence
from typing import Final

from baccarat.audit.plain import forms as f
from baccarat.audit.plain import texts
from baccarat.audit.plain.rounds import PlainRound
from baccarat.storage.rows import ROUNDS, WAGERS, ReadModelTable


def _printed(relation: ReadModelTable, *, key: str, order: str) -> str:
    """The rows with some keys, $1, in one text: first what is no JSON, as one record, then what is."""
    columns = [_column(name, kind) for name, kind in relation.columns if kind != "jsonb"]
    (json,) = (name for name, kind in relation.columns if kind == "jsonb")
    return (
        f"SELECT count(*), string_agg(ROW({', '.join(columns)})::text || {json}::text, E'\\n' ORDER BY {order}) "  # noqa: S608
        f"FROM {relation.table} WHERE {key} = ANY ($1::uuid[])"
    )


def _column(name: str, kind: str) -> str:
    return f"timezone('UTC', {name})" if kind == "timestamptz" else name


STATEMENT: Final = f"""
SELECT * FROM ({_printed(ROUNDS, key="id", order="id")}) AS rounds (rounds, said)
CROSS JOIN ({_printed(WAGERS, key="round_id", order="round_id, seat")}) AS wagers (wagers, staked)
"""  # noqa: S608  (constants)
"""Of some rounds, $1: the number of their rows and their text, and the same of their wagers."""


class Due:
    """What the rows of some ended rounds should be."""

    def __init__(self, rounds: Sequence[PlainRound]) -> None:
        self.rounds = sorted(rounds, key=_id)

    def ids(self) -> bytes:
        """Write the rounds' ids as PostgreSQL reads an array."""
        return f"{{{','.join([each.opened.round for each in self.rounds])}}}".encode()

    def are(self, count: int, said: str | None, wagers: int, staked: str | None) -> bool:
        """Tell whether what `STATEMENT` answered is just what should be.

        No row can hide in another's text: there are as many rows as lines, and what should be has no other line breaks.
        """
        rows: list[str] = []
        bets: list[str] = []
        for each in self.rounds:
            row, staked_on = texts.rows(each, _settled(each))
            rows.append(row)
            bets += staked_on
        if (count, wagers) != (len(rows), len(bets)):
            return False
        return (said or "") == "\n".join(rows) and (staked or "") == "\n".join(bets)


def _id(round_: PlainRound) -> str:
    return round_.opened.round


def _settled(round_: PlainRound) -> f.RoundSettled:
    if round_.settled is None:
        raise LookupError("only a round that was settled has rows to compare")
    return round_.settled
