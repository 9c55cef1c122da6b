"""Use cases of an operator: open a table."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction

from baccarat.domain import dealer
from baccarat.domain.rules.presets import Shuffle, player_edge_spots, rules_for
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.kill_switch_events import Scope
from baccarat.domain.tables.state import INITIAL
from baccarat.domain.unit_of_work import Journal
from baccarat.services.rules_lifecycle import floor_of
from baccarat.storage import kill_switches, repository
from casino.events.store import Metadata
from casino.kernel.money import Book


def open_table(
    *,
    operator: UUID,
    name: str,
    preset: str,
    currency: str,
    books: Sequence[Book],
    edge_accepted: bool,
    overrides: Mapping[str, Any],
    acknowledgement: str = "",
    metadata: Metadata,
) -> UUID:
    """Open a table with a preset's rules and the operator's own values for some fields (minor units).

    Returns the table's id. Its first shoe is committed to at once, long or of one round.

    Raises UnknownPreset, UnknownCurrency, InvalidRules, PlayMoneyNotOffered, and for real money PlayerEdgeNotAccepted,
    ReturnUnderFloor, AcknowledgementDiffers, AcknowledgementNotNeeded.
    """
    rules = rules_for(preset, currency=currency, **overrides)
    with transaction.atomic(savepoint=False):
        kill_switches.lock_out()
        now = repository.clock()
        journal = Journal(table=INITIAL, table_version=0)
        first = repository.new_shoe() if rules.shuffle is Shuffle.EACH_ROUND else None
        journal.on_table(
            tc.OpenTable(
                table=repository.new_id(),
                operator=operator,
                name=name,
                rules=rules,
                books=tuple(books),
                edge_spots=player_edge_spots(rules),
                edge_accepted=edge_accepted,
                now=now,
                floor=floor_of(operator),
                acknowledgement=" ".join(acknowledgement.split()),
                next_shoe=None if first is None else dealer.named(first, shape=rules.shape),
            )
        )
        for held in kill_switches.holding(operator=operator, rules=rules.label):
            label = held.subject if held.scope == Scope.RULES else ""
            journal.on_table(tc.StopPlay(Scope(held.scope), label, held.says, held.reason, held.by, now))
        if first is not None:
            journal.secrets.append(first)
        else:
            dealer.commit_shoe(journal, fresh=repository.fresh(journal), now=now)
        repository.write([(journal, metadata)])
    return journal.table.facts().table
