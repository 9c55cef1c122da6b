"""How one checkpoint stands to the log as it is now, from a few look-ups."""

from dataclasses import dataclass

from casino.checkpoints import records, tree
from casino.checkpoints.document import Checkpoint
from casino.checkpoints.keyring import ring
from casino.events.sql import fetch


@dataclass(frozen=True, slots=True)
class Stands:
    """`agrees`: head and root are those of the log and the kept tree; `signed` is None where no key is known."""

    agrees: bool
    signed: bool | None
    copied: bool


def of(checkpoint: Checkpoint) -> Stands:
    """Compare a checkpoint with the log. What an audit computes again is taken from the kept tree here."""
    head = fetch("SELECT digest FROM events_seal WHERE position = %s", [checkpoint.position])
    copied = fetch("SELECT EXISTS (SELECT FROM checkpoints_copy WHERE number = %s)", [checkpoint.number])
    own = ring()
    return Stands(
        agrees=bool(head) and head[0][0] == checkpoint.head and _root(checkpoint.position) == checkpoint.root,
        signed=own.has_signed(checkpoint) and checkpoint.log == records.log_id() if own.public else None,
        copied=bool(copied[0][0]),
    )


def _root(position: int) -> bytes | None:
    try:
        return tree.root_of(position)
    except tree.NotWhole:
        return None
