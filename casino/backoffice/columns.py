"""Columns that many lists have, and the names of a row's operator, player and table beside their ids."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final
from uuid import UUID

from django.contrib import admin
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.text import capfirst

from baccarat.storage.models import Table
from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.filters import operator_filter
from casino.kernel.money import format_amount
from casino.operators.models import Operator, Player

Cell = SafeString | str | None
"""A value of a list or a page; None is shown as a dash."""
Column = Callable[[Any, Any], Cell]


def column(description: str, render: Callable[[Any], Cell]) -> Column:
    """Build a column from a function of the row."""

    @admin.display(description=description)
    def display(_page: Any, row: Any) -> Cell:
        return render(row)

    return display


def time_column(field: str, description: str, *, fine: bool = False) -> Column:
    """Build a column of times, to the second, or to the millisecond if `fine`."""
    return column(description, lambda row: html.moment(getattr(row, field), fine=fine))


def money_column(field: str, description: str) -> Column:
    """Build a column of amounts in the row's currency."""
    return column(description, lambda row: html.money(getattr(row, field), row.currency))


def status_column(tones: Mapping[Any, str], field: str = "status", description: str = "status") -> Column:
    """Build a column of coloured words."""

    def render(row: Any) -> SafeString:
        word = getattr(row, field)
        return html.badge(word.replace("_", " "), tones.get(word, "plain"))

    return column(description, render)


def staff_column(field: str, description: str) -> Column:
    """Build a column of members of staff, by their logins."""
    return column(description, lambda row: html.with_logins(getattr(row, field) or html.NOTHING))


def name_of_operator(key: UUID, slug: str, *, in_sandbox: bool) -> SafeString | str:
    """Link to an operator; a sandbox is marked."""
    link = html.page("operator", key, slug)
    return html.with_note(link, "sandbox") if in_sandbox else link


operator_column: Final = column(
    "operator", lambda row: name_of_operator(row.operator_id, row.operator.slug, in_sandbox=row.operator.sandbox)
)
"""The operator of a row, which the list selects with it; a sandbox is marked."""


def with_names(rows: QuerySet[Any], *names: str) -> QuerySet[Any]:
    """Add the operator's slug and kind, the player's nickname and the table's name in the same query."""
    operators = Operator.objects.filter(id=OuterRef("operator_id"))
    sources: dict[str, dict[str, Any]] = {
        "operator": {"slug": operators.values("slug"), "in_sandbox": operators.values("sandbox")},
        "player": {"nickname": Player.objects.filter(id=OuterRef("player_id")).values("nickname")},
        "table": {"table_name": Table.objects.filter(id=OuterRef("table_id")).values("name")},
    }
    annotated: QuerySet[Any] = rows.annotate(
        **{key: Subquery(source) for name in names for key, source in sources[name].items()}
    )
    return annotated


def operator_link(row: Any) -> SafeString | str:
    """Link to the operator of a row, annotated by `with_names`; a sandbox is marked."""
    return name_of_operator(
        row.operator_id, row.slug or html.short_or_nothing(row.operator_id), in_sandbox=row.in_sandbox
    )


def name_of_player(row: Any) -> str:
    """Return the nickname of the player of a row, annotated by `with_names`; the end of the id if there is none."""
    return row.nickname or html.short_or_nothing(row.player_id)


def player_link(row: Any) -> SafeString | str:
    """Link to the player of a row, annotated by `with_names`."""
    return html.page("player", row.player_id, name_of_player(row))


def table_link(row: Any) -> SafeString | str:
    """Link to the table of a row, annotated by `with_names`."""
    return html.page("table", row.table_id, row.table_name or html.short_or_nothing(row.table_id))


class LabelledRowsAdmin(ReadOnlyAdmin):
    """Rows with the names of their operator, player and table (those in `names`), in the same query."""

    names: ClassVar[tuple[str, ...]] = ("operator", "player")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return with_names(super().get_queryset(request), *self.names)

    short_id = column("id", lambda row: html.short(row.pk))
    operator = column("operator", operator_link)
    player = column("player", player_link)
    table = column("table", table_link)


class TransactionAdmin(LabelledRowsAdmin):
    """Rows of a player and an amount."""

    def title_of(self, obj: Any) -> str:
        amount = f"{format_amount(obj.amount, obj.currency)} {obj.currency}"
        return f"{capfirst(str(self.opts.verbose_name))} of {amount}, {name_of_player(obj)}"


class RemovableAdmin(ReadOnlyAdmin):
    """An operator's credentials, which two persons register and one removes."""

    list_filter = (operator_filter(),)
    list_select_related = ("operator",)
    search_help_text = "id"
    operator_ = operator_column
    created = time_column("created_at", "registered")
    status = column(
        "status",
        lambda row: html.badge("in use", "good") if row.removed_at is None else html.badge("removed", "bad"),
    )

    def life(self, obj: Any) -> Sequence[str | tuple[str, Any]]:
        """Return the facts of who registered and who removed it, and when."""
        return (
            ("Requested by", html.with_logins(obj.requested_by)),
            ("Confirmed by", html.with_logins(obj.confirmed_by)),
            *("created", "status"),
            ("Removed by", html.with_logins(obj.removed_by) if obj.removed_by else html.NOTHING),
            ("Removed", obj.removed_at),
        )


class InstallationAdmin(ReadOnlyAdmin):
    """Numbered rows of the whole installation: everybody who may see the page sees all of them."""

    operator_field = None
    search_help_text = "number"
    number = column("number", lambda row: str(row.pk))
