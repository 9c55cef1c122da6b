"""The base of every list and page: read only, paged within limits, with row actions."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final
from uuid import UUID

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.utils import quote, unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.views.decorators.http import require_POST

from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction, row_actions
from casino.backoffice.forms import RowForm
from casino.backoffice.sections import FormSection, Section
from casino.crypto.crypto_shredding import decrypt_rows
from casino.kernel.errors import Refusal
from casino.staff.access_log import record_access

if TYPE_CHECKING:
    BaseModelAdmin = ModelAdmin[Any]  # django-unfold adds looks only, and is untyped
    BasePaginator = Paginator[Any]
else:
    from unfold.admin import ModelAdmin as BaseModelAdmin

    BasePaginator = Paginator

MAX_LISTED: Final = 10_000
"""Rows that a list counts and pages through; older ones are found by searching and filtering."""


class CappedPaginator(BasePaginator):
    """Counts up to MAX_LISTED rows and stops there."""

    template_name = "admin/casino/pagination.html"

    @cached_property
    def _counted(self) -> int:
        rows = self.object_list
        if not isinstance(rows, QuerySet):
            return len(rows)
        return rows.order_by().values("pk")[: MAX_LISTED + 1].count()

    @cached_property
    def count(self) -> int:
        """Return the number of rows that the pages reach, at most MAX_LISTED."""
        return min(self._counted, MAX_LISTED)

    @property
    def is_capped(self) -> bool:
        """Return whether there are more rows than the pages reach."""
        return self._counted > MAX_LISTED


class DecryptingChangeList(ChangeList):
    """A list that decrypts personal fields, and shows no total beyond its counted rows."""

    def get_results(self, request: HttpRequest) -> None:
        """Fetch the page and let its admin prepare the rows."""
        super().get_results(request)
        self.full_result_count = self.result_count
        decrypt_rows(self.result_list)
        self.model_admin.prepare_rows(self.result_list)  # type: ignore[attr-defined]


class ReadOnlyAdmin(BaseModelAdmin):
    """A list and pages of rows that nobody edits. Subclasses define `sections` and `search_condition`.

    Every row belongs to an operator (`owned_by`): staff see, search and change rows of their operators alone. A change
    needs a row action, with a permission of its own.
    """

    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 0
    sortable_by: ClassVar[Any] = ()
    actions: Any = None
    search_fields: ClassVar[Any] = ("pk",)
    list_filter_sheet = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Refuse, whoever asks."""
        del request
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse, whoever asks."""
        del request, obj
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Refuse, whoever asks."""
        del request, obj
        return False

    def get_actions(self, request: HttpRequest) -> dict[str, Any]:
        """Remove bulk actions."""
        del request
        return {}

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """Search by `search_condition` alone: exact values of indexed columns, never a scan for a substring."""
        del request
        term = search_term.strip()
        if not term:
            return queryset, False
        condition = self.search_condition(term)
        return (queryset.none() if condition is None else queryset.filter(condition)), False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[DecryptingChangeList]:
        """Return the class of the list."""
        del request, kwargs
        return DecryptingChangeList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave out rows of other operators; every page and action uses this query set."""
        rows: QuerySet[Any] = super().get_queryset(request)
        allowed = scope.operators(request)
        return rows if allowed is None else rows.filter(self.owned_by(allowed))

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Select the rows of these operators; Q() for rows that belong to nobody."""
        return Q(operator_id__in=operators)

    def search_condition(self, term: str) -> Q | None:
        """Select the rows that a search term means, None for no row at all."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity)

    def prepare_rows(self, rows: Any) -> None:
        """Add to the rows of a list what its columns need, read for all rows at once."""

    def sections(self, request: HttpRequest, obj: Any, /) -> Sequence[Section]:
        """Return the sections of a row's page; forms of row actions are appended."""
        raise NotImplementedError

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list, to a GET only, and log the access."""
        _require_reading(request)
        if not self.has_view_permission(request):
            raise PermissionDenied
        identity = as_uuid(request.GET.get("q", "").strip())
        record_access(request, subject=f"list:{self.opts.label_lower}" + (f" {identity}" if identity else ""))
        return super().changelist_view(request, extra_context)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Show the page of one row and log the access. Raises PermissionDenied for anything but reading."""
        del form_url
        _require_reading(request)
        if object_id is None:
            raise PermissionDenied
        obj = self.find_row(request, object_id)
        if obj is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        return self._page(request, obj, extra_context)

    def _page(
        self,
        request: HttpRequest,
        obj: Any,
        extra_context: dict[str, Any] | None = None,
        bound: dict[str, RowForm] | None = None,
    ) -> HttpResponse:
        record_access(request, subject=self.subject_of(obj), operator=getattr(obj, "operator_id", None))
        context = {
            **self.admin_site.each_context(request),
            "title": self.title_of(obj),
            "opts": self.opts,
            "original": obj,
            "media": self.media,
            **(extra_context or {}),
        }
        if "sections" not in context:
            context["sections"] = [*self.sections(request, obj), *self.action_sections(request, obj, bound or {})]
        return TemplateResponse(request, "admin/casino/page.html", context)

    def facts(self, obj: Any, *names: str) -> list[tuple[str, object]]:
        """Return columns and fields of a row with their labels; ids in full, times in UTC."""
        return [self._fact(obj, name) for name in names]

    def _fact(self, obj: Any, name: str) -> tuple[str, object]:
        column = getattr(self, name, None)
        if column is not None:
            return capfirst(column.short_description), column(obj)
        if name == "pk":
            return "Id", html.code(obj.pk)
        title = str(capfirst(getattr(self.opts.get_field(name), "verbose_name", name)))
        value = getattr(obj, name)
        if isinstance(value, datetime):
            return f"{title} (UTC)", html.moment(value)
        if isinstance(value, bool):
            return title, "yes" if value else "no"
        return title, html.NOTHING if value is None or value == "" else str(value)

    def title_of(self, obj: Any) -> str:
        """Return the heading of a row's page."""
        return str(obj)

    def subject_of(self, obj: Any) -> str:
        """Return the access log's subject for a row's page: its player, or the row."""
        player = getattr(obj, "player_id", None)
        return f"{self.opts.model_name}:{obj.pk}" if player is None else f"player:{player}"

    def find_row(self, request: HttpRequest, object_id: str) -> Any:
        """Return a row with its personal fields decrypted, None if there is none. Raises PermissionDenied."""
        name = unquote(object_id)
        obj = None if "\0" in name else self.get_object(request, name)  # PostgreSQL cannot store NUL in text
        if not self.has_view_permission(request, obj):
            raise PermissionDenied
        if obj is not None:
            decrypt_rows([obj])
        return obj

    # -- row actions ----------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        """Add the address of each row action."""
        return [*(self._action_path(action) for action in row_actions(type(self))), *super().get_urls()]

    def _action_path(self, action: RowAction) -> URLPattern:
        def view(request: HttpRequest, object_id: str) -> HttpResponse:
            obj = self.find_row(request, object_id)
            if obj is None or not request.user.has_perm(action.permission):
                raise PermissionDenied
            form = action.form(request.POST, request=request, row=obj)
            if not form.is_valid():
                messages.error(request, "Please correct the errors below.")
                return self._page(request, obj, bound={action.name: form})
            try:
                message = getattr(self, action.method)(request, obj, form.cleaned_data)
            except Refusal as refusal:
                messages.error(request, refusal.message())
            else:
                self.log_change(request, obj, message)
                messages.success(request, message)
            return HttpResponseRedirect(self.page_url(obj))

        name = f"{self.opts.app_label}_{self.opts.model_name}_{action.name}"
        return path(f"<path:object_id>/{action.name}/", require_POST(self.admin_site.admin_view(view)), name=name)

    def action_sections(
        self, request: HttpRequest, obj: Any, bound: dict[str, RowForm], *names: str
    ) -> list[FormSection]:
        """Return the forms of the actions that this person may do with a row: those of `names`, or all unplaced ones.

        A form that did not validate is in `bound`, and always shown, with its errors.
        """
        return [
            FormSection(
                title=action.title,
                url=self.action_url(action.name, obj),
                form=bound.get(action.name) or action.form(request=request, row=obj),
                label=action.label,
                help_text=action.help_text,
                tone=action.tone,
                question=action.question,
            )
            for action in row_actions(type(self))
            if (action.name in names if names else not action.placed or action.name in bound)
            if request.user.has_perm(action.permission) and action.applies(request, obj)
        ]

    def action_url(self, name: str, obj: Model) -> str:
        """Return the address of an action on one row."""
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{name}", args=[quote(obj.pk)])

    def page_url(self, obj: Model) -> str:
        """Return the address of a row's page."""
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[quote(obj.pk)])


class InstallationAdmin(ReadOnlyAdmin):
    """Numbered rows of the whole installation: everybody who may see the page sees all of them."""

    ordering: ClassVar[Any] = ("-pk",)
    search_help_text = "number"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Leave nothing out."""
        del operators
        return Q()

    def search_condition(self, term: str) -> Q | None:
        number = as_number(term)
        return None if number is None else Q(pk=number)


def as_uuid(term: str) -> UUID | None:
    """Parse a search term as an id, None if it is none."""
    try:
        return UUID(term)
    except ValueError:
        return None


def as_number(term: str) -> int | None:
    """Parse a search term, 42 or #42 as pages print it, as a bigint; None if it is none."""
    digits = term.removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else None


def _require_reading(request: HttpRequest) -> None:
    if request.method not in {"GET", "HEAD"}:
        raise PermissionDenied
