"""Forms of row actions: the base form, fields for money and texts, and forms that several pages use."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar
from uuid import UUID

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.functional import lazy

from casino.kernel.text import UnfitText, clean

if TYPE_CHECKING:  # django-unfold adds looks only, and is untyped
    from django.contrib.admin.helpers import ActionForm as BaseActionForm
else:
    from unfold.forms import ActionForm as BaseActionForm

from casino.backoffice import scope
from casino.kernel import money
from casino.kernel.errors import Refusal
from casino.operators.memberships import colleagues_filter, staff_actor
from casino.staff.models import SignedIn

Outcome = TypeVar("Outcome")
_COMMA: Final = re.compile(r"(-?\d+),(\d{1,3})", re.ASCII)
_OF_A_THOUSAND: Final = 3
"""The digits behind a comma that parts thousands."""


class RowForm(forms.Form):
    """Base of the forms on a row's page. Subclasses may adapt their fields to `self.row` in `prepare`.

    `permission` is what the form's action needs; `begins_with` names the row's values that fields begin with.
    """

    begins_with: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, request: HttpRequest, row: Any, permission: str = ""
    ) -> None:
        files = None if data is None else request.FILES
        super().__init__(
            data, files, auto_id=False, label_suffix=""
        )  # several forms share a page: labels wrap their fields
        self.request, self.row, self.permission = request, row, permission
        for name, attribute in self.begins_with.items():
            value, lines = getattr(row, attribute), isinstance(self.fields[name].widget, forms.Textarea)
            self.fields[name].initial = value if isinstance(value, str) else ("\n" if lines else " ").join(value)
        self.prepare()

    def prepare(self) -> None:
        """Adapt fields to the row."""

    def perform(self, action: Callable[[dict[str, Any]], Outcome]) -> Outcome | None:
        """Do the action with the cleaned data; None if they are not valid or it is refused, which is then an error."""
        if not self.is_valid():
            return None
        try:
            return action(self.cleaned_data)
        except Refusal as refusal:
            self.add_error(None, refusal.message())
        except ValidationError as error:
            self.add_error(None, error)
        return None


def parse_amount(text: str, currency: str) -> int:
    """Turn an amount as people write it into minor units: "25.00", "25,00" or "25,5".

    Raises AmountMalformed for a comma before three digits, which parts thousands in one country and decimals in
    another, and what `money.parse` raises.
    """
    match = _COMMA.fullmatch(text.strip())
    if match is None:
        return money.parse(text.strip(), currency)
    whole, decimals = match.groups()
    if len(decimals) == _OF_A_THOUSAND:
        raise money.AmountMalformed(f"{text.strip()} may mean {whole}{decimals} or {whole}.{decimals}.")
    return money.parse(f"{whole}.{decimals}", currency)


def parse_positive_amount(text: str, currency: str) -> int:
    """Do as `parse_amount`. Raises AmountNotPositive, too."""
    minor = parse_amount(text, currency)
    if minor <= 0:
        raise money.AmountNotPositive(f"Got {text}.")
    return minor


class MinorUnitsField(forms.CharField):
    """A positive decimal amount of a currency, cleaned to minor units; None if it is empty and may be."""

    def __init__(self, *, currency: str, **kwargs: Any) -> None:
        kwargs.setdefault("max_length", 20)
        super().__init__(widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}), **kwargs)
        self.currency = currency

    def clean(self, value: Any) -> int | None:
        """Parse the amount. Raises ValidationError."""
        text = super().clean(value)
        if not text:
            return None
        try:
            return parse_positive_amount(text, self.currency)
        except Refusal as refusal:
            raise ValidationError(refusal.message()) from None


UNCHOSEN: Final = ("", "Choose \N{HORIZONTAL ELLIPSIS}")
"""What a select begins with, so that nobody gives a reason or decides by leaving it as it is."""


class EnumSelectField(forms.TypedChoiceField):
    """A select of an enum's members, cleaned to the member. None is chosen from the start."""

    def __init__(self, kind: type[Enum], *, labels: Mapping[Any, str] | None = None, **kwargs: Any) -> None:
        members = labels.items() if labels is not None else ((member, label(member.value)) for member in kind)
        choices = [UNCHOSEN, *((member.value, text) for member, text in members)]
        super().__init__(choices=choices, coerce=kind, **kwargs)


def label(code: str) -> str:
    """Write a code such as `self_exclusion` as a label."""
    return code.replace("_", " ").capitalize()


class HumanTextField(forms.CharField):
    """A field for what people write, taken as `clean` says."""

    def __init__(self, *, max_length: int, multiline: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.limit, self.multiline = max_length, multiline

    def to_python(self, value: Any) -> str:
        """Normalise a text. Raises ValidationError."""
        try:
            return clean(super().to_python(value) or "", limit=self.limit, multiline=self.multiline)
        except UnfitText as refusal:
            raise ValidationError(refusal.message()) from None


def text_field(title: str, *, max_length: int = 500, rows: int = 2, **kwargs: Any) -> forms.CharField:
    """Build a field for sentences."""
    return HumanTextField(
        label=title, max_length=max_length, multiline=True, widget=forms.Textarea(attrs={"rows": rows}), **kwargs
    )


def line_field(title: str, *, max_length: int = 500, **kwargs: Any) -> forms.CharField:
    """Build a field for one line of text."""
    return HumanTextField(
        label=title, max_length=max_length, widget=forms.TextInput(attrs={"autocomplete": "off"}), **kwargs
    )


class _TimeInput(forms.DateTimeInput):
    """A picker of a time in the user's time zone, in which it also shows a time with an offset, as links have it."""

    def format_value(self, value: Any) -> str | None:
        moment = parse_datetime(value) if isinstance(value, str) else value
        if isinstance(moment, datetime):
            local = timezone.make_naive(moment) if timezone.is_aware(moment) else moment
            return local.isoformat(timespec="seconds")
        return super().format_value(value)


def time_field(title: str, *, required: bool = True) -> forms.DateTimeField:
    """Build a field for a time in the user's time zone, which its label names."""
    return forms.DateTimeField(
        label=lazy(lambda: f"{title} ({timezone.get_current_timezone()})", str)(),
        required=required,
        widget=_TimeInput({"type": "datetime-local", "step": 1}),
    )


class ReasonForm(RowForm):
    # Not required here: services refuse an empty reason.
    reason = text_field("Reason, for the record (kept permanently: do not name a player)", required=False)


class OptionalNoteForm(RowForm):
    note = line_field("Note for staff", required=False)


class NoteActionForm(BaseActionForm):
    """What to do with the rows selected, with one note for all."""

    note = HumanTextField(
        label="Note for all of them", max_length=500, required=False, widget=forms.TextInput({"autocomplete": "off"})
    )


class AssignForm(RowForm):
    owner = forms.ChoiceField(label="Owner", required=False)

    def prepare(self) -> None:
        """Offer the colleagues who work for the row's operator and may do the same, and begin with the user."""
        field = self.fields["owner"]
        field.choices = [  # type: ignore[attr-defined]
            (staff_actor(each), each.username)
            for each in _colleagues(self.request)
            if each.is_superuser or _works_for(each, self.row.operator_id)
            if each.has_perm(self.permission) and self.may_own(staff_actor(each))
        ]
        field.initial = staff_actor(self.request.user)

    def may_own(self, person: str) -> bool:
        """Return whether a colleague may have the row."""
        return bool(person)


def _works_for(user: SignedIn, operator: UUID | None) -> bool:
    """Return whether a user works for an operator; for the whole installation, who works for every operator."""
    theirs = {of.operator_id for of in user.memberships.all()}
    return scope.are_all_operators(theirs) if operator is None else operator in theirs


def _colleagues(request: HttpRequest) -> Sequence[SignedIn]:
    """Return the user's colleagues, read once for a page with many forms: they remember what they may do."""
    inside = colleagues_filter(scope.operators(request))
    rows = SignedIn.objects.filter(inside, is_staff=True, is_active=True).order_by("username")
    return scope.cached_per_request("colleagues", lambda: list(rows.prefetch_related("memberships")))
