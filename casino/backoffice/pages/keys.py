"""API keys: their terms, the rotation of their secrets, their limits on money, and what verifies signatures."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from casino.backoffice import html
from casino.backoffice.actions import WAITS, RowAction, SecretAnswer, done_or_waits
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.columns import column, operator_column, time_column
from casino.backoffice.filters import brand_filter, operator_filter
from casino.backoffice.forms import EnumSelectField, MinorUnitsField, RowForm, text_field, time_field
from casino.backoffice.forms import label as as_label
from casino.backoffice.sections import ActionBar, Grid, Section
from casino.operators import key_changes, key_limits, key_rotation, memberships, services, signing_keys
from casino.operators.key_changes import NewSecret
from casino.operators.key_limits import KeyLimits, Movement
from casino.operators.models import ApiKey
from casino.operators.principals import Scope

CHANGE: Final = "operators.change_apikey"


class KeyLimitForm(RowForm):
    movement = EnumSelectField(Movement, label="Movement")

    def prepare(self) -> None:
        """Offer the operator's currencies, and an amount of each for a request and a day."""
        for currency in self.row.operator.currencies:
            self.fields[f"per_request_{currency}"] = MinorUnitsField(
                currency=currency, label=f"In one request, in {currency}", required=False
            )
            self.fields[f"per_day_{currency}"] = MinorUnitsField(
                currency=currency, label=f"In a day (UTC), in {currency}", required=False
            )


class KeyTermsForm(RowForm):
    scopes = forms.MultipleChoiceField(
        label="Scopes",
        choices=[("", [(scope.value, as_label(scope.value)) for scope in Scope])],
        widget=forms.CheckboxSelectMultiple,
    )
    networks = text_field("Only from these networks, one a line; empty for any", max_length=500, rows=3, required=False)
    expires_at = time_field("Expires; empty: never", required=False)

    def prepare(self) -> None:
        """Begin with the present terms."""
        networks = "\n".join(self.row.networks)
        self.initial = {"scopes": self.row.scopes, "networks": networks, "expires_at": self.row.expires_at}


class RemoveKeyLimitForm(RowForm):
    limit = forms.ChoiceField(label="Limit")

    def prepare(self) -> None:
        """Offer the key's limits."""
        rows = key_limits.list_limits(self.row.key_id)
        self.fields["limit"].choices = [(f"{row.movement} {row.currency}", str(row)) for row in rows]  # type: ignore[attr-defined]


class SigningKeyForm(RowForm):
    jwk = text_field("Ed25519 public key (JWK)", max_length=500, rows=3)


class RemoveSigningKeyForm(RowForm):
    keyid = forms.ChoiceField(label="Signing key")

    def prepare(self) -> None:
        """Offer the key's signing keys."""
        keyids = self.row.signing_keys.order_by("pk").values_list("keyid", flat=True)
        self.fields["keyid"].choices = [(keyid, keyid) for keyid in keyids]  # type: ignore[attr-defined]


def shown_secret(made: NewSecret, done: str) -> SecretAnswer:
    """Show the credential of an API key once, and say whether it opens anything yet."""
    advice = "" if made.change is None else f" It opens nothing until another person confirms it. {WAITS}"
    text = f"Copy it now: it can't be shown again.{advice}"
    return SecretAnswer(done_or_waits(made.change, done), f"Authorization: Bearer {made.name}.{made.secret}", text)


def key_status(key: ApiKey) -> str:
    """Return whether a key is active, as a badge."""
    if key.revoked_at is not None:
        return html.badge("revoked", "bad")
    expired = key.expires_at is not None and key.expires_at <= timezone.now()
    return html.badge("expired", "bad") if expired else html.badge("active", "good")


def _is_live(_request: HttpRequest, key: ApiKey) -> bool:
    return key.revoked_at is None


def _is_rotating(_request: HttpRequest, key: ApiKey) -> bool:
    return _is_live(_request, key) and key.previous_ends_at is not None and key.previous_ends_at > timezone.now()


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """API keys, never a secret nor its hash. Found by key id or operator's slug."""

    list_display = ("key_id", "operator_", "brand_", "label", "created", "last_used", "status")
    list_filter = (operator_filter(), brand_filter())
    list_select_related = ("operator", "brand")
    ordering = ("key_id",)
    search_fields = ("pk", "operator__slug")
    search_help_text = "key id, or an operator's slug"
    operator_ = operator_column
    brand_ = column("brand", lambda key: key.brand and html.page("brand", key.brand_id, key.brand.slug))
    created = time_column("created_at", "created")
    last_used = time_column("last_used_at", "last used")
    status = column("status", key_status)

    def title_of(self, obj: ApiKey) -> str:
        return f"{obj.label} ({obj.key_id})"

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        return super().get_queryset(request).defer("secret_hash", "previous_hash")

    @RowAction(
        "Rotate",
        title="Rotate the secret",
        permission=CHANGE,
        applies=lambda request, key: _is_live(request, key) and not _is_rotating(request, key),
        help_text="Makes a new secret, which is shown once. The present one stays valid for a day. "
        "At a live operator another person has to confirm it first.",
    )
    def rotate(self, request: HttpRequest, key: ApiKey, _data: dict[str, Any]) -> SecretAnswer:
        made = key_changes.rotate(key, by=memberships.staff_actor(request.user))
        return shown_secret(made, "The key has a new secret; the previous one is valid for a day.")

    @RowAction(
        "End",
        name="end_rotation",
        title="End the previous secret",
        permission=CHANGE,
        applies=_is_rotating,
        tone="bad",
        question="End the previous secret? Requests with it fail from now on.",
    )
    def end_rotation(self, request: HttpRequest, key: ApiKey, _data: dict[str, Any]) -> str:
        key_rotation.end(key_id=key.key_id, by=memberships.staff_actor(request.user))
        return "The previous secret has ended."

    @RowAction(
        "Set",
        name="terms",
        title="Change what it may do",
        permission=CHANGE,
        form=KeyTermsForm,
        applies=_is_live,
        help_text="Less holds at once; at a live operator another person has to confirm more. A key for money needs "
        "limits in a day, networks and an end.",
    )
    def set_terms(self, request: HttpRequest, key: ApiKey, data: dict[str, Any]) -> str:
        by, networks = memberships.staff_actor(request.user), data.pop("networks").split()
        change = key_changes.set_terms(key, networks=networks, by=by, **data)
        return done_or_waits(change, "The terms of the key are set.")

    @RowAction(
        "Set",
        name="limit",
        title="Limit the real money that it moves",
        permission=CHANGE,
        form=KeyLimitForm,
        applies=_is_live,
        help_text=(
            "Credits and debits requested with this key, deposits and withdrawals of players whose sessions it "
            "opened. A key with any limit moves only what it has limits for."
        ),
    )
    def set_limit(self, request: HttpRequest, key: ApiKey, data: dict[str, Any]) -> str:
        by, movement = memberships.staff_actor(request.user), data["movement"]
        limits = {
            currency: KeyLimits(data[f"per_request_{currency}"], data[f"per_day_{currency}"])
            for currency in key.operator.currencies
        }
        given = {currency: each for currency, each in limits.items() if each != KeyLimits()}
        if not given:
            return "No amount was given."
        with transaction.atomic():
            waiting = [
                key_changes.set_limit(key, movement=movement, currency=currency, limits=each, by=by)
                for currency, each in given.items()
            ]
        done = f"Limits of each {movement.value} in {', '.join(given)} are set."
        return f"{done} {WAITS}" if any(waiting) else done

    @RowAction(
        "Remove",
        name="remove_limit",
        title="Remove a limit",
        permission=CHANGE,
        form=RemoveKeyLimitForm,
        applies=lambda request, key: _is_live(request, key) and key.limits.exists(),
        help_text="While the key has another limit, it can't move this kind of money any more.",
    )
    def remove_limit(self, request: HttpRequest, key: ApiKey, data: dict[str, Any]) -> str:
        movement, currency = data["limit"].split()
        by = memberships.staff_actor(request.user)
        change = key_changes.set_limit(key, movement=Movement(movement), currency=currency, limits=None, by=by)
        return done_or_waits(change, f"The limit on each {movement} in {currency} is removed.")

    @RowAction(
        "Register",
        name="signing_key",
        title="Register a signing key",
        permission=key_changes.SIGNING_KEYS,
        form=SigningKeyForm,
        applies=_is_live,
        help_text="Requests with this key may then be signed by RFC 9421. It has two signing keys at most.",
    )
    def add_signing_key(self, request: HttpRequest, key: ApiKey, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        keyid, change = key_changes.add_signing_key(key, jwk=data["jwk"], by=by)
        return done_or_waits(change, f"Registered {keyid}.")

    @RowAction(
        "Remove",
        name="remove_signing_key",
        title="Remove a signing key",
        permission=CHANGE,
        form=RemoveSigningKeyForm,
        applies=lambda request, key: _is_live(request, key) and key.signing_keys.exists(),
    )
    def remove_signing_key(self, request: HttpRequest, key: ApiKey, data: dict[str, Any]) -> str:
        signing_keys.remove(key_id=key.key_id, keyid=data["keyid"], by=memberships.staff_actor(request.user))
        return f"Removed {data['keyid']}."

    @RowAction(
        "Require",
        name="require_signatures",
        title="Require signatures",
        permission=CHANGE,
        applies=lambda request, key: _is_live(request, key) and not key.signatures_required,
        help_text="Unsigned requests with this key are refused from now on.",
    )
    def require_signatures(self, request: HttpRequest, key: ApiKey, _data: dict[str, Any]) -> str:
        signing_keys.require(key_id=key.key_id, required=True, by=memberships.staff_actor(request.user))
        return "Requests with this key must be signed."

    @RowAction(
        "Accept",
        name="accept_unsigned",
        title="Accept unsigned requests",
        permission=key_changes.SIGNATURES,
        applies=lambda request, key: _is_live(request, key) and key.signatures_required,
        tone="bad",
        question="Accept requests that are not signed?",
    )
    def accept_unsigned(self, request: HttpRequest, key: ApiKey, _data: dict[str, Any]) -> str:
        change = key_changes.accept_unsigned(key.operator, key, by=memberships.staff_actor(request.user))
        return done_or_waits(change, "Requests with this key need no signature.")

    @RowAction(
        "Revoke",
        title="Revoke this key",
        permission=CHANGE,
        applies=_is_live,
        tone="bad",
        help_text="Revokes the key at once and permanently.",
        question="Revoke this key? Requests with it fail from now on, and it can't be restored.",
    )
    def revoke(self, request: HttpRequest, key: ApiKey, _data: dict[str, Any]) -> str:
        services.revoke_key(key_id=key.key_id, by=memberships.staff_actor(request.user))
        return f"Revoked {key.key_id}."

    def sections(self, _request: HttpRequest, obj: ApiKey) -> Sequence[Section]:
        facts = self.facts(
            obj,
            ("Key", html.code(obj.key_id)),
            *("operator_", "brand_", "label"),
            ("Scopes", ", ".join(obj.scopes)),
            ("Networks", ", ".join(obj.networks) or "any"),
            *("created", "last_used", "status"),
            ("Expires", obj.expires_at or "never"),
            ("Revoked", obj.revoked_at),
            ("Secret since", obj.secret_since),
            ("Previous secret ends", obj.previous_ends_at),
            ("Previous secret last used", obj.previous_used_at),
            "signatures_required",
        )
        limits = [
            (
                *(row.movement, row.currency),
                *(_amount(each, row.currency) for each in (row.per_request, row.per_day, row.moved)),
            )
            for row in key_limits.list_limits(obj.key_id)
        ]
        keys = [(html.code(row.keyid), row.created_at, row.last_used_at) for row in obj.signing_keys.order_by("pk")]
        return [
            facts,
            ActionBar(),
            Grid(
                "Limits",
                ("Movement", "Currency", "In one request", "In a day", "Moved today"),
                limits,
                empty="No limit: the key moves any amount.",
            ),
            Grid("Signing keys", ("Key", "Registered", "Last used"), keys, empty="No signing key."),
        ]


def _amount(amount: int | None, currency: str) -> str:
    return "any" if amount is None else html.money(amount, currency)
