"""A table that is given up: announced once, then empty, and every seed that was still secret revealed."""

from baccarat.audit.betting import OUT_OF_PLACE
from baccarat.audit.shoes import check_revealed_seed, parse_seed
from baccarat.audit.traces import TableTrace
from baccarat.domain.tables.shoe_events import TableClosed, TableClosureAnnounced
from baccarat.domain.tables.state import PendingClosure


def replay_closure_announced(table: TableTrace, event: TableClosureAnnounced) -> None:
    """Follow a table that is to be closed: from now on nothing new starts."""
    if table.closed or table.pending_closure is not None:
        table.record_difference(OUT_OF_PLACE, "a table that stays", "its end announced again")
    table.pending_closure = PendingClosure(event.by, event.reason, event.announced_at)


def replay_table_closed(table: TableTrace, event: TableClosed) -> None:
    """Follow a table closed for good: nobody there, and every seed that was still secret revealed."""
    secret = {shoe.shoe: shoe for shoe in (table.shoe, table.next_shoe) if shoe is not None}
    if table.closed or table.seats or table.round is not None:
        table.record_difference(OUT_OF_PLACE, "an empty table", f"{len(table.seats)} seats taken")
    if [each.shoe for each in event.seeds] != list(secret):
        table.record_difference(
            "seed missing", ", ".join(map(str, secret)), ", ".join(str(each.shoe) for each in event.seeds)
        )
    for each in event.seeds:
        seed, shoe = parse_seed(each.seed), secret.get(each.shoe)
        if each.seed is not None and seed is None:
            table.record_difference("seed missing", "the shoe's seed", each.seed)
        elif seed is not None and shoe is not None:
            check_revealed_seed(table, shoe, seed)
    table.shoe, table.next_shoe, table.closed = None, None, True
