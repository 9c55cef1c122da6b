"""Launch a player into the lobby or at a table, from the operator's own site."""

from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat.domain.rules.presets import PRESETS, UnknownPreset
from baccarat.domain.tables.refusals import MoneyTypeNotOffered, TableIsClosed, TableNotOffered, WrongCurrency
from baccarat.queries.offered import is_seated_or_offered
from baccarat.queries.tables import lobby_tables
from baccarat.services import skins
from baccarat.storage import repository
from casino.events.store import Metadata
from casino.operators import bounds, launches
from casino.operators.launches import IssuedLaunch, LaunchOptions
from casino.operators.models import Player
from casino.operators.principals import BrandScope
from casino.operators.refusals import PresetHasNoTable
from wallet.ledger import player_accounts

_TABLES: Final = 500
"""Tables of the lobby among which one of a preset is sought."""


def launch(
    *,
    operator: UUID,
    reference: str,
    nickname: str,
    brand: BrandScope | None,
    preset: str | None,
    session_seconds: int,
    limits_group: str | None,
    options: LaunchOptions,
    opened_by: str,
    metadata: Metadata,
) -> IssuedLaunch:
    """Issue a launch of a player, who is registered unless known, to a table, a table of a preset, or the lobby.

    With `limits_group` the player belongs to that group from now on. Raises ChangeNeedsSecondPerson if that would widen
    limits at a live operator, UnknownTable, TableNotOffered,
    TableIsClosed, WrongCurrency, MoneyTypeNotOffered, UnknownPreset, PresetHasNoTable, AddressMalformed,
    OriginNotRegistered, InvalidSessionLength, UnknownLimitsGroup, UnknownSkin.
    """
    with transaction.atomic():
        player = player_accounts.register_player(
            operator=operator,
            reference=reference,
            nickname=nickname,
            currency=options.currency,
            metadata=metadata,
            brand=None if brand is None else brand.owner,
        ).id
        if limits_group is not None:
            bounds.move_player(Player.objects.get(pk=player), name=limits_group, by=metadata.actor)
        options.skin = skins.chosen_name(operator=operator, name=options.skin, brand=brand)
        if options.table is not None:
            _require_playable(options.table, operator, player, brand, options)
        elif preset is not None:
            options.table = _table_of(preset, operator, player, brand, options)
        return launches.issue(
            operator=operator,
            player=player,
            brand=brand,
            session_seconds=session_seconds,
            options=options,
            opened_by=opened_by,
        )


def _require_playable(
    table: UUID, operator: UUID, player: UUID, brand: BrandScope | None, options: LaunchOptions
) -> None:
    state = repository.read_table(table=table, operator=operator)
    if not is_seated_or_offered(state, player=player, brand=None if brand is None else brand.id):
        raise TableNotOffered
    if state.closed or state.pending_closure is not None:
        raise TableIsClosed
    if state.rules.currency != options.currency:
        raise WrongCurrency(f"The table plays in {state.rules.currency}.")
    if options.money_type is not None and options.money_type not in state.require_opened().money_types:
        raise MoneyTypeNotOffered


def _table_of(preset: str, operator: UUID, player: UUID, brand: BrandScope | None, options: LaunchOptions) -> UUID:
    """Return the preset's table with the most free seats; the one opened first, if there are several."""
    if preset not in PRESETS:
        raise UnknownPreset(f"{preset!r} is not one of {', '.join(PRESETS)}.", presets=list(PRESETS))
    tables = [
        table
        for table in lobby_tables(
            operator=operator,
            viewer=player,
            brand=None if brand is None else brand.id,
            money_type=options.money_type,
            after=None,
            limit=_TABLES,
        )
        if table.preset == preset and table.currency == options.currency
    ]
    if not tables:
        raise PresetHasNoTable(preset=preset)
    return max(tables, key=lambda table: len(table.free_seats)).id
