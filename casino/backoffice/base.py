"""The base of every list and page about what is immutable or derived: it shows, and has no way to change anything."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, ClassVar
from uuid import UUID

from django.contrib import messages
from django.contrib.admin import ModelAdmin
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import PermissionDenied
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_POST

from casino.backoffice import scope
from casino.backoffice.opening import open_rows
from casino.backoffice.paging import CappedPaginator, CountedList
from casino.backoffice.sections import Section
from casino.backoffice.seen import seen
from casino.kernel.errors import Refusal

if TYPE_CHECKING:
    Looks = ModelAdmin[Any]  # what django-unfold adds is looks, and untyped
else:
    from unfold.admin import ModelAdmin as Looks

Perform = Callable[[HttpRequest, Any], str]


class ReadOnlyAdmin(Looks):
    """A list and pages to look at. Subclasses say what stands on a page (`sections`) and how it is found (`found_by`).

    Every row is an operator's (`owned_by`): staff see, find and act on those of the operators that they work for.
    There is no form anywhere: a change needs an action of its own, POSTed, with a permission of its own (`perform`).
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
        """Offer nothing that works on many rows."""
        del request
        return {}

    def get_search_results(self, request: HttpRequest, queryset: QuerySet[Any], search_term: str) -> Any:
        """Find rows by `found_by` alone: exact values of indexed columns, never a scan for a substring."""
        del request
        term = search_term.strip()
        if not term:
            return queryset, False
        wanted = self.found_by(term)
        return (queryset.none() if wanted is None else queryset.filter(wanted)), False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[CountedList]:
        """Return the list's machinery."""
        del request, kwargs
        return CountedList

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Leave out rows of operators that this person does not work for; every page and action asks here."""
        rows: QuerySet[Any] = super().get_queryset(request)
        allowed = scope.operators(request)
        return rows if allowed is None else rows.filter(self.owned_by(allowed))

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Say which rows belong to these operators; Q() for rows that are nobody's."""
        return Q(operator_id__in=operators)

    def found_by(self, term: str) -> Q | None:
        """Say which rows a searched word means, None for no row at all."""
        identity = as_uuid(term)
        return None if identity is None else Q(pk=identity)

    def sections(self, request: HttpRequest, obj: Any) -> Sequence[Section]:
        """Return what stands on the page of one row."""
        raise NotImplementedError

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Answer the list, to a GET only."""
        _require_looking(request)
        if not self.has_view_permission(request):
            raise PermissionDenied
        sought = as_uuid(request.GET.get("q", "").strip())
        seen(request, subject=f"list:{self.opts.label_lower}" + (f" {sought}" if sought else ""))
        return super().changelist_view(request, extra_context)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        """Answer the page of one row. Raises PermissionDenied for anything but looking at it."""
        del form_url
        _require_looking(request)
        if object_id is None:
            raise PermissionDenied
        obj = self._find(request, object_id)
        if obj is None:
            return self._get_obj_does_not_exist_redirect(request, self.opts, object_id)  # type: ignore[attr-defined]
        seen(request, subject=self.subject_of(obj), operator=getattr(obj, "operator_id", None))
        context = {
            **self.admin_site.each_context(request),
            "title": self.title_of(obj),
            "opts": self.opts,
            "original": obj,
            "media": self.media,
            "sections": self.sections(request, obj),
            **(extra_context or {}),
        }
        return TemplateResponse(request, "admin/casino/page.html", context)

    def title_of(self, obj: Any) -> str:
        """Name a row at the head of its page."""
        return str(obj)

    def subject_of(self, obj: Any) -> str:
        """Name what the page of a row shows, for the log of views: its player's data, or the row."""
        player = getattr(obj, "player_id", None)
        return f"{self.opts.model_name}:{obj.pk}" if player is None else f"player:{player}"

    def _find(self, request: HttpRequest, object_id: str) -> Any:
        name = unquote(object_id)
        obj = None if "\0" in name else self.get_object(request, name)  # PostgreSQL's text holds no such character
        if not self.has_view_permission(request, obj):
            raise PermissionDenied
        if obj is not None:
            open_rows([obj])
        return obj

    def perform_path(self, name: str, permission: str, perform: Perform) -> URLPattern:
        """Give an action on one row its address, `<id>/<name>/`: POST only, for those with `permission`.

        `perform(request, row)` does it and returns what to say; a Refusal it raises is said instead.
        """

        def view(request: HttpRequest, object_id: str) -> HttpResponse:
            obj = self._find(request, object_id)
            if obj is None or not request.user.has_perm(permission):
                raise PermissionDenied
            try:
                done = perform(request, obj)
            except Refusal as refusal:
                messages.error(request, refusal.message())
            else:
                self.log_change(request, obj, done)
                messages.success(request, done)
            return HttpResponseRedirect(self.page_url(obj))

        name_of_url = f"{self.opts.app_label}_{self.opts.model_name}_{name}"
        return path(f"<path:object_id>/{name}/", require_POST(self.admin_site.admin_view(view)), name=name_of_url)

    def perform_url(self, name: str, obj: Model) -> str:
        """Return the address of an action on one row."""
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_{name}", args=[quote(obj.pk)])

    def page_url(self, obj: Model) -> str:
        """Return the address of a row's page."""
        return reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_change", args=[quote(obj.pk)])


def as_uuid(term: str) -> UUID | None:
    """Read a searched word as an id, None when it is none."""
    try:
        return UUID(term)
    except ValueError:
        return None


def as_number(term: str) -> int | None:
    """Read a searched word, 42 or #42 as pages print it, as a number for a bigint; None where it is none."""
    digits = term.removeprefix("#")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 18 else None


def _require_looking(request: HttpRequest) -> None:
    if request.method not in {"GET", "HEAD"}:
        raise PermissionDenied
