"""Operators' identity providers: requested on the operator's page, removed here."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse

from casino.backoffice.actions import WAITS, RowAction
from casino.backoffice.columns import RemovableAdmin
from casino.backoffice.forms import RowForm, line_field
from casino.backoffice.sections import Section
from casino.operators import memberships
from casino.operators.models import Operator
from casino.staff import acts, identity_providers
from casino.staff.models import IdentityProvider, ProviderDescription

REMOVE: Final = "staff.delete_identityprovider"


class IdentityProviderForm(RowForm):
    issuer = line_field("Issuer, such as https://login.example.com", max_length=300)
    client_id = line_field("Client id at the provider", max_length=200)
    client_secret = forms.CharField(
        label="Client secret at the provider", max_length=500, widget=forms.PasswordInput({"autocomplete": "off"})
    )
    second_factors = line_field(
        "Values of amr or acr that count as a second factor, such as mfa (empty: always ask for our own code)",
        required=False,
    )

    def clean_second_factors(self) -> list[str]:
        """Split the values at blanks."""
        return str(self.cleaned_data["second_factors"]).split()


class ProviderRequest:
    """The row action on an operator."""

    @RowAction(
        "Request",
        name="identity_provider",
        title="Set up login by an identity provider (OpenID Connect)",
        permission=acts.ADD_PROVIDER.name,
        form=IdentityProviderForm,
        help_text=(
            "It signs in staff who work for this operator alone, by an e-mail address that it has verified and then by "
            "its own id of them; no superuser. Once another administrator confirms, it replaces the earlier one."
        ),
    )
    def request_identity_provider(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        identity_providers.request_provider(operator=operator.pk, by=by, **data)
        return WAITS


@admin.register(IdentityProvider)
class IdentityProviderAdmin(RemovableAdmin):
    """Identity providers, newest first; never a client secret."""

    list_display = ("issuer", "operator_", "client_id", "created", "status")

    @RowAction(
        "Remove",
        title="Remove this provider",
        permission=REMOVE,
        applies=lambda _, row: row.removed_at is None,
        tone="bad",
        help_text="One administrator is enough. Sessions that began by it end at once.",
        question="Remove this provider? A new one needs two administrators again.",
    )
    def remove(self, request: HttpRequest, row: IdentityProvider, _data: dict[str, Any]) -> str:
        identity_providers.remove(row.pk, by=memberships.staff_actor(request.user))
        return f"Removed {row.issuer}."

    def sections(self, request: HttpRequest, obj: IdentityProvider) -> Sequence[Section]:
        slug = obj.operator.slug
        facts = self.facts(
            obj,
            *("issuer", "operator_", "client_id"),
            ("Second factor by", ", ".join(obj.second_factors) or "our own code always"),
            ("Staff sign in at", request.build_absolute_uri(reverse("admin:oidc_begin", args=[slug]))),
            ("Redirect URI to register there", request.build_absolute_uri(reverse("admin:oidc_callback", args=[slug]))),
            ("What it says of itself", _description(obj)),
            *self.life(obj),
        )
        return [facts]


def _description(provider: IdentityProvider) -> str:
    row = ProviderDescription.objects.filter(provider=provider).first()
    if row is None or not (row.error or row.document):
        return "not read yet"
    return f"can't be read: {row.error}" if row.error else "was read"
