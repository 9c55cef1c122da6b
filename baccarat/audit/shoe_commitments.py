"""Checks shoes of single rounds: committed to by the opening before, and used in one round only."""

from typing import Final, Protocol

from baccarat.audit.traces import CommittedShoe, RoundTrace, TableTrace
from baccarat.domain.rounds.commitment import ShoeCommitment

MISSING: Final = "commitment missing"
OTHER_SHOE: Final = "shoe differs from the committed one"
NO_NEXT: Final = "next shoe not committed"
OTHER_SHAPE: Final = "shoe composition differs from its commitment"
OUT_OF_PLACE: Final = "event out of place"


class DifferenceRecorder(Protocol):
    """Callback that records a contradiction: what, expected, actual."""

    def __call__(self, what: str, expected: object, found: object) -> None:
        """Note it."""


def check_committed_shoe(round_: RoundTrace) -> None:
    """Check that a round opens with the shoe, commitment and shape that were committed to."""
    event, table = round_.opened, round_.table
    coming, rules = table.next_shoe, table.rules
    if event.commitment is None:
        round_.record_difference(MISSING, "a commitment before the first bet", "none")
    if coming is None:
        round_.record_difference(OTHER_SHOE, "a shoe named before", f"{event.shoe} {event.commitment}")
        return
    if (coming.shoe, coming.commitment) != (event.shoe, event.commitment):
        found = f"{event.shoe} {event.commitment}"
        round_.record_difference(OTHER_SHOE, f"{coming.shoe} {coming.commitment}", found)
    if coming.shape != rules.shape:
        round_.record_difference(OTHER_SHAPE, coming.shape, rules.shape)


def replay_shoe_commitment(
    table: TableTrace, shoe: ShoeCommitment | None, *, number: int, record_difference: DifferenceRecorder
) -> None:
    """Check the commitment to the shoe of the round with this number, which binds the rules of that round.

    Tables with long shoes make no such commitment.
    """
    if table.has_long_shoe:
        if shoe is not None:
            record_difference(OUT_OF_PLACE, "no shoe of one round at a table with long shoes", shoe.shoe)
        return
    if shoe is None:
        record_difference(NO_NEXT, f"the shoe of round {number}", "none")
        table.next_shoe = None
        return
    rules = (
        table.rules
        if table.rules_lifecycle is None or table.rules_lifecycle.pending is None
        else table.rules_lifecycle.pending.rules
    )
    if shoe.shape != rules.shape:
        record_difference(OTHER_SHAPE, rules.shape, shoe.shape)
    table.next_shoe = CommittedShoe(shoe.shoe, number, shoe.commitment, shoe.shape)
