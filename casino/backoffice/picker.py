"""A field that picks a row by its name, with Django's autocomplete over what pages find; ids may still be typed."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from django import forms
from django.contrib import admin
from django.urls import reverse
from django.utils.http import urlencode

from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.subjects import subject_names

ANYTHING: Final = ("round", "deposit", "withdrawal", "adjustment", "transfer", "player", "table")
"""Kinds of what somebody may refer to."""


def pages() -> Mapping[str, ReadOnlyAdmin]:
    """Return the page of each kind, in the order of html.PAGES."""
    by_name = {f"{page.opts.app_label}_{page.opts.model_name}": page for page in admin.site._registry.values()}  # noqa: SLF001
    listed = {kind: by_name.get(name) for kind, name in html.PAGES.items()}
    return {kind: page for kind, page in listed.items() if isinstance(page, ReadOnlyAdmin)}


def visible_names(subjects: Iterable[str]) -> Mapping[str, str]:
    """Name those of these subjects, such as round:<id>, that are on pages of the user who makes the request.

    Who works for several operators reads whose it is.
    """
    request, listed = scope.current_request(), pages()
    ids: defaultdict[str, set[UUID]] = defaultdict(set)
    for subject in subjects:
        kind, _, identity = subject.partition(":")
        key = as_uuid(identity)
        if key is not None and kind in ANYTHING and kind in listed:
            ids[kind].add(key)
    if request is None:
        return {}
    owners = {
        f"{kind}:{key}": operator
        for kind, keys in ids.items()
        if listed[kind].has_view_permission(request)
        for key, operator in listed[kind].get_queryset(request).filter(pk__in=keys).values_list("pk", "operator_id")
    }
    return {
        subject: scope.name_choice(name, owners[subject], request) for subject, name in subject_names(owners).items()
    }


class PickerInput(forms.Select):
    """Picks a row of a kind by its id, or of several kinds by `kind:<id>`; the rows of `player` are offered first."""

    class Media:
        css: ClassVar[Any] = {"screen": ["admin/css/vendor/select2/select2.min.css", "admin/css/autocomplete.css"]}
        js: ClassVar[Any] = [
            "admin/js/vendor/jquery/jquery.min.js",
            "admin/js/vendor/select2/select2.full.min.js",
            "admin/js/jquery.init.js",
            "admin/js/autocomplete.js",
        ]

    def __init__(self, *kinds: str, player: UUID | None = None) -> None:
        super().__init__()
        self.kinds = kinds
        self.player = player

    def build_attrs(self, base_attrs: dict[str, Any], extra_attrs: dict[str, Any] | None = None) -> dict[str, Any]:
        query = {"kinds": ",".join(self.kinds), **({} if self.player is None else {"player": str(self.player)})}
        return {
            **super().build_attrs(base_attrs, extra_attrs),
            "class": "admin-autocomplete",
            "data-ajax--url": f"{reverse('admin:desk_pick')}?{urlencode(query)}",
            "data-ajax--delay": 250,
            "data-theme": "admin-autocomplete",
            "data-allow-clear": "true",
            "data-placeholder": "Whole name, reference or id",
            "data-tags": "true",  # what is typed may be taken as it is
            "data-width": "100%",
        }

    def optgroups(self, name: str, value: list[str], attrs: dict[str, Any] | None = None) -> Any:
        """Show what is picked by its name, if the user may see it."""
        chosen = [each for each in value if each]
        subjects = {each: f"{self.kinds[0]}:{each}" if as_uuid(each) else each for each in chosen}
        names = visible_names(subjects.values())
        self.choices = [("", ""), *((each, names.get(subjects[each], each)) for each in chosen)]
        return super().optgroups(name, value, attrs)


def picker_field(title: str, *kinds: str, max_length: int, required: bool = False) -> forms.CharField:
    """Build a field for a row of these kinds."""
    return forms.CharField(label=title, max_length=max_length, required=required, widget=PickerInput(*kinds))
