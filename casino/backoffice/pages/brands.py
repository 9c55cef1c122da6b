"""Brands of operators, what their players may stake, and the forms that set them and the currencies."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from baccarat.services import skins
from casino.backoffice import html
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.columns import column, operator_column, time_column
from casino.backoffice.filters import operator_filter
from casino.backoffice.forms import RowForm, line_field, parse_positive_amount
from casino.backoffice.sections import Grid, Section
from casino.kernel.errors import Refusal
from casino.operators import brands, daily_caps, limits_groups
from casino.operators.daily_caps import EFFECTS, CapKind
from casino.operators.models import Brand, LimitsGroup, Operator

LIMITS: Final = {
    "minimum": "Lowest stake on a spot",
    "maximum": "Highest stake on a spot",
    "stake_day": "Staked in 24 hours, real money",
    "loss_day": "Lost in 24 hours, real money",
}


class AmountsForm(RowForm):
    """Amounts in one of an operator's currencies, cleaned to minor units; None for an empty one."""

    amounts: ClassVar[Mapping[str, str]]
    amounts_required: ClassVar[bool] = True

    def prepare(self) -> None:
        """Add the currency, and a field for each amount."""
        codes = self.row.currencies
        self.fields["currency"] = forms.ChoiceField(
            label="Currency", choices=[(code, code) for code in codes], initial=codes[0], required=False
        )
        for name, title in self.amounts.items():
            self.fields[name] = line_field(title, max_length=20, required=self.amounts_required)

    def clean(self) -> dict[str, Any]:
        """Parse the amounts in the currency."""
        data: dict[str, Any] = super().clean() or {}
        currency = data["currency"] = data.get("currency") or self.row.currencies[0]
        for name in self.amounts.keys() & data.keys():
            try:
                data[name] = parse_positive_amount(data[name], currency) if data[name] else None
            except Refusal as refusal:
                self.add_error(name, refusal.message())
        return data


class LimitsForm(AmountsForm):
    group = line_field("Group (`standard` is that of all players who were moved to no other)", max_length=40)
    amounts = LIMITS
    amounts_required = False


class DailyCapForm(AmountsForm):
    kind = forms.ChoiceField(label="What it counts", choices=[(kind, daily_caps.in_words(kind)) for kind in CapKind])
    effect = forms.ChoiceField(
        label="Beyond a cap on wins",
        choices=[(effect, daily_caps.in_words(effect)) for effect in EFFECTS[CapKind.WINS]],
    )
    amounts: ClassVar = {"amount": "In an accounting day (empty removes the cap)"}
    amounts_required = False


class CurrenciesForm(RowForm):
    begins_with: ClassVar = {"currencies": "currencies"}
    currencies = line_field("Currency codes, the default first; none can be removed", max_length=250)


class BrandForm(RowForm):
    slug = line_field("Slug: small letters, digits and hyphens", max_length=40)
    name = line_field("Name", max_length=120)
    shares_players = forms.BooleanField(label="Shared: the operator's players play under it", required=False)


class LimitsGroupChoiceForm(RowForm):
    group = forms.ChoiceField(label="Limits group")

    def prepare(self) -> None:
        """Offer the groups of the player's operator."""
        names = LimitsGroup.objects.filter(operator_id=self.row.operator_id).values_list("name", flat=True)
        choices = sorted({limits_groups.STANDARD, *names})
        self.fields["group"] = forms.ChoiceField(
            label="Limits group", choices=[(name, name) for name in choices], initial=self.row.limits_group
        )


def _caps(operator: Operator) -> Grid:
    rows = [
        (
            daily_caps.in_words(cap.kind).capitalize(),
            html.money(cap.amount, cap.currency),
            html.money(cap.moved, cap.currency),
            cap.day,
            daily_caps.in_words(cap.effect),
        )
        for cap in operator.daily_caps.order_by("kind", "currency")
    ]
    headers = ("Cap on", "Amount", "Counted", "On", "Beyond")
    return Grid("Daily caps", headers, rows, empty="No cap on a day's money yet.")


def sections_of(operator: Operator) -> list[Section]:
    """Build an operator's brands, limits groups, daily caps and skins."""
    listed = [
        (html.page("brand", brand.pk, brand.slug), brand.name, _players(brand), brand.created_at)
        for brand in brands.list_brands(operator=operator.pk)
    ]
    groups = [
        (group.name, *(_limit(group, name) for name in LIMITS))
        for group in operator.limits_groups.order_by("name", "currency")
    ]
    looks = [
        (
            html.page("skin", skin.pk, skin.name),
            ", ".join(skin.properties),
            "yes" if skin.logo else "no",
            skin.changed_at,
        )
        for skin in skins.list_skins(operator=operator.pk)
    ]
    return [
        Grid("Brands", ("Brand", "Name", "Players", "Created"), listed, empty="No brand yet."),
        Grid("Limits groups", ("Group", *LIMITS.values()), groups, empty="No limits group yet."),
        _caps(operator),
        Grid(
            "Skins",
            ("Skin", "Properties", "Logo", "Changed"),
            looks,
            empty="No skin yet.",
        ),
    ]


def _limit(group: LimitsGroup, name: str) -> object:
    amount = getattr(group, name)
    return html.NOTHING if amount is None else html.money(amount, group.currency)


def _players(brand: Brand) -> str:
    return "the operator's" if brand.shares_players else "its own"


@admin.register(Brand)
class BrandAdmin(ReadOnlyAdmin):
    """Brands. Found by id or slug."""

    list_display = ("slug", "name", "operator_", "players", "created")
    list_filter = (operator_filter(),)
    list_select_related = ("operator",)
    ordering = ("slug",)
    search_fields = ("pk", "slug")
    search_help_text = "id or slug"
    operator_ = operator_column
    players = column("players", _players)
    created = time_column("created_at", "created")

    def sections(self, _request: HttpRequest, obj: Brand) -> Sequence[Section]:
        keys = [html.page("key", key.pk) for key in obj.keys.order_by("key_id")]
        own = html.NOTHING if obj.shares_players else html.listing("operators_player", "its players", brand=str(obj.pk))
        facts = self.facts(obj, "slug", "name", "operator_", "players", ("Own players", own), "created", "pk")
        return [facts, Grid("API keys of this brand", ("Key",), [(key,) for key in keys], empty="No API key yet.")]
