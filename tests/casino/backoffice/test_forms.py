"""No form of the desk decides anything by being left as it is, and amounts are read as people write them."""

from collections.abc import Iterator

import pytest
from django import forms
from django.contrib import admin

from casino.backoffice import pages
from casino.backoffice.forms import EnumSelectField, MinorUnitsField, RowForm
from casino.backoffice.pages.brands import CurrenciesForm
from casino.backoffice.pages.operators import JurisdictionForm, OriginsForm
from casino.operators.models import Operator
from casino.urls import urlpatterns


def all_forms() -> Iterator[type[RowForm]]:
    """Yield every form of a page."""
    assert urlpatterns
    assert pages.__path__
    assert admin.site._registry
    waiting = [RowForm]
    while waiting:
        form = waiting.pop()
        yield form
        waiting += form.__subclasses__()


def decisions() -> list[tuple[str, str, forms.ChoiceField]]:
    """List the selects among the fields of all forms, whose choices are known without a row."""
    return [
        (form.__name__, name, field)
        for form in all_forms()
        for name, field in form.base_fields.items()
        if isinstance(field, EnumSelectField)
    ]


def test_no_reason_and_no_decision_is_chosen_before_somebody_chooses() -> None:
    chosen = [
        f"{form}.{name}"
        for form, name, field in decisions()
        if next(iter(field.choices))[0] != "" or field.initial is not None
    ]

    assert chosen == []
    assert len(decisions()) > 15


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ("AdjustmentRequestForm", "reason"),
        ("AdjustmentRequestForm", "direction"),
        ("VoidForm", "reason"),
        ("ResolutionForm", "resolution"),
        ("StepForm", "step"),
    ],
)
def test_a_form_that_is_left_as_it_is_is_refused(form: str, field: str) -> None:
    fields = {name: each for owner, name, each in decisions() if owner == form}

    with pytest.raises(forms.ValidationError):
        fields[field].clean("")


def test_a_form_begins_with_what_is_in_use() -> None:
    row = Operator(currencies=["EUR", "USD"], jurisdiction="MT", origins=["https://a.example", "https://b.example"])
    begun = {
        each.name: each.value()
        for form in (CurrenciesForm, JurisdictionForm, OriginsForm)
        for each in form(request=None, row=row)
    }
    lines = "https://a.example\nhttps://b.example"
    assert begun == {"currencies": "EUR USD", "jurisdiction": "MT", "origins": lines}


@pytest.mark.parametrize(
    ("currency", "text", "minor"),
    [("EUR", "25,00", 2500), ("EUR", "25,5", 2550), ("EUR", " 25.00 ", 2500), ("BHD", "1,25", 1250)],
)
def test_a_comma_with_one_or_two_digits_behind_it_is_decimal(currency: str, text: str, minor: int) -> None:
    assert MinorUnitsField(currency=currency).clean(text) == minor


@pytest.mark.parametrize("currency", ["EUR", "BHD", "JPY"])
def test_a_comma_with_three_digits_behind_it_is_refused_with_both_readings(currency: str) -> None:
    with pytest.raises(forms.ValidationError, match=r"1,500 may mean 1500 or 1\.500\."):
        MinorUnitsField(currency=currency).clean("1,500")


@pytest.mark.parametrize("text", ["1,500.00", "1.500,00", "1,5000", ",5", "1,", "-1,5", "25,00 EUR"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(forms.ValidationError):
        MinorUnitsField(currency="EUR").clean(text)
