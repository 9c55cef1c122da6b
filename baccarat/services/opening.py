"""Use case of opening a table."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rules.presets import Shuffle, player_edge_spots, rules_for
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.kill_switch_events import StopScope
from baccarat.domain.tables.state import INITIAL
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services.rules_lifecycle import floor_of
from baccarat.storage import kill_switches, repository
from casino.events.ids import new_id
from casino.events.store import Metadata
from casino.kernel.money import MoneyType


def open_table(
    *,
    operator: UUID,
    name: str,
    preset: str,
    currency: str,
    money_types: Sequence[MoneyType],
    edge_accepted: bool,
    overrides: Mapping[str, Any],
    acknowledgement: str = "",
    metadata: Metadata,
) -> UUID:
    """Open a table with a preset's rules and overrides for some fields (minor units). Returns the table's id.

    Its first shoe, long or of one round, is committed to at once. Raises UnknownPreset, UnknownCurrency, InvalidRules,
    PlayMoneyNotOffered, and for real money PlayerEdgeNotAccepted, ReturnUnderFloor, AcknowledgementDiffers,
    AcknowledgementNotNeeded.
    """
    rules = rules_for(preset, currency=currency, **overrides)
    with transaction.atomic(savepoint=False):
        kill_switches.lock_shared()
        now = repository.database_now()
        journal = UnitOfWork(table=INITIAL, table_version=0)
        first = repository.draw_shoe_seed() if rules.shuffle is Shuffle.EACH_ROUND else None
        journal.decide_on_table(
            tc.OpenTable(
                table=new_id(),
                operator=operator,
                name=name,
                rules=rules,
                money_types=tuple(money_types),
                edge_spots=player_edge_spots(rules),
                edge_accepted=edge_accepted,
                now=now,
                floor=floor_of(operator),
                acknowledgement=" ".join(acknowledgement.split()),
                next_shoe=None if first is None else dealer.commitment_to(first, shape=rules.shape),
            )
        )
        for held in kill_switches.active_stops(operator=operator, rules=rules.label):
            label = held.subject if held.scope == StopScope.RULES else ""
            journal.decide_on_table(tc.StopPlay(StopScope(held.scope), label, held.message, held.reason, held.by, now))
        if first is not None:
            journal.new_seeds.append(first)
        else:
            dealer.commit_shoe(journal, entropy=repository.draw_entropy(journal), now=now)
        repository.save([(journal, metadata)])
    return journal.table.require_opened().table
