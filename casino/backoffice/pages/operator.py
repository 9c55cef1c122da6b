"""Operators, their API keys, and the amounts from which their events are significant."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from casino.backoffice import html, scope
from casino.backoffice.actions import row_action
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.columns import column, staff_column, time_column
from casino.backoffice.filters import operator_filter
from casino.backoffice.forms import MinorUnitsField, RowForm
from casino.backoffice.sections import Facts, Grid, Section
from casino.crypto import crypto_shredding
from casino.operators import memberships, services
from casino.operators.models import ApiKey, Operator, Player
from casino.significant import thresholds
from casino.significant.models import Threshold
from casino.significant.thresholds import Thresholds

REVOKE: Final = "operators.change_apikey"
CHANGE_THRESHOLDS: Final = "significant.add_threshold"
VIEW_THRESHOLDS: Final = "significant.view_threshold"
_THRESHOLDS: Final = {
    "wager": "Wagers of a player in one round",
    "wager_day": "Wagers of a player in a day",
    "win": "Won by a player in one round",
    "win_day": "Won by a player in a day",
    "payment": "One deposit or withdrawal",
}


def nicknames(players: Sequence[UUID]) -> Mapping[UUID, str]:
    """Return players' nicknames by id, in two queries; unknown players are left out."""
    rows = list(Player.objects.filter(id__in=set(players)).values_list("id", "nickname"))
    names = crypto_shredding.decrypt_many([nickname for _, nickname in rows])
    return {player: name or "" for (player, _), name in zip(rows, names, strict=True)}


class ThresholdForm(RowForm):
    """From which amounts events are significant."""

    def prepare(self) -> None:
        """Add an amount in the operator's currency for each kind."""
        currency = self.row.currency
        for name, title in _THRESHOLDS.items():
            self.fields[name] = MinorUnitsField(currency=currency, label=f"{title}, in {currency}")


@admin.register(Operator)
class OperatorAdmin(ReadOnlyAdmin):
    """Operators. Found by id, slug or the beginning of a slug."""

    list_display = ("slug", "name", "currency", "kind", "created")
    ordering = ("slug",)
    search_help_text = "id, slug or the beginning of a slug"
    kind = column("kind", lambda row: html.badge("sandbox", "warn") if row.sandbox else html.badge("live", "good"))
    created = time_column("created_at", "created")

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Show operators to those who work for them."""
        return Q(pk__in=operators)

    def search_condition(self, term: str) -> Q | None:
        """Search for an id or the beginning of a slug."""
        identity = as_uuid(term)
        return Q(slug__startswith=term) if identity is None else Q(pk=identity)

    @row_action(
        "Set",
        name="thresholds",
        title="Change the amounts",
        permission=CHANGE_THRESHOLDS,
        form=ThresholdForm,
        applies=lambda request, _: request.user.has_perm(VIEW_THRESHOLDS),
        help_text="This amount or more is a significant event.",
    )
    def set_thresholds(self, request: HttpRequest, operator: Operator, data: dict[str, Any]) -> str:
        """Set from which amounts events are significant."""
        by = memberships.staff_actor(request.user)
        amounts = Thresholds(**data)
        thresholds.change(operator=operator.pk, currency=operator.currency, thresholds=amounts, actor=by)
        return f"These amounts, in {operator.currency}, are significant from now on."

    def sections(self, request: HttpRequest, obj: Operator) -> Sequence[Section]:
        here = str(obj.pk)
        facts = (
            *self.facts(obj, "slug", "name", "currency", "kind"),
            ("Time zone of accounting days", obj.time_zone),
            *self.facts(obj, "created", "pk"),
            ("Tables", html.listing("baccarat_table", "its tables", operator=here)),
            ("Rounds", html.listing("baccarat_round", "its rounds", operator=here)),
            ("Players", html.listing("operators_player", "its players", operator=here)),
            ("Accounts", html.listing("wallet_account", "its accounts", operator=here)),
        )
        keys = obj.keys.order_by("-created_at", "key_id")
        rows = [(html.page("key", key.pk), key.label, html.moment(key.created_at), _key_status(key)) for key in keys]
        sections: list[Section] = [
            Facts("Operator", facts),
            Grid("API keys", ("Key", "Label", "Created (UTC)", "Status"), rows),
        ]
        if request.user.has_perm(VIEW_THRESHOLDS):
            current = thresholds.thresholds_for([(obj.pk, obj.currency)])[obj.pk, obj.currency]
            sections.append(Facts("Significant from these amounts", _amounts(current, obj.currency)))
        return sections


def _amounts(row: Any, currency: str) -> list[tuple[str, object]]:
    return [(title, html.money(getattr(row, name), currency)) for name, title in _THRESHOLDS.items()]


def _key_status(key: ApiKey) -> str:
    return html.badge("active", "good") if key.revoked_at is None else html.badge("revoked", "bad")


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """API keys, never a secret nor its hash. Found by key id or operator's slug."""

    list_display = ("key_id", "operator_", "label", "created", "status")
    list_select_related = ("operator",)
    ordering = ("key_id",)
    search_help_text = "key id, or an operator's slug"
    operator_ = column("operator", lambda key: html.page("operator", key.operator_id, key.operator.slug))
    created = time_column("created_at", "created")
    status = column("status", _key_status)

    def search_condition(self, term: str) -> Q | None:
        """Search for a key id or an operator's slug."""
        return Q(pk=term) | Q(operator__slug=term)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        """Leave the hash in the database."""
        return super().get_queryset(request).select_related("operator").defer("secret_hash")

    @row_action(
        "Revoke",
        title="Revoke this key",
        permission=REVOKE,
        applies=lambda _, key: key.revoked_at is None,
        tone="bad",
        help_text="Revokes the key at once, forever.",
        question="Revoke this key? Requests with it fail from now on, and it can't be restored.",
    )
    def revoke(self, request: HttpRequest, key: ApiKey, _data: dict[str, Any]) -> str:
        """Revoke the key at once, forever."""
        services.revoke_key(key_id=key.key_id, by=memberships.staff_actor(request.user))
        return f"Revoked {key.key_id}."

    def sections(self, _request: HttpRequest, obj: ApiKey) -> Sequence[Section]:
        facts = [
            ("Key", html.code(obj.key_id)),
            *self.facts(obj, "operator_", "label", "created", "status"),
            ("Revoked (UTC)", html.moment(obj.revoked_at)),
        ]
        return (Facts("API key", facts),)


@admin.register(Threshold)
class ThresholdAdmin(ReadOnlyAdmin):
    """From which amounts events were significant, newest first. Found by an operator's id."""

    list_display = ("operator", "currency", "staff", "changed")
    list_filter = (operator_filter(),)
    ordering = ("-id",)
    search_help_text = "id of an operator"
    operator = column("operator", lambda row: html.page("operator", row.operator_id, scope.slug(row.operator_id)))
    staff = staff_column("actor", "set by")
    changed = time_column("at", "set")

    def search_condition(self, term: str) -> Q | None:
        """Search for an operator's id."""
        identity = as_uuid(term)
        return None if identity is None else Q(operator_id=identity)

    def sections(self, _request: HttpRequest, obj: Threshold) -> Sequence[Section]:
        facts = [*_amounts(obj, obj.currency), ("Set by", obj.actor), ("Set (UTC)", self.changed(obj))]
        return (Facts("Significant from", facts),)
