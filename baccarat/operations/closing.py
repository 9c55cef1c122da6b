"""The use case of an operator who gives a table up: whatever it had committed to is revealed. One transaction."""

from typing import Final
from uuid import UUID

from django.db import transaction

from baccarat import repository, shoe_secrets
from baccarat.tables.commands import CloseTable
from baccarat.tables.refusals import CloseReasonInvalid, SeedUnreadable
from casino.events.store import Metadata
from casino.significant import log

LONGEST_REASON: Final = 500


def close_table(*, table: UUID, operator: UUID, reason: str, metadata: Metadata) -> None:
    """This will close a table for good, once nobody sits there; closing a closed one changes nothing.

    The seeds of its long shoes, also of the one that was only committed to, are revealed and forgotten; one whose row
    is gone is recorded as lost. Raises UnknownTable, TableIsOccupied, CloseReasonInvalid, and SeedUnreadable where a
    seed is there and its key is not.
    """
    why = reason.strip()
    if not 1 <= len(why) <= LONGEST_REASON or not why.isprintable():
        raise CloseReasonInvalid
    with transaction.atomic():
        journal, now = repository.lock_table(table=table, operator=operator)
        secret = [shoe.shoe for shoe in (journal.table.shoe, journal.table.next_shoe) if shoe is not None]
        seeds = shoe_secrets.read(secret)
        if shoe_secrets.kept(secret) - seeds.keys():
            raise SeedUnreadable
        shown = {shoe: seed.hex() for shoe, seed in seeds.items()}
        journal.on_table(CloseTable(by=metadata.actor, reason=why, seeds=shown, now=now))
        if not journal.pages:
            return
        journal.revealed.extend(seeds)
        repository.write([(journal, metadata)])
        log.record(
            kind=log.Kind.TABLE_STOPPED,
            operator=operator,
            subject=f"table:{table}",
            actor=metadata.actor,
            reason=why,
            before={"closed": False},
            after={"closed": True, "seeds_revealed": len(seeds), "seeds_lost": len(secret) - len(seeds)},
        )
