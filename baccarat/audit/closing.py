"""A table that is given up: announced once, then empty, and every seed that was still secret revealed."""

from baccarat.audit.betting import OUT_OF_PLACE
from baccarat.audit.shoes import check_revealed, seed_bytes
from baccarat.audit.traces import TableTrace
from baccarat.domain.tables.shoe_events import TableClosed, TableClosing
from baccarat.domain.tables.state import Closing


def announced(table: TableTrace, event: TableClosing) -> None:
    """Follow a table that is to be closed: from now on nothing new starts."""
    if table.closed or table.closing is not None:
        table.differs(OUT_OF_PLACE, "a table that stays", "its end announced again")
    table.closing = Closing(event.by, event.reason, event.announced_at)


def closed(table: TableTrace, event: TableClosed) -> None:
    """Follow a table closed for good: nobody there, and every seed that was still secret revealed."""
    secret = {shoe.shoe: shoe for shoe in (table.shoe, table.coming) if shoe is not None}
    if table.closed or table.guests or table.round is not None:
        table.differs(OUT_OF_PLACE, "an empty table", f"{len(table.guests)} seats taken")
    if [each.shoe for each in event.seeds] != list(secret):
        table.differs("seed missing", ", ".join(map(str, secret)), ", ".join(str(each.shoe) for each in event.seeds))
    for each in event.seeds:
        seed, shoe = seed_bytes(each.seed), secret.get(each.shoe)
        if each.seed is not None and seed is None:
            table.differs("seed missing", "the shoe's seed", each.seed)
        elif seed is not None and shoe is not None:
            check_revealed(table, shoe, seed)
    table.shoe, table.coming, table.closed = None, None, True
