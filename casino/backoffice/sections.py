"""A page that only shows is a row of sections: facts, grids and pieces of their own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class Deed:
    """A button that POSTs to `url` after asking `question`; who may not press it is not shown it."""

    label: str
    url: str
    question: str
    tone: str = "plain"


@dataclass(frozen=True, slots=True)
class Facts:
    """Names with values."""

    title: str
    rows: Sequence[tuple[str, object]]
    template: ClassVar[str] = "admin/casino/facts.html"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: one row of cells per line, a cell being text, safe HTML or a Deed."""

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[object]]
    empty: str = "Nothing yet."
    note: object = ""
    numeric: frozenset[str] = field(default=frozenset())
    template: ClassVar[str] = "admin/casino/grid.html"

    def lines(self) -> Iterator[list[tuple[str, bool, object]]]:
        """Yield each row as (header, is it a number, cell), as the template wants it."""
        for row in self.rows:
            yield [(header, header in self.numeric, cell) for header, cell in zip(self.headers, row, strict=True)]

    def columns(self) -> list[tuple[str, bool]]:
        """List the headers, each with whether its cells are numbers."""
        return [(header, header in self.numeric) for header in self.headers]


@dataclass(frozen=True, slots=True)
class Alert:
    """A warning across the page, with a button where there is something to do about it."""

    title: str
    text: str
    deed: Deed | None = None
    template: ClassVar[str] = "admin/casino/alert.html"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form: text by itself, a choice with `choices`, a mark to set where `mark`."""

    name: str
    label: str
    choices: Sequence[tuple[str, str]] = ()
    mark: bool = False
    required: bool = True
    longest: int = 500
    lines: int = 1


@dataclass(frozen=True, slots=True)
class Form:
    """Fields that are POSTed to `url`, with what is `kept` for it unseen; who may not send it is not shown it."""

    title: str
    label: str
    url: str
    fields: Sequence[Field] = ()
    says: str = ""
    tone: str = "plain"
    kept: Sequence[tuple[str, str]] = ()
    template: ClassVar[str] = "admin/casino/form.html"


@dataclass(frozen=True, slots=True)
class Piece:
    """A section with a template of its own, which finds `values` as section.values."""

    title: str
    template: str
    values: Mapping[str, Any]


Section = Facts | Grid | Alert | Form | Piece
