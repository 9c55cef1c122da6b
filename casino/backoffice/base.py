"""The base of every list and page: read-only, paged within limits, with row actions."""

from abc import ABCMeta, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple
from uuid import UUID

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.utils import quote, unquote
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import IntegerField, Model, Q, QuerySet, UUIDField
from django.forms.widgets import MediaDefiningClass
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property
from django.utils.text import capfirst
from django.views.decorators.http import require_POST

from casino.backoffice import html, scope
from casino.backoffice.actions import RowAction, SecretAnswer, row_actions
from casino.backoffice.forms import RowForm
from casino.backoffice.sections import ActionBar, Banner, Facts, FormSection, Section
from casino.crypto.crypto_shredding import decrypt_rows
from casino.staff.access_log import record_access

if TYPE_CHECKING:
    BaseModelAdmin = ModelAdmin[Any]  # django-unfold adds looks only, and is untyped
    BasePaginator = Paginator[Any]
else:
    from unfold.admin import ModelAdmin as BaseModelAdmin

    BasePaginator = Paginator

MAX_LISTED: Final = 10_000
"""The most rows that a list counts and pages through; older ones need a search or a filter."""


INBOX: Final = "inbox"
"""What the address of an action ends with that is done in the inbox, so that it leads back there."""
_NAMING: Final = frozenset({"operator", "operator_", "slug", "for_", "list_of"})
"""Columns that name a row's operator."""


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


class ListLink(NamedTuple):
    """A link above a list to an address of the admin, or one to each of its files, for those with the permission."""

    text: str
    url_name: str
    permission: str
    files: tuple[str, ...] = ()


class _AbstractMedia(ABCMeta, MediaDefiningClass):
    """Lets a base of admin pages have abstract methods: registering a page that lacks one fails."""


class ReadOnlyAdmin(BaseModelAdmin, metaclass=_AbstractMedia):
    """A list and pages of rows that nobody edits. Subclasses define `sections`.

    Staff see, search and change only rows of their operators (`operator_field`). A change needs a row action, with a
    permission of its own. `search_fields` are matched exactly, by indexes.
    """

    operator_field: ClassVar[str | None] = "operator_id"
    """The column with a row's operator; None for rows that belong to nobody, which everyone sees."""
    shows_shared_rows: ClassVar[bool] = False
    """Whether everyone sees rows without an operator."""
    shows_latest_only: ClassVar[bool] = False
    """Whether a list without a search ends after `scope.MAX_ROWS_BACK` rows, as there is no index by operator."""
    annotations: ClassVar[Mapping[str, Any]] = {}
    """Expressions that lists and pages add to each row."""
    list_link: ClassVar[ListLink | None] = None
    list_before_template = "admin/casino/list_link.html"
    list_select_related: ClassVar[Any] = ()
    empty_value_display = html.NOTHING
    ordering: ClassVar[Any] = ("-pk",)
    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50
    list_max_show_all = 0
    list_disable_select_all = True
    actions_selection_counter = True
    sortable_by: ClassVar[Any] = ()
    actions: Any = None
    search_fields: ClassVar[Any] = ("pk",)
    list_filter_sheet = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """Search by `search_condition` alone: exact values of indexed columns, never a scan for a substring."""
        term = search_term.strip()
        if not term:
            return (queryset.filter(scope.latest(self.model, request)) if self.shows_latest_only else queryset), False
        condition = self.search_condition(term)
        return (queryset.none() if condition is None else queryset.filter(condition)), False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[DecryptingChangeList]:
        return DecryptingChangeList

    def get_list_display(self, request: HttpRequest) -> Any:
        """Name the operator of each row to those who work for several."""
        listed = super().get_list_display(request)
        is_owned = any(field.attname == "operator_id" for field in self.opts.get_fields() if field.concrete)
        if not is_owned or not scope.serves_several(request) or _NAMING.intersection(listed):
            return listed
        return (*listed, "whose")

    @admin.display(description="operator")
    def whose(self, row: Any) -> str:
        """Return the operator of a row, among those of the user."""
        request = scope.current_request()
        slugs = {} if request is None else scope.operator_slugs(request)
        return slugs.get(str(row.operator_id), html.NOTHING)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave out rows of other operators; every page and action uses this query set."""
        rows: QuerySet[Any] = super().get_queryset(request).annotate(**self.annotations)
        if self.list_select_related:
            rows = rows.select_related(*self.list_select_related)
        allowed = scope.operators(request)
        return rows if allowed is None else rows.filter(self.owned_by(allowed))

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Return the condition for rows of these operators."""
        if self.operator_field is None:
            return Q()
        owned = Q((f"{self.operator_field}__in", operators))
        return owned | Q((f"{self.operator_field}__isnull", True)) if self.shows_shared_rows else owned

    def search_condition(self, term: str) -> Q | None:
        """Match any of `search_fields` whose type can hold the term; return None if there is none."""
        values = [(lookup, self._parse_term(lookup, term)) for lookup in self.search_fields]
        matches = [(lookup, value) for lookup, value in values if value is not None]
        return Q(*matches, _connector=Q.OR) if matches else None

    def _parse_term(self, lookup: str, term: str) -> UUID | int | str | None:
        name, _, path = lookup.partition("__")
        field: Any = self.opts.pk if name == "pk" else self.opts.get_field(name)
        if field.is_relation and not path:
            field = field.target_field
        if isinstance(field, UUIDField):
            return as_uuid(term)
        return as_number(term) if isinstance(field, IntegerField) else term

    def prepare_rows(self, rows: Any) -> None:
        """Add to the rows of a list, or to the row of a page, what columns need, read for all rows at once."""

    @abstractmethod
    def sections(self, request: HttpRequest, obj: Any, /) -> Sequence[Section]:
        """Return the sections of a row's page; forms of row actions are appended."""

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Show the list and log the access; a POST does an action with the rows selected, where the user may."""
        if not self.get_actions(request):
            _require_reading(request)
        if not self.has_view_permission(request):
            raise PermissionDenied
        identity = as_uuid(request.GET.get("q", "").strip())
        record_access(request, subject=f"list:{self.opts.label_lower}" + (f" {identity}" if identity else ""))
        link = self.list_link if self.list_link and request.user.has_perm(self.list_link.permission) else None
        return super().changelist_view(request, {"list_link": link, **(extra_context or {})})

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Show the page of one row and log the access. Raises PermissionDenied for anything but reading."""
        _require_reading(request)
        if object_id is None:
            raise PermissionDenied
        obj = self.find_row(request, object_id)
        if obj is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        return self._page(request, obj, extra_context)

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show staff actions on a row, named as on its page, and log the access."""
        obj = self.find_row(request, object_id)
        if obj is not None:
            self._record_access(request, obj)
            title = f"Staff actions: {self.title_of(obj)}"
            extra_context = {"title": title, "object": obj, **(extra_context or {})}
        return super().history_view(request, object_id, extra_context)

    def _record_access(self, request: HttpRequest, obj: Any) -> None:
        record_access(request, subject=self.subject_of(obj), operator=getattr(obj, "operator_id", None))

    def _page(
        self,
        request: HttpRequest,
        obj: Any,
        extra_context: dict[str, Any] | None = None,
        bound: dict[str, RowForm] | None = None,
    ) -> HttpResponse:
        self._record_access(request, obj)
        context = {
            **self.admin_site.each_context(request),
            "title": self.title_of(obj),
            "opts": self.opts,
            "original": obj,
            "media": self.media,
            **(extra_context or {}),
        }
        if "sections" not in context:
            actions = self.action_sections(request, obj, bound or {})
            context["media"] = sum((action.form.media for action in actions), self.media)
            context["sections"] = _with_actions(self.sections(request, obj), actions)
        return TemplateResponse(request, "admin/casino/page.html", context)

    def facts(self, obj: Any, *items: str | tuple[str, object], title: str = "") -> Facts:
        """Show a row: items are pairs of a label and a value, or names of columns and fields."""
        rows = [self._fact(obj, item) if isinstance(item, str) else item for item in items]
        return Facts(title or capfirst(str(self.opts.verbose_name)), rows)

    def _fact(self, obj: Any, name: str) -> tuple[str, object]:
        column = getattr(self, name, None)
        if column is not None:
            return capfirst(column.short_description), column(obj)
        if name == "pk":
            return "Id", html.code(obj.pk)
        title = str(capfirst(getattr(self.opts.get_field(name), "verbose_name", name)))
        value = getattr(obj, name)
        if isinstance(value, datetime):
            return title, value
        if isinstance(value, bool):
            return title, "yes" if value else "no"
        return title, None if value is None else str(value)

    def title_of(self, obj: Any) -> str:
        """Return the heading of a row's page, by names rather than ids."""
        return str(capfirst(str(obj)))

    def subject_of(self, obj: Any) -> str:
        """Return the access log's subject for a row's page: its player, or the row."""
        player = getattr(obj, "player_id", None)
        return f"{self.opts.model_name}:{obj.pk}" if player is None else f"player:{player}"

    def find_row(self, request: HttpRequest, object_id: str) -> Any:
        """Return a row, prepared for its page, or None if there is none. Raises PermissionDenied."""
        name = unquote(object_id)
        obj = None if "\0" in name else self.get_object(request, name)  # PostgreSQL cannot store NUL in text
        if not self.has_view_permission(request, obj):
            raise PermissionDenied
        return None if obj is None else self.prepared([obj])[0]

    def prepared(self, rows: Iterable[Any]) -> list[Any]:
        """Decrypt rows, and add what columns and pages need."""
        found = list(rows)
        decrypt_rows(found)
        self.prepare_rows(found)
        return found

    def form_view(
        self, request: HttpRequest, form: RowForm, perform: Callable[[dict[str, Any]], str], **section: str
    ) -> HttpResponse:
        """Show a form on a page of its own; once it is valid, `perform` returns the address to go to, or refuses."""
        address = form.perform(perform)
        if address is not None:
            return HttpResponseRedirect(address)
        form_section = FormSection(url=request.path, form=form, **section)
        context = {**self.admin_site.each_context(request), "title": form_section.title, "sections": [form_section]}
        return TemplateResponse(request, "admin/casino/sections.html", context)

    # -- row actions ----------------------------------------------------------------------------------------------

    def get_urls(self) -> list[URLPattern]:
        """Add the address of each row action."""
        return [*(self._action_path(action) for action in row_actions(type(self))), *super().get_urls()]

    def _action_path(self, action: RowAction) -> URLPattern:
        def view(request: HttpRequest, object_id: str) -> HttpResponse:
            obj = self.find_row(request, object_id)
            if obj is None or not request.user.has_perm(action.permission):
                raise PermissionDenied
            form = action.form(request.POST, request=request, row=obj, permission=action.permission)
            outcome = form.perform(lambda data: self._act(action, request, obj, data))
            if isinstance(outcome, SecretAnswer):
                self.log_change(request, obj, outcome.message)
                return self._show_once(request, obj, outcome)
            if outcome is not None:
                self.log_change(request, obj, outcome)
                messages.success(request, outcome)
                return HttpResponseRedirect(self._address_after(request, obj))
            messages.error(request, " ".join(map(str, form.non_field_errors())) or "Please correct the errors below.")
            row = self.find_row(request, object_id) if form.fields else None  # nothing is typed into a button
            if row is None:
                return HttpResponseRedirect(self._address_after(request, obj))
            return self._page(request, row, bound={action.name: form})

        name = f"{self.opts.app_label}_{self.opts.model_name}_{action.name}"
        return path(f"<path:object_id>/{action.name}/", require_POST(self.admin_site.admin_view(view)), name=name)

    def _act(self, action: RowAction, request: HttpRequest, obj: Any, data: dict[str, Any]) -> str | SecretAnswer:
        """Do an action on a row that it applies to. Raises ValidationError, and what its service does.

        For another row its service says why not, as it knows more than the page; what it lets pass is undone.
        """
        method: Callable[..., str | SecretAnswer] = getattr(self, action.method)
        if action.applies(request, obj):
            return method(request, obj, data)
        with transaction.atomic():
            method(request, obj, data)
            raise ValidationError("Nothing was changed: this is not offered here, or not any more.")

    def _show_once(self, request: HttpRequest, obj: Any, shown: SecretAnswer) -> HttpResponse:
        """Answer with a secret, on a page that is stored nowhere: a redirect would need a cookie to carry it."""
        back = html.link(self.page_url(obj), self.title_of(obj))
        facts = Facts(shown.message, [("Shown only now", html.code(shown.secret)), ("Go on to", back)])
        return self._page(request, obj, {"sections": [Banner("Shown only now", shown.advice), facts]})

    def _address_after(self, request: HttpRequest, obj: Model) -> str:
        """Return where an action leads: back to the inbox, to the row's page, or to the list if the row was removed."""
        if INBOX in request.GET:
            return reverse("admin:desk_inbox")
        if type(obj)._default_manager.filter(pk=obj.pk).exists():  # noqa: SLF001  (Django's public name)
            return self.page_url(obj)
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist")

    def action_sections(
        self, request: HttpRequest, obj: Any, bound: dict[str, RowForm], *names: str
    ) -> list[FormSection]:
        """Return the forms of the actions that the user may do with a row: those of `names`, or all unplaced ones.

        A refused form is in `bound`, and always shown, with what was typed and why it is refused.
        """
        back = f"?{INBOX}" if INBOX in request.GET else ""
        return [
            FormSection(
                title=action.title,
                url=f"{self.action_url(action.name, obj)}{back}",
                form=bound.get(action.name) or action.form(request=request, row=obj, permission=action.permission),
                label=action.label,
                help_text=action.help_text,
                tone=action.tone,
                question=action.question,
            )
            for action in row_actions(type(self))
            if (action.name in names if names else not action.placed or action.name in bound)
            if request.user.has_perm(action.permission)
            if action.name in bound or action.applies(request, obj)
        ]

    def action_url(self, name: str, obj: Model) -> str:
        """Return the address of an action on one row."""
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{name}", args=[quote(obj.pk)])

    def page_url(self, obj: Model) -> str:
        """Return the address of a row's page."""
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[quote(obj.pk)])


def _with_actions(sections: Sequence[Section], actions: list[FormSection]) -> list[Section]:
    if not any(isinstance(section, ActionBar) for section in sections):
        return [*sections, *actions]
    return [ActionBar(actions) if isinstance(section, ActionBar) else section for section in sections]


def as_uuid(term: str) -> UUID | None:
    """Parse a search term as an id; None for anything else."""
    try:
        return UUID(term)
    except ValueError:
        return None


def as_number(term: str) -> int | None:
    """Parse a search term, 42 or #42 as pages print it, as a bigint; None for anything else."""
    digits = term.removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else None


def _require_reading(request: HttpRequest) -> None:
    if request.method not in {"GET", "HEAD"}:
        raise PermissionDenied
