"""What is created for operators: operators, their API keys and their tables."""

from datetime import timedelta
from typing import Any, Final
from uuid import UUID
from zoneinfo import available_timezones

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse

from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.services import table_lifecycle
from casino.backoffice import html
from casino.backoffice.actions import WAITS, RowAction, SecretAnswer, staff_metadata
from casino.backoffice.forms import MinorUnitsField, RowForm, line_field
from casino.backoffice.forms import label as as_label
from casino.backoffice.pages.keys import shown_secret
from casino.events.sql import database_now
from casino.kernel.money import MoneyType
from casino.operators import key_changes, memberships, services
from casino.operators.key_limits import KeyLimits
from casino.operators.models import Operator
from casino.operators.principals import Scope

ADD_OPERATOR: Final = "operators.add_operator"
"""Of superusers: no role has it, as a new operator has no staff yet."""
ADD_KEY: Final = "operators.change_apikey"
ADD_TABLE: Final = "baccarat.add_table"
MAX_DAYS: Final = 3650


def _checkboxes(title: str, choices: list[tuple[str, str]]) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(label=title, choices=[("", choices)], widget=forms.CheckboxSelectMultiple)


class OperatorForm(RowForm):
    slug = line_field("Slug, for addresses: small letters, digits and hyphens", max_length=60)
    name = line_field("Name", max_length=200)
    currencies = line_field("Currency codes, separated by commas; the first is the default", max_length=200)
    time_zone = forms.ChoiceField(label="Time zone of its accounting days", initial="UTC")
    sandbox = forms.BooleanField(label="A sandbox, where credits need no payment", required=False)

    def prepare(self) -> None:
        """Offer all time zones."""
        self.fields["time_zone"].choices = [(zone, zone) for zone in sorted(available_timezones())]  # type: ignore[attr-defined]


class KeyForm(RowForm):
    label = line_field("Label, such as the system that uses it", max_length=60)
    scopes = _checkboxes("Scopes", [(scope.value, as_label(scope.value)) for scope in Scope])
    networks = line_field("Only from these networks, separated by commas (empty: any)", max_length=500, required=False)
    days = forms.IntegerField(
        label="Expires after how many days (empty: never)", min_value=1, max_value=MAX_DAYS, required=False
    )
    brand = forms.ChoiceField(label="Brand", required=False)

    def prepare(self) -> None:
        """Offer the operator's brands, and limits in its currencies."""
        for currency in self.row.currencies:
            self.fields[f"per_request_{currency}"] = MinorUnitsField(
                currency=currency, label=f"At most in one request, in {currency}", required=False
            )
            self.fields[f"per_day_{currency}"] = MinorUnitsField(
                currency=currency, label=f"At most in a day (UTC), in {currency}", required=False
            )
        brands = [(str(brand.pk), brand.slug) for brand in self.row.brands.order_by("slug")]
        self.fields["brand"].choices = [("", "none: for the operator"), *brands]  # type: ignore[attr-defined]


class TableForm(RowForm):
    name = line_field("Name", max_length=60)
    preset = forms.ChoiceField(label="Preset", choices=[(name, preset.title) for name, preset in PRESETS.items()])
    currency = forms.ChoiceField(label="Currency")
    money_types = _checkboxes("Money", [(each.value, as_label(each.value)) for each in MoneyType])
    accept_player_edge = forms.BooleanField(label="Accept bets on which players have the edge", required=False)
    listed = forms.BooleanField(label="Shown in the lobby", required=False, initial=True)

    def prepare(self) -> None:
        """Offer the operator's currencies."""
        self.fields["currency"].choices = [(code, code) for code in self.row.currencies]  # type: ignore[attr-defined]


class OperatorOpenings:
    """The page that creates an operator, and the row actions on one that issue a key and open a table."""

    def get_urls(self) -> list[URLPattern]:
        """Add the page that creates an operator."""
        new = self.admin_site.admin_view(self.create_operator)  # type: ignore[attr-defined]
        return [path("new/", new, name="operators_operator_new"), *super().get_urls()]  # type: ignore[misc]

    def create_operator(self, request: HttpRequest) -> HttpResponse:
        """Create an operator. Raises PermissionDenied."""
        if not request.user.has_perm(ADD_OPERATOR):
            raise PermissionDenied

        def perform(data: dict[str, Any]) -> str:
            codes = [code.strip().upper() for code in data.pop("currencies").split(",")]
            operator = services.create_operator(currencies=codes, by=memberships.staff_actor(request.user), **data)
            messages.success(request, "Created. Issue its first API key, and open its tables.")
            return reverse("admin:operators_operator_change", args=[operator.pk])

        form = OperatorForm(request.POST if request.method == "POST" else None, request=request, row=None)
        page: HttpResponse = self.form_view(  # type: ignore[attr-defined]
            request,
            form,
            perform,
            title="Create an operator",
            label="Create",
            help_text="Its API keys, tables and players are added on its page.",
        )
        return page

    @RowAction(
        "Issue",
        name="issue_key",
        title="Issue an API key",
        permission=ADD_KEY,
        form=KeyForm,
        help_text="The secret is shown once. Limits are of real money, for each kind of movement. At a live operator "
        "another person has to confirm the key, and one for money needs limits in a day, networks and an end.",
    )
    def issue_key(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> SecretAnswer:
        days = data["days"]
        limits = {
            currency: KeyLimits(data[f"per_request_{currency}"], data[f"per_day_{currency}"])
            for currency in operator.currencies
        }
        made = key_changes.issue(
            operator,
            label=data["label"],
            scopes=data["scopes"],
            networks=[each.strip() for each in data["networks"].split(",") if each.strip()],
            expires_at=None if days is None else database_now() + timedelta(days=days),
            brand=UUID(data["brand"]) if data["brand"] else None,
            limits={currency: each for currency, each in limits.items() if each != KeyLimits()},
            by=memberships.staff_actor(request.user),
        )
        return shown_secret(made, f"Issued the key {made.name}.")

    @RowAction(
        "Open",
        name="open_table",
        title="Open a table",
        permission=ADD_TABLE,
        form=TableForm,
        help_text="It begins with the rules of the preset; others are drafted on the page of the version. At a live "
        "operator another person has to confirm one for real money on which players have the edge.",
    )
    def open_table(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        terms = {
            "operator": operator.pk,
            "name": data["name"],
            "preset": data["preset"],
            "currency": data["currency"],
            "money_types": [MoneyType(each) for each in data["money_types"]],
            "edge_accepted": data["accept_player_edge"],
            "acknowledgement": "",
            "listed": data["listed"],
            "brands": (),
            "overrides": {},
        }
        rules = rules_for(data["preset"], currency=data["currency"])
        if table_lifecycle.needs_change(operator=operator.pk, rules=rules, money_types=terms["money_types"]):
            table_lifecycle.request_table(by=memberships.staff_actor(request.user), **terms)
            return WAITS
        metadata = staff_metadata(request, operator.pk, causation="admin", correlation="table")
        table = table_lifecycle.open_table(metadata=metadata, **terms)
        return f"Opened the table {data['name']} ({html.short(table)})."
