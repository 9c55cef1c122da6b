"""Use cases of opening a table, and of closing it permanently.

At a live operator a table for real money opens at once with the rules of a preset; two persons agree on other rules,
and on those by which players have the edge.

A closure is announced at once and takes effect when running play has concluded. Nothing new starts after the
announcement. Players without a confirmed wager leave the round; confirmed wagers are dealt
and settled; then every seat is freed, its money is returned, and all commitments are revealed.
"""

import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from django.db import transaction

from baccarat import acts
from baccarat.domain import dealer
from baccarat.domain.rounds.state import SeatStatus
from baccarat.domain.rules.odds import player_edge_spots
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.spots import spot_in_words, spot_title
from baccarat.domain.rules.table_rules import Shuffle, TableRules
from baccarat.domain.rules.versions import describe_differences
from baccarat.domain.tables import decisions
from baccarat.domain.tables.kill_switch import PlayStopped, StopScope
from baccarat.domain.tables.refusals import CloseReasonInvalid, SeedUnreadable
from baccarat.domain.tables.state import INITIAL, TableState
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services import absent_seats, kill_switch, witness_chains
from baccarat.services.rules_lifecycle import floor_of, record_player_edge
from baccarat.services.seats import leave_round
from baccarat.storage import repository, shoe_seeds
from casino.events import wakeups
from casino.events.ids import new_id
from casino.events.sql import database_now, fetch
from casino.events.store import Metadata
from casino.kernel.money import MoneyType
from casino.kernel.text import clean, isolate, require
from casino.operators import changes
from casino.operators.brands import find_scope
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName, Operator
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.significant import recorder

logger = logging.getLogger(__name__)

MAX_REASON_LENGTH: Final = 500
MAX_NAME_LENGTH: Final = 80
ACTOR: Final = "system:closing"

_DUE: Final = """
SELECT kept.id, kept.operator_id FROM baccarat_table AS kept JOIN baccarat_duetable AS due ON due.table_id = kept.id
WHERE due.due_at <= statement_timestamp() AND due.closes ORDER BY due.due_at
"""


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
    listed: bool = True,
    brands: Sequence[str] = (),
    metadata: Metadata,
) -> UUID:
    """Open a table with a preset's rules and overrides for some fields (minor units). Returns the table's id.

    `brands` are slugs; none offers the table to all. Its first shoe, long or of one round, is committed to at once.
    Raises UnknownBrand, UnknownPreset, UnknownCurrency, InvalidRules,
    PlayMoneyNotOffered, and for real money OddsTooHigh, WinTooLarge, PlayerEdgeNotAccepted, ReturnUnderFloor,
    AcknowledgementDiffers, AcknowledgementNotNeeded, and ChangeNeedsSecondPerson where `needs_change` says so.
    """
    rules = rules_for(preset, currency=currency, **overrides)
    if needs_change(operator=operator, rules=rules, money_types=money_types):
        raise ChangeNeedsSecondPerson
    return _open(
        new_id(database_now()),
        rules,
        operator=operator,
        name=name,
        money_types=money_types,
        edge_accepted=edge_accepted,
        acknowledgement=acknowledgement,
        listed=listed,
        brands=brands,
        metadata=metadata,
    )


def needs_change(*, operator: UUID, rules: TableRules, money_types: Sequence[MoneyType]) -> bool:
    """Return whether two persons have to agree on a new table with these rules."""
    return takes_two(rules, money_types) and Operator.objects.filter(pk=operator, sandbox=False).exists()


def takes_two(rules: TableRules, money_types: Collection[MoneyType]) -> bool:
    """Return whether a live operator's table is for real money with other rules than a preset's, or an edge."""
    if MoneyType.REAL not in money_types:
        return False
    return rules != rules_for(rules.preset, currency=rules.currency) or bool(player_edge_spots(rules))


def request_table(
    *, operator: UUID, name: str, preset: str, currency: str, overrides: Mapping[str, Any], by: str, **terms: Any
) -> Change:
    """Request a table, on which another person has to agree, who so publishes its rules.

    `terms` are the further ones of `open_table`. Raises what that raises, ChangeNeedsSecondPerson for keys.
    """
    rules = rules_for(preset, currency=currency, **overrides)
    odds = "; ".join(f"{spot_title(spot.name)} {spot_in_words(spot)}" for spot in rules.spots)
    spots = player_edge_spots(rules)
    edge = f"; players have the edge on {', '.join(spots)}" if spots else ""
    return changes.request(
        operator=operator,
        kind=ChangeName.OPEN_TABLE,
        subject=f"table:{new_id(database_now())}",
        summary=f"Open the table {isolate(name)} ({preset}, {currency}): {odds}{edge}",
        details={
            "differences": describe_differences(rules_for(preset, currency=currency), rules),
            "rules": msgspec.to_builtins(rules),
            "name": name,
            **terms,
        },
        by=by,
    )


def register() -> None:
    """Register the change that opens a table."""
    changes.register(ChangeKind(ChangeName.OPEN_TABLE, acts.APPROVE_TABLE, _open_requested, silent=True, shown=True))


def _open_requested(change: Change) -> None:
    terms = {name: value for name, value in change.details.items() if name != "differences"}
    terms["money_types"] = [MoneyType(each) for each in terms["money_types"]]
    _open(
        table_of(change),
        msgspec.convert(terms.pop("rules"), TableRules),
        operator=changes.operator_of(change),
        authorised_by=change.decided_by,
        metadata=changes.metadata(change),
        **terms,
    )


def table_of(change: Change) -> UUID:
    """Return the id of the table that a change opens."""
    return UUID(change.subject.partition(":")[2])


def _open(
    table: UUID,
    rules: TableRules,
    *,
    operator: UUID,
    name: str,
    money_types: Sequence[MoneyType],
    edge_accepted: bool,
    acknowledgement: str,
    listed: bool,
    brands: Sequence[str],
    authorised_by: str = "",
    metadata: Metadata,
) -> UUID:
    name, scopes = clean(name, limit=MAX_NAME_LENGTH), [find_scope(operator=operator, slug=slug) for slug in brands]
    edge_spots = player_edge_spots(rules)
    with transaction.atomic(savepoint=False):
        kill_switch.lock_shared()
        now = database_now()
        uow = UnitOfWork(table=INITIAL, table_version=0)
        first_seed, first_shoe = None, None
        if rules.shuffle is Shuffle.EACH_ROUND:
            first_seed = repository.draw_shoe_seed(now)
            first_shoe = dealer.commitment_to(first_seed, table=table, number=1, shape=rules.shape)
        uow.on_table(
            decisions.open_table,
            table=table,
            operator=operator,
            name=name,
            rules=rules,
            money_types=tuple(money_types),
            edge_spots=edge_spots,
            edge_accepted=edge_accepted,
            at=now,
            floor=floor_of(operator),
            acknowledgement=" ".join(acknowledgement.split()),
            next_shoe=first_shoe,
            listed=listed,
            brands=tuple(scope.id for scope in scopes),
        )
        _stop_as_others(uow, operator, now)
        if first_seed is not None:
            uow.new_seeds.append(first_seed)
        else:
            dealer.commit_shoe(uow, entropy=repository.draw_entropy(uow, now=now), now=now)
        repository.save([(uow, metadata)])
        wakeups.wake_on_commit(witness_chains.JOB)
        record_player_edge(uow, uow.table.recorded_rules, actor=metadata.actor, authorised_by=authorised_by)
    return table


def _stop_as_others(uow: UnitOfWork, operator: UUID, now: datetime) -> None:
    """Apply to a new table the stops that reach it."""
    for switch in kill_switch.active_stops(operator=operator, rules=uow.table.recorded_rules.digest):
        scope = StopScope(switch.scope)
        rules = switch.subject if scope is StopScope.RULES else ""
        uow.on_table(decisions.switch_play, PlayStopped(scope, rules, switch.message, switch.reason, switch.by, now))


def close_table(*, table: UUID, operator: UUID, reason: str, metadata: Metadata) -> bool:
    """Close a table permanently, once its current round has concluded. Returns whether it is closed now.

    Closing a closed table changes nothing. The seeds of its shoes, including one only committed to, are revealed and
    deleted; a seed whose row is missing is recorded as lost. Raises UnknownTable, CloseReasonInvalid, and
    SeedUnreadable if a seed exists but its key does not.
    """
    reason = require(reason, limit=MAX_REASON_LENGTH, refusal=CloseReasonInvalid, multiline=False)
    with transaction.atomic():
        uow, now = repository.lock_table(table=table, operator=operator)
        occupied = bool(uow.table.seats) or uow.table.round is not None
        _empty_round(uow, now)  # first: one transaction appends to each stream only once
        if occupied:
            uow.on_table(decisions.announce_closure, by=metadata.actor, reason=reason, at=now)
        return _proceed(uow, by=metadata.actor, reason=reason, metadata=metadata, now=now)


def close_due() -> int:
    """Close every table whose closure is pending and whose play has concluded, each in a transaction.

    Returns the number closed.
    """
    return sum(_close_announced(table, operator) for table, operator in fetch(_DUE))


def _close_announced(table: UUID, operator: UUID) -> bool:
    metadata = Metadata(operator=str(operator), actor=ACTOR, causation="due", correlation=f"table-{table}")
    try:
        with transaction.atomic():
            uow, now = repository.lock_table(table=table, operator=operator)
            closure = uow.table.pending_closure
            if closure is None or uow.table.closed:
                return False
            _empty_round(uow, now)
            return _proceed(uow, by=closure.by, reason=closure.reason, metadata=metadata, now=now)
    except (SeedUnreadable, repository.StateUnreadable) as error:
        logger.critical("ALERT table %s can't be closed: %s", table, type(error).__name__)
        return False


def _proceed(uow: UnitOfWork, *, by: str, reason: str, metadata: Metadata, now: datetime) -> bool:
    """Proceed with the closure as far as the current round allows. Returns whether the table is closed."""
    shoes = _secret_shoes(uow.table)
    lost = 0
    if uow.table.round is None:
        for player, decide in absent_seats.releases(uow, [seat.player for seat in uow.table.seats]).items():
            uow.on_table(decide, player=player, at=now)
        seeds = _readable_seeds(shoes)
        lost = len(shoes) - len(seeds)
        seeds_in_hex = {shoe: seed.hex() for shoe, seed in seeds.items()}
        uow.on_table(decisions.close_table, by=by, reason=reason, seeds=seeds_in_hex, at=now)
        uow.revealed_shoes.extend(seeds)
    if uow.changes:
        repository.save([(uow, metadata)])
        _record_significant_event(uow, by=by, reason=reason, revealed=len(shoes) - lost, lost=lost)
    return uow.table.closed


def _empty_round(uow: UnitOfWork, now: datetime) -> None:
    """Take players without a confirmed wager out of the round, which then ends or becomes due.

    A suspended round continues to wait for staff.
    """
    for seat in uow.round.seats if uow.round.is_running() else ():
        if seat.status is not SeatStatus.CONFIRMED:
            leave_round(uow, seat.player, now)


def _secret_shoes(table: TableState) -> list[UUID]:
    return [shoe.shoe for shoe in (table.shoe, *table.committed_shoes()) if shoe is not None]


def _readable_seeds(shoes: list[UUID]) -> dict[UUID, bytes]:
    """Return the seeds that are stored. Raises SeedUnreadable if the key of one is missing."""
    seeds = dict(shoe_seeds.decrypt(shoes))
    if shoe_seeds.find_stored(shoes) - seeds.keys():
        raise SeedUnreadable
    return seeds


def _record_significant_event(uow: UnitOfWork, *, by: str, reason: str, revealed: int, lost: int) -> None:
    opened, closed = uow.table.require_opened(), uow.table.closed
    after = {"closed": True, "seeds_revealed": revealed, "seeds_lost": lost} if closed else {"closing": True}
    recorder.record(
        kind=recorder.SignificantEventKind.TABLE_STOPPED,
        operator=opened.operator,
        subject=f"table:{opened.table}",
        actor=by,
        reason=reason,
        before={"closed": False},
        after=after,
    )
