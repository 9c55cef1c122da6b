"""Operators, their keys, players and sessions as staff see them: to look at, to revoke a key, to end a session."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.safestring import SafeString

from casino.backoffice import html, scope
from casino.backoffice.base import ReadOnlyAdmin, as_uuid
from casino.backoffice.filters import chosen, since_by_uuid
from casino.backoffice.pages import player_sessions, thresholds
from casino.backoffice.sections import Deed, Facts, Grid, Section
from casino.crypto import blind_index, crypto_shredding
from casino.operators import memberships, services, sessions
from casino.operators.models import ApiKey, Operator, Player

MOST_OPERATORS: Final = 50
REVOKE, END = "operators.change_apikey", "operators.change_playersession"


def operator_choices(request: HttpRequest) -> Mapping[str, str]:
    """List the operators that somebody works for, by id, for a filter."""
    theirs = scope.within(Operator.objects.order_by("slug"), request, "id")
    rows = theirs.values_list("id", "slug")[:MOST_OPERATORS]
    return {str(identity): slug for identity, slug in rows}


def operator_filter(column: str = "operator_id") -> Any:
    """Make a filter by operator on a column of operators' ids."""
    return chosen(
        title="operator", parameter="operator", choices=operator_choices, where=lambda value: Q(**{column: value})
    )


def nicknames(players: Sequence[UUID]) -> Mapping[UUID, str]:
    """Return players' nicknames by id, in two queries; unknown players are left out."""
    rows = list(Player.objects.filter(id__in=set(players)).values_list("id", "nickname"))
    names = crypto_shredding.decrypt_many([nickname for _, nickname in rows])
    return {player: name or "" for (player, _), name in zip(rows, names, strict=True)}


@admin.register(Operator)
class OperatorAdmin(ReadOnlyAdmin):
    """Tenants. Found by id, slug or the beginning of a slug."""

    list_display = ("title", "name", "currency", "kind", "since")
    ordering = ("slug",)
    search_help_text = "id, slug or the beginning of a slug"

    def owned_by(self, operators: Collection[UUID]) -> Q:
        """Let operators themselves be seen by those who work for them."""
        return Q(pk__in=operators)

    def found_by(self, term: str) -> Q | None:
        """Look for an id or the beginning of a slug."""
        identity = as_uuid(term)
        return Q(slug__startswith=term) if identity is None else Q(pk=identity)

    @admin.display(description="slug")
    def title(self, operator: Operator) -> str:
        return operator.slug

    @admin.display(description="kind")
    def kind(self, operator: Operator) -> SafeString:
        """Whether its play is a test."""
        return html.badge("sandbox", "warn") if operator.sandbox else html.badge("live", "good")

    @admin.display(description="created (UTC)")
    def since(self, operator: Operator) -> SafeString | str:
        """When it was created."""
        return html.moment(operator.created_at)

    def get_urls(self) -> list[URLPattern]:
        """Add the address that sets what counts as large."""
        perform = self.perform_path("thresholds", thresholds.CHANGE, self.set_thresholds)
        return [perform, *super().get_urls()]

    def set_thresholds(self, request: HttpRequest, operator: Operator) -> str:
        """Set what counts as large, in the operator's currency. Raises ThresholdImpossible and kin."""
        return thresholds.change(request, operator.pk, operator.currency)

    def sections(self, request: HttpRequest, obj: Operator) -> Sequence[Section]:
        here = str(obj.pk)
        facts = (
            ("Slug", obj.slug),
            ("Name", obj.name),
            ("Currency", obj.currency),
            ("Kind", self.kind(obj)),
            ("Accounting days in", obj.time_zone),
            ("Created (UTC)", self.since(obj)),
            ("Id", html.code(obj.pk)),
            ("Tables", html.listing("baccarat_table", "its tables", operator=here)),
            ("Rounds", html.listing("baccarat_round", "its rounds", operator=here)),
            ("Players", html.listing("operators_player", "its players", operator=here)),
            ("Accounts", html.listing("wallet_account", "its accounts", operator=here)),
        )
        keys = obj.keys.order_by("-created_at", "key_id")
        rows = [(html.page("key", key.pk), key.label, html.moment(key.created_at), standing(key)) for key in keys]
        large = thresholds.sections(request, obj.pk, obj.currency, self.perform_url("thresholds", obj))
        return (Facts("Operator", facts), Grid("API keys", ("Key", "Label", "Created (UTC)", "Standing"), rows), *large)


def standing(key: ApiKey) -> SafeString:
    """Tell whether a key works."""
    return html.badge("works", "good") if key.revoked_at is None else html.badge("revoked", "bad")


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """Credentials of operators' servers, never a secret nor its hash. Found by key id or operator's slug."""

    list_display = ("title", "owner", "label", "since", "standing")
    list_select_related = ("operator",)
    ordering = ("key_id",)
    search_help_text = "key id, or an operator's slug"

    def found_by(self, term: str) -> Q | None:
        """Look for a key id or an operator's slug."""
        return Q(pk=term) | Q(operator__slug=term)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        """Leave the hash where it is."""
        return super().get_queryset(request).select_related("operator").defer("secret_hash")

    def get_urls(self) -> list[URLPattern]:
        """Add the address of `revoke`."""
        return [self.perform_path("revoke", REVOKE, self.revoke), *super().get_urls()]

    def revoke(self, request: HttpRequest, key: ApiKey) -> str:
        """End a key at once and for good. Raises UnknownKey."""
        services.revoke_key(key_id=key.key_id, by=memberships.staff_actor(request.user))
        return f"Revoked {key.key_id}."

    @admin.display(description="key")
    def title(self, key: ApiKey) -> str:
        """The key's id."""
        return key.key_id

    @admin.display(description="operator")
    def owner(self, key: ApiKey) -> SafeString | str:
        return html.page("operator", key.operator_id, key.operator.slug)

    @admin.display(description="created (UTC)")
    def since(self, key: ApiKey) -> SafeString | str:
        """When it was issued."""
        return html.moment(key.created_at)

    @admin.display(description="standing")
    def standing(self, key: ApiKey) -> SafeString:
        """Whether it works."""
        return standing(key)

    def sections(self, request: HttpRequest, obj: ApiKey) -> Sequence[Section]:
        """Show a key, with a button that revokes it for those who may."""
        facts = [
            ("Key", html.code(obj.key_id)),
            ("Operator", self.owner(obj)),
            ("Label", obj.label or html.NOTHING),
            ("Created (UTC)", self.since(obj)),
            ("Standing", standing(obj)),
            ("Revoked (UTC)", html.moment(obj.revoked_at)),
        ]
        if obj.revoked_at is not None or not request.user.has_perm(REVOKE):
            return (Facts("API key", facts),)
        question = f"Revoke {obj.key_id}? Requests with it fail from now on, and it can't be given back."
        deed = Deed("Revoke this key", self.perform_url("revoke", obj), question, tone="bad")
        return (Facts("API key", facts), Grid("Actions", ("Ends the key at once, for good",), [(deed,)]))


@admin.register(Player)
class PlayerAdmin(ReadOnlyAdmin):
    """Players. Found by id or by the operator's own reference."""

    list_display = ("title", "owner", "reference", "since")
    list_filter = (operator_filter(), since_by_uuid())
    list_select_related = ("operator",)
    ordering = ("-id",)
    search_help_text = "id, or the operator's reference"

    def found_by(self, term: str) -> Q | None:
        """Look for an id or a reference, which the index of each operator has."""
        identity = as_uuid(term)
        wanted = Q(operator_id__in=Operator.objects.values("id"), reference_index=blind_index.blind_index(term))
        return wanted if identity is None else wanted | Q(pk=identity)

    def get_urls(self) -> list[URLPattern]:
        """Add the address of `end`."""
        return [self.perform_path("end", END, self.end), *super().get_urls()]

    def end(self, request: HttpRequest, player: Player) -> str:
        """End the player's open sessions."""
        del request
        running = player_sessions.open_sessions(player)
        for session in running:
            sessions.end_session(session=bytes(session.token_hash))
        return f"Ended {len(running)} session{'' if len(running) == 1 else 's'}."

    @admin.display(description="player")
    def title(self, player: Player) -> str:
        return player.nickname

    @admin.display(description="operator")
    def owner(self, player: Player) -> SafeString | str:
        return html.page("operator", player.operator_id, player.operator.slug)

    @admin.display(description="registered (UTC)")
    def since(self, player: Player) -> SafeString | str:
        """When the player was registered."""
        return html.moment(player.created_at)

    def sections(self, request: HttpRequest, obj: Player) -> Sequence[Section]:
        """Show a player and the latest sessions, with a button that ends those still open."""
        here = str(obj.pk)
        facts = [
            ("Nickname", obj.nickname),
            ("Operator", self.owner(obj)),
            ("Reference", html.code(obj.reference)),
            ("Registered (UTC)", self.since(obj)),
            ("Id", html.code(obj.pk)),
            ("Money", html.listing("wallet_account", "accounts and balances", q=here)),
            ("Limits", html.listing("wallet_playerrestrictions", "limits and exclusions", q=here)),
            ("Play", html.listing("baccarat_wager", "wagers", q=here)),
            ("Log", html.listing("events_event", "events of the wallet", q=f"wallet-{here}")),
        ]
        sections: list[Section] = [Facts("Player", facts), player_sessions.latest(obj)]
        if request.user.has_perm(END) and player_sessions.open_sessions(obj):
            question = f"End every open session of {obj.nickname}? The player has to come back through the operator."
            deed = Deed("End open sessions", self.perform_url("end", obj), question, tone="bad")
            sections.append(Grid("Actions", ("Seats and confirmed wagers stay as they are",), [(deed,)]))
        return sections
