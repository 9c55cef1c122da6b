"""Skins of the table page: their colours beside each other, the logo, and the forms that set and remove them."""

import base64
from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString

from baccarat.services import logos, skins
from baccarat.storage.models import Skin
from casino.backoffice import html
from casino.backoffice.actions import RowAction
from casino.backoffice.columns import LabelledRowsAdmin, column, time_column
from casino.backoffice.filters import operator_filter
from casino.backoffice.forms import RowForm, line_field
from casino.backoffice.sections import Grid, Section
from casino.kernel.errors import Refusal
from casino.operators import memberships

ADD: Final = "baccarat.add_skin"
CHANGE: Final = "baccarat.change_skin"
REMOVE: Final = "baccarat.delete_skin"


class NewSkinForm(RowForm):
    name = line_field("Name: a brand's slug for launches under it, or `standard` for all others", max_length=40)


class SkinForm(RowForm):
    """All of a skin; a colour that is empty is the ordinary one."""

    def prepare(self) -> None:
        """Add a field for each colour, beginning with the skin's own."""
        for name, text in skins.COLOURS.items():
            self.fields[name] = line_field(
                f"{name}: {text}", max_length=7, required=False, initial=self.row.properties.get(name, "")
            )
        self.fields[skins.RADIUS] = forms.IntegerField(
            label="Radius of corners in pixels",
            min_value=0,
            max_value=skins.MAX_RADIUS,
            required=False,
            initial=self.row.properties.get(skins.RADIUS),
        )
        self.fields["logo"] = forms.FileField(
            label="New logo: a PNG of up to 45,000 bytes, 1024 by 512 pixels",
            required=False,
            widget=forms.FileInput(attrs={"accept": "image/png"}),
        )
        self.fields["no_logo"] = forms.BooleanField(label="No logo", required=False)

    def clean(self) -> dict[str, Any]:
        """Collect the colours and check them together, so that a refused form keeps what was typed."""
        data: dict[str, Any] = super().clean() or {}
        colours = {name: data[name].lower() for name in skins.COLOURS if data.get(name)}
        for name, colour in colours.items():
            if not skins.is_colour(colour):
                self.add_error(name, "A colour is # and six digits of 0-9 and a-f.")
        if not self.errors:
            try:
                skins.require_contrast(colours)
            except Refusal as refusal:
                self.add_error(None, refusal.message())
        return {**data, "colours": colours}


def logo_after(skin: Skin, data: dict[str, Any]) -> bytes:
    """Return the logo that a form asks for: another one, none, or the one there is."""
    if data["logo"] is not None:
        upload: bytes = data["logo"].read(logos.MAX_BYTES + 1)
        return upload
    return b"" if data["no_logo"] else bytes(skin.logo)


def _swatch(colour: str) -> SafeString:
    return format_html('<span class="c-swatch" style="background: {}"></span> {}', colour, html.code(colour))


def _logo(skin: Skin) -> SafeString | None:
    if not skin.logo:
        return None
    data = base64.b64encode(bytes(skin.logo)).decode()
    return format_html('<img class="c-logo" alt="logo" src="data:image/png;base64,{}">', data)


@admin.register(Skin)
class SkinAdmin(LabelledRowsAdmin):
    """Skins by name. Found by id or name."""

    names = ("operator",)
    list_display = ("name", "operator", "colours", "logo_", "changed")
    list_filter = (operator_filter(),)
    ordering = ("name",)
    search_fields = ("pk", "name")
    search_help_text = "id or name"
    colours = column("colours", lambda skin: str(len(skin.properties.keys() & skins.COLOURS.keys())))
    logo_ = column("logo", lambda skin: "yes" if skin.logo else "no")
    changed = time_column("changed_at", "changed")

    @RowAction(
        "Set",
        name="set",
        title="Change this skin",
        permission=CHANGE,
        form=SkinForm,
        help_text="For pages that are loaded from now on. An empty colour is the standard one.",
    )
    def set_skin(self, request: HttpRequest, skin: Skin, data: dict[str, Any]) -> str:
        skins.change(
            operator=skin.operator_id,
            name=skin.name,
            colours=data["colours"],
            radius=data[skins.RADIUS],
            logo=logo_after(skin, data),
            by=memberships.staff_actor(request.user),
        )
        return f"{skin.name} has these looks from now on."

    @RowAction(
        "Remove",
        title="Remove this skin",
        permission=REMOVE,
        tone="bad",
        help_text="Pages that were launched with it look standard once they are loaded again.",
        question="Remove this skin?",
    )
    def remove(self, request: HttpRequest, skin: Skin, _data: dict[str, Any]) -> str:
        skins.remove(operator=skin.operator_id, name=skin.name, by=memberships.staff_actor(request.user))
        return f"Removed the skin {skin.name}."

    def sections(self, _request: HttpRequest, obj: Skin) -> Sequence[Section]:
        radius = obj.properties.get(skins.RADIUS)
        facts = self.facts(
            obj,
            *("name", "operator"),
            ("Radius of corners", None if radius is None else f"{radius} pixels"),
            ("Logo", _logo(obj)),
            *("changed", "pk"),
        )
        used = [(name, text) for name, text in skins.COLOURS.items() if name in obj.properties]
        rows = [(name, _swatch(obj.properties[name]), text) for name, text in used]
        return [facts, Grid("Colours", ("Property", "Colour", "Where"), rows, empty="The standard ones.")]
