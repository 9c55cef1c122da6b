"""Use cases of the workers: have witnesses make chains of links for tables, and successors before these are used up.

The witness makes a chain once for each number, and the table's event says when it is used: a crash between the two
repeats both. A witness that is lost is replaced by another, or by itself with a new chain; see domain.replacement.
"""

import logging
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction

from baccarat import acts
from baccarat.domain import replacement
from baccarat.domain.dealer import Entropy
from baccarat.domain.fairness.links import WitnessChain
from baccarat.domain.rounds.refusals import RoundIsRunning, WitnessesNotReady
from baccarat.domain.rounds.voiding import ANSWER_LIMIT, BY_LIMIT
from baccarat.domain.tables import shoes
from baccarat.domain.tables.refusals import BettingNotOpen, WitnessNotInUse
from baccarat.domain.tables.state import TableState
from baccarat.domain.tables.witness_events import ReplacementReason, WitnessChainOpened
from baccarat.domain.unit_of_work import UnitOfWork
from baccarat.services import dealing, wagering
from baccarat.services.releasing import require_chains
from baccarat.storage import repository, shoe_seeds, witness_chains
from casino.events.sql import database_now
from casino.events.store import Metadata
from casino.operators import changes
from casino.operators.change import GOOD_FOR, ChangeStatus
from casino.operators.changes import ChangeKind
from casino.operators.models import Change, ChangeName
from casino.witness.addresses import WitnessAddress
from casino.witness.client import ChainRefused, PublishedChain, WitnessClient, configured_client
from casino.witness.statements import DEFAULT_HEIGHT
from casino.witness.transport import WitnessAway

logger = logging.getLogger(__name__)

BATCH: Final = 50
MAX_TABLES: Final = 100_000
JOB: Final = "open-chains"
LONGEST_WAIT: Final = 5.0
"""Seconds for which somebody who sits down at a new table waits for its chains, which take less than one."""
LOOK_EVERY: Final = 0.1
RENEWED_BEFORE_END: Final = 1 / 8
"""The part of a chain that is left when its successor is made."""


def open_chains(*, limit: int = BATCH, height: int = DEFAULT_HEIGHT) -> int:
    """Open chains of TABLE_WITNESSES witnesses at tables that need them; return how many were opened.

    The first in WITNESSES are asked first; a table that has enough goes on with those that it has. A chain has 2 to the
    `height` links. A witness that does not answer is left out until the next run.
    """
    opened = 0
    for address in _witnesses():
        wanted = (address.release_key.hex(), RENEWED_BEFORE_END, settings.TABLE_WITNESSES)
        for table, operator in witness_chains.list_without_chain(*wanted, limit):
            try:
                opened += _open(address, table=table, operator=operator, height=height)
            except WitnessAway as error:
                logger.warning("Tables wait for chains: %s", error)
                break
            except ChainRefused as error:
                logger.critical("ALERT witness %s makes no chain for table %s: %s", address.name, table, error)
    return opened


def wait_for_chains(*, table: UUID, operator: UUID) -> None:
    """Wait until a new table has its chains, or for a while. Call it outside any transaction. Raises UnknownTable."""
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end:
        with suppress(WitnessesNotReady):
            require_chains(repository.read_table(table=table, operator=operator))
            return
        time.sleep(LOOK_EVERY)


def needs_chain(table: TableState, release_key: str, wanted: int) -> bool:
    """Return whether a table needs a chain of a witness: its single one is almost used up, or it has too few witnesses.

    `wanted` is how many witnesses a table has.
    """
    chains: list[WitnessChain] = [each for each in table.chains if each.release_key == release_key]
    if not chains:
        return len({each.release_key for each in table.chains}) < wanted
    left = sum(each.size - each.next_index for each in chains)
    return len(chains) == 1 and left < chains[0].size * RENEWED_BEFORE_END


def replace(
    *,
    table: UUID,
    operator: UUID,
    release_key: str,
    address: WitnessAddress,
    reason: ReplacementReason,
    metadata: Metadata,
    height: int = DEFAULT_HEIGHT,
) -> None:
    """Have a table use a chain of the witness at `address` instead of those of the witness with `release_key`.

    What cannot be dealt any more is void, and the table goes on. The ended chains are retired at their witness, if it
    answers. Raises WitnessNotInUse, RoundIsRunning, BettingNotOpen, UnknownTable, ChainRefused, WitnessAway.
    """
    chains = repository.read_table(table=table, operator=operator).chains
    if all(each.release_key != release_key for each in chains):
        raise WitnessNotInUse
    successor = _make(address, table, height)
    with transaction.atomic():
        uow, now = repository.lock_table(table=table, operator=operator)
        seeds = _read_seeds(uow)
        replacement.replace_witness(
            uow, release_key, _opening(successor, now), reason, entropy=_draw(uow, now), seeds=seeds, now=now
        )
        wagering.save_and_return([(uow, metadata)], now=now)
        _go_on(table, operator, metadata)
    with suppress(WitnessAway, ChainRefused):  # one that answers again is asked before its next chain
        _leave(table, release_key)


def request_replacement(*, operator: UUID, release_key: str, name: str, reason: ReplacementReason, by: str) -> Change:
    """Request that a live operator's tables may use the witness `name` instead; the command then does it."""
    return changes.request(
        operator=operator,
        kind=ChangeName.REPLACE_WITNESS,
        subject=f"witness:{release_key}",
        summary=f"Let tables use the witness {name} instead of {release_key}: {reason}",
        details={"name": name, "reason": reason.value},
        by=by,
    )


def find_agreement(*, operator: UUID, release_key: str, name: str, reason: ReplacementReason) -> Change | None:
    """Return the change by which an operator's tables may use the witness `name` instead; good for a while."""
    return Change.objects.filter(
        operator_id=operator,
        kind=ChangeName.REPLACE_WITNESS,
        subject=f"witness:{release_key}",
        details={"name": name, "reason": reason.value},
        status=ChangeStatus.EFFECTIVE,
        effective_at__gte=database_now() - GOOD_FOR,
    ).first()


def register() -> None:
    """Register the change that lets tables use another witness. The command asks the witness, outside of it."""
    changes.register(ChangeKind(ChangeName.REPLACE_WITNESS, acts.REPLACE_WITNESS, lambda _: None))


def replace_lost(*, height: int = DEFAULT_HEIGHT) -> int:
    """Replace witnesses that have not answered within the limit by others that do; return at how many tables.

    A witness that has retired its chains, because it was restored from a copy, goes on with new ones.
    """
    client, replaced = configured_client(), 0
    for address in _witnesses():
        since = client.away_since(address.release_key)
        if since is None or time.time() - since <= ANSWER_LIMIT.total_seconds():
            continue
        for table, operator, state in witness_chains.list_with_chain(address.release_key.hex(), BATCH):
            spare = _find_spare(client, state)
            if spare is None:
                logger.critical("ALERT witness %s of table %s is away, and WITNESSES has no other", address.name, table)
            elif _try_to_replace(
                table, operator, lost=address, address=spare, reason=ReplacementReason.AWAY, height=height
            ):
                replaced += 1
    for table, operator, state in witness_chains.list_waiting(ANSWER_LIMIT):
        for address in _retired(client, table, state):
            replaced += _try_to_replace(
                table, operator, lost=address, address=address, reason=ReplacementReason.RETIRED, height=height
            )
    return replaced


def ask_late() -> int:
    """Ask replaced witnesses that answer again for what they still owe; return how many tables got links."""
    return dealing.release(witness_chains.read_late_closings())


def list_tables(release_key: str) -> list[tuple[UUID, UUID]]:
    """Return the tables that use a chain of a witness, with their operators."""
    return [(table, operator) for table, operator, _ in witness_chains.list_with_chain(release_key, MAX_TABLES)]


def find_witness(name: str) -> WitnessAddress | None:
    """Return the configured witness of this name that gives out links, None if there is none."""
    return next((each for each in _witnesses() if each.name == name), None)


def _witnesses() -> list[WitnessAddress]:
    """Return the witnesses that give out links, in order."""
    return [each for each in configured_client().addresses if each.release_key]


def _find_spare(client: WitnessClient, table: TableState) -> WitnessAddress | None:
    """Return the first witness that answers and that the table does not use."""
    used = {each.release_key for each in table.chains}
    unused = (each for each in _witnesses() if each.release_key.hex() not in used)
    return next((each for each in unused if client.away_since(each.release_key) is None), None)


def _retired(client: WitnessClient, table: UUID, state: TableState) -> list[WitnessAddress]:
    """Return the witnesses that say that a chain is retired from a link on that the table still waits for."""
    headers, found = witness_chains.read_headers([table]), []
    oldest = next((each for each in state.open_closings if not each.is_late), None)
    for place in () if oldest is None else oldest.witnesses:
        header = headers[place.chain].header
        with suppress(WitnessAway, ChainRefused):
            published = client.chain(header)
            if published.state == "retired" and published.next_index <= place.index:
                found += [each for each in _witnesses() if each.release_key == header.release_key]
    return found


def _try_to_replace(
    table: UUID,
    operator: UUID,
    *,
    lost: WitnessAddress,
    address: WitnessAddress,
    reason: ReplacementReason,
    height: int,
) -> bool:
    """Replace a witness unless the table is not ready for that yet: then the next run tries again."""
    try:
        replace(
            table=table,
            operator=operator,
            release_key=lost.release_key.hex(),
            address=address,
            reason=reason,
            metadata=Metadata(operator=str(operator), actor=BY_LIMIT, causation="limit"),
            height=height,
        )
    except (WitnessNotInUse, RoundIsRunning, BettingNotOpen, WitnessAway) as error:
        logger.warning("Witness %s of table %s is not replaced yet: %s", lost.name, table, type(error).__name__)
        return False
    except ChainRefused as error:
        logger.critical("ALERT witness %s makes no chain for table %s: %s", address.name, table, error)
        return False
    logger.critical("ALERT witness %s of table %s is replaced by %s: %s", lost.name, table, address.name, reason)
    return True


def _open(address: WitnessAddress, *, table: UUID, operator: UUID, height: int) -> bool:
    """Open the next chain of a witness at a table. Raises ChainRefused, WitnessAway."""
    made, key = _make(address, table, height), address.release_key.hex()
    with transaction.atomic():
        uow, now = repository.lock_table(table=table, operator=operator)
        if not needs_chain(uow.table, key, settings.TABLE_WITNESSES):
            return False
        waited = uow.table.lacks_links()
        uow.on_table(shoes.open_witness_chain, _opening(made, now))
        if waited and uow.table.round is None:
            replacement.go_on(uow, entropy=_draw(uow, now), seeds=_read_seeds(uow), now=now)
        repository.save([(uow, Metadata(operator=str(operator), actor=BY_LIMIT, causation=""))])
        return bool(uow.changes)


def _make(address: WitnessAddress, table: UUID, height: int) -> PublishedChain:
    """Have a witness make and activate the table's next chain, or the one that a crash left unused.

    Raises ChainRefused, WitnessAway.
    """
    client = configured_client()
    _leave(table, address.release_key.hex())
    of_table = [each.header for each in witness_chains.read_headers([table]).values()]
    number = 1 + max((each.number for each in of_table), default=0)
    made = client.create_chain(address, origin=settings.LOG_ORIGIN, table=table, number=number, height=height)
    if made.state == "retired":
        raise ChainRefused("chain_retired", f"Chain {number} was retired before it was used.")
    if made.next_index:
        raise ChainRefused("chain_used", f"Links of chain {number} were given out that this database does not know.")
    client.activate_chain(made.signed.header)
    return made


def _leave(table: UUID, release_key: str) -> None:
    """Have a witness give out what it owes on the table's ended chains, and retire them.

    Raises ChainRefused, WitnessAway.
    """
    ended = witness_chains.read_replaced([table])
    left = [
        each.header
        for chain, each in witness_chains.read_headers([table]).items()
        if chain in ended and each.header.release_key.hex() == release_key
    ]
    if left:
        dealing.release(repository.read_open_closings([table]))
    for header in left:
        configured_client().retire_chain(header)


def _go_on(table: UUID, operator: UUID, metadata: Metadata) -> None:
    """Pass over the rounds of a replaced witness, and go on. Each is saved by itself: streams are written in order."""
    is_passed_over = True
    while is_passed_over:
        uow, now = repository.lock_table(table=table, operator=operator)
        seeds, entropy = _read_seeds(uow), _draw(uow, now)
        is_passed_over = replacement.pass_over(uow, entropy=entropy, seeds=seeds, now=now)
        if not is_passed_over:
            replacement.go_on(uow, entropy=entropy, seeds=seeds, now=now)
        wagering.save_and_return([(uow, metadata)], now=now)


def _opening(made: PublishedChain, now: datetime) -> WitnessChainOpened:
    header, house_signature = made.signed.header, configured_client().sign_header(made.signed.header)
    return WitnessChainOpened(header.serialize().hex(), made.signed.signature.hex(), house_signature.hex(), now)


def _read_seeds(uow: UnitOfWork) -> Mapping[UUID, bytes]:
    """Return the seeds of the shoes that the table plays or is committed to, and of the round in play."""
    in_play = () if uow.table.shoe is None else (uow.table.shoe,)
    shoes = [each.shoe for each in (*in_play, *uow.table.committed_shoes())]
    return shoe_seeds.decrypt(shoes if uow.round.opened is None else [*shoes, uow.round.opened.shoe])


def _draw(uow: UnitOfWork, now: datetime) -> Entropy:
    head, cosigned = repository.read_sealed_head(), repository.read_cosigned()
    return repository.draw_entropy(uow, now=now, seeds={}, sealed_head=head, cosigned=cosigned)
