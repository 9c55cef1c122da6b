"""Shoes of single rounds: each named before its round opens, by the opening before, and used in no other."""

from typing import Final, Protocol

from baccarat.audit.traces import CommittedShoe, RoundTrace, TableTrace
from baccarat.domain.rounds.commitment import NamedShoe

MISSING: Final = "commitment missing"
NOT_NAMED: Final = "shoe differs from the named one"
NO_NEXT: Final = "next shoe not named"
OTHER_SHAPE: Final = "shoe is not made as it was committed to"
OUT_OF_PLACE: Final = "event out of place"


class Differs(Protocol):
    """What notes a contradiction: what it is, what should be, and what is."""

    def __call__(self, what: str, expected: object, found: object) -> None:
        """Note it."""


def used(round_: RoundTrace) -> None:
    """Check that a round which opens has the shoe, commitment and shape that were named for it.

    Only where nothing was ever named, at tables from before it was done, may a round bring its own commitment.
    """
    event, table = round_.opened, round_.table
    coming, rules = table.coming, table.rules
    if event.commitment is None:
        round_.differs(MISSING, "a commitment before the first bet", "none")
    if coming is None:
        if table.commits:
            round_.differs(NOT_NAMED, "a shoe named before", f"{event.shoe} {event.commitment}")
        return
    if (coming.shoe, coming.commitment) != (event.shoe, event.commitment):
        found = f"{event.shoe} {event.commitment}"
        round_.differs(NOT_NAMED, f"{coming.shoe} {coming.commitment}", found)
    if coming.shape != rules.shape:
        round_.differs(OTHER_SHAPE, coming.shape, rules.shape)


def named(table: TableTrace, shoe: NamedShoe | None, *, number: int, differs: Differs) -> None:
    """Follow the naming of the shoe for a table's round of this number: bound to the rules to come.

    Tables with long shoes name none here; once a table has named one, every round that opens must name the next.
    """
    if table.long:
        if shoe is not None:
            differs(OUT_OF_PLACE, "no shoe of one round at a table with long shoes", shoe.shoe)
        return
    if shoe is None:
        if table.commits:
            differs(NO_NEXT, f"the shoe of round {number}", "none")
        table.coming = None
        return
    rules = table.rules if table.ruled is None or table.ruled.next is None else table.ruled.next.rules
    if shoe.shape != rules.shape:
        differs(OTHER_SHAPE, rules.shape, shoe.shape)
    table.coming = CommittedShoe(shoe.shoe, number, shoe.commitment, shape=shoe.shape)
    table.commits = table.shapes = True
