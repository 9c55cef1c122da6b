"""The parts of a page: facts, tables, alerts, forms, and parts with a template of their own."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms


@dataclass(frozen=True, slots=True)
class FormSection:
    """A form that is POSTed to `url`, shown only to users who may send it; a form without fields is a button."""

    title: str
    url: str
    form: forms.Form
    label: str
    help_text: str = ""
    tone: str = "plain"
    question: str = ""
    template: ClassVar[str] = "admin/casino/form.html"


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels with values, which the filter `cell` prints."""

    title: str
    rows: Sequence[tuple[str, object]]
    template: ClassVar[str] = "admin/casino/facts.html"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. The filter `cell` prints the cells; columns named in `numeric` are aligned to the right, and the first
    `frozen` columns stay in view when the others are scrolled.
    """

    title: str
    headers: Sequence[str]
    rows: Sequence[Sequence[object]]
    empty: str = "Nothing yet."
    note: object = ""
    numeric: frozenset[str] = frozenset()
    frozen: int = 0
    template: ClassVar[str] = "admin/casino/grid.html"

    def lines(self) -> Iterator[list[tuple[str, bool, object]]]:
        """Yield each row as (header, is it a number, cell)."""
        for row in self.rows:
            yield [(header, header in self.numeric, cell) for header, cell in zip(self.headers, row, strict=True)]

    def columns(self) -> list[tuple[str, bool]]:
        """List the headers, each with whether its cells are numbers."""
        return [(header, header in self.numeric) for header in self.headers]


@dataclass(frozen=True, slots=True)
class Banner:
    """A warning across the page, with a button if there is a remedy."""

    title: str
    text: str
    button: FormSection | None = None
    template: ClassVar[str] = "admin/casino/alert.html"


@dataclass(frozen=True, slots=True)
class TemplateSection:
    """A part with a template of its own, which reads `section.values`."""

    title: str
    template: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ActionBar:
    """Where a page has its actions, folded, instead of at its end; one that did not validate is open."""

    forms: Sequence[FormSection] = ()
    template: ClassVar[str] = "admin/casino/action_bar.html"


Section = Facts | Grid | Banner | FormSection | TemplateSection | ActionBar


def contents(sections: Sequence[Section]) -> Sequence[Section]:
    """Put links to these sections before them."""
    titles = [section.title for section in sections if not isinstance(section, ActionBar)]
    return (TemplateSection("Contents", "admin/casino/contents.html", {"titles": titles}), *sections)
