"""Replaces a witness of a table by another, or by itself with a new chain. Pure: ids, seeds and the time are passed in.

Whatever the table is committed to with links of the ended chains can never be dealt: the round whose betting is open
and those whose terms or shoes are committed to are opened and voided, one link each, and a long shoe that waits for its
links is discarded with its seed. Then the table goes on with the first link of the successor.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Final
from uuid import UUID

from baccarat.domain import dealer
from baccarat.domain.dealer import Entropy
from baccarat.domain.fairness.terms import WitnessIndex
from baccarat.domain.rounds import voiding
from baccarat.domain.rounds.events import VoidReason
from baccarat.domain.rounds.refusals import RoundIsRunning
from baccarat.domain.rounds.state import Phase
from baccarat.domain.rounds.voiding import BY_LIMIT
from baccarat.domain.tables import shoes
from baccarat.domain.tables.refusals import BettingNotOpen
from baccarat.domain.tables.state import TableState
from baccarat.domain.tables.witness_events import ReplacementReason, WitnessChainOpened
from baccarat.domain.unit_of_work import UnitOfWork

NOTE: Final = "A witness of the table was replaced."
_Seeds = Mapping[UUID, bytes]


def replace_witness(
    uow: UnitOfWork,
    release_key: str,
    successor: WitnessChainOpened,
    reason: ReplacementReason,
    *,
    entropy: Entropy,
    seeds: _Seeds,
    now: datetime,
) -> None:
    """Replace a witness, and void the round or discard the shoe that can't go on. `seeds` are those of its shoes.

    Raises WitnessNotInUse; RoundIsRunning while a round is to be dealt, or waits for its links; BettingNotOpen during
    the show of the last deal; InvalidStatement for a header that is not signed, or another table's.
    """
    _require_replaceable(uow, release_key, now)
    waiting = uow.table.coming_shoe
    seed = None if waiting is None else seeds.get(waiting.shoe)
    uow.on_table(
        shoes.replace_witness,
        release_key=release_key,
        successor=successor,
        reason=reason,
        seed=None if seed is None else seed.hex(),
        at=now,
    )
    if uow.table.round is not None:
        _void(uow, entropy, seeds, now)
    elif waiting is not None and uow.table.coming_shoe is None:
        if seed is not None:
            uow.revealed_shoes.append(waiting.shoe)
        dealer.commit_shoe(uow, entropy=entropy, now=now)


def pass_over(uow: UnitOfWork, *, entropy: Entropy, seeds: _Seeds, now: datetime) -> bool:
    """Open the next round and void it, if it would follow from links that are not used any more; else return False."""
    if uow.table.pending_closure is not None or not uow.table.follows_from_replaced(_next_witnesses(uow.table)):
        return False
    dealer.fix_terms_again(uow, entropy=entropy, now=now)
    fixed = uow.table.fixed_terms()
    if fixed is None:
        raise LookupError("the terms were just fixed")
    dealer.open_fixed(uow, fixed, entropy=entropy, now=now)
    _void(uow, entropy, seeds, now)
    return True


def go_on(uow: UnitOfWork, *, entropy: Entropy, seeds: _Seeds, now: datetime) -> None:
    """Fix the terms of the next round, and open it at a table with turns."""
    known = {**seeds, **{each.shoe: each.seed for each in uow.new_seeds}}
    committed = next(iter(uow.table.committed_shoes()), None)
    seed = None if committed is None else known.get(committed.shoe)
    shoe_seed = None if uow.table.shoe is None else known.get(uow.table.shoe.shoe)
    entropy = replace(entropy, committed_seed=seed, shoe_seed=shoe_seed, deferred_seed_check=False)
    if uow.table.rules.turn_seconds is None or not uow.table.seats:
        dealer.fix_terms(uow, entropy=entropy, now=now)
    else:
        dealer.open_round(uow, entropy=entropy, now=now)


def _require_replaceable(uow: UnitOfWork, release_key: str, now: datetime) -> None:
    table, round_ = uow.table, uow.round
    ended = {each.chain for each in table.chains if each.release_key == release_key}
    if table.round is not None:
        is_lost = round_.phase is Phase.BETTING and not ended.isdisjoint(
            each.chain for each in round_.require_opened().witnesses
        )
        if ended and not is_lost:
            raise RoundIsRunning
    elif table.show_runs(now) and table.betting_opens_at is not None:
        raise BettingNotOpen(betting_opens_at=table.betting_opens_at)


def _next_witnesses(table: TableState) -> tuple[WitnessIndex, ...]:
    """Return the links that the next round uses, none if nothing is committed to."""
    fixed = table.fixed_terms()
    if fixed is not None:
        return fixed.terms.witnesses
    return () if table.has_long_shoe() or table.next_shoe is None else table.next_shoe.witnesses


def _void(uow: UnitOfWork, entropy: Entropy, seeds: _Seeds, now: datetime) -> None:
    """Void the round whose betting is open, and reveal the seed of its drawing."""
    shoe = uow.round.require_opened().shoe
    seed = seeds.get(shoe)
    if seed is not None and uow.table.shoe is None:
        uow.revealed_shoes.append(shoe)
    uow.on_round(
        voiding.void_round,
        by=BY_LIMIT,
        reason=VoidReason.MALFUNCTION,
        note=NOTE,
        seed=None if seed is None else dealer.seed_revealed_by_round(uow, seed),
        at=now,
        closing=dealer.closing_inputs(uow, entropy),
        rules=uow.table.rules,
    )
