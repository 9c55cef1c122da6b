"""How one checkpoint stands to the log as it is now, from a few look-ups."""

from dataclasses import dataclass

from casino.checkpoints import records, tree
from casino.checkpoints.document import CheckpointDocument
from casino.checkpoints.keyring import checkpoint_keyring
from casino.events.sql import fetch


@dataclass(frozen=True, slots=True)
class CheckpointStatus:
    """`agrees`: head and root are those of the log and the kept tree; `signed` is None where no key is known."""

    matches_log: bool
    signature_valid: bool | None
    copied: bool


def checkpoint_status(checkpoint: CheckpointDocument) -> CheckpointStatus:
    """Compare a checkpoint with the log. What an audit computes again is taken from the kept tree here."""
    head = fetch("SELECT digest FROM events_seal WHERE position = %s", [checkpoint.position])
    copied = fetch("SELECT EXISTS (SELECT FROM checkpoints_copy WHERE number = %s)", [checkpoint.number])
    own = checkpoint_keyring()
    return CheckpointStatus(
        matches_log=bool(head) and head[0][0] == checkpoint.head and _root(checkpoint.position) == checkpoint.root,
        signature_valid=own.verifies(checkpoint) and checkpoint.log == records.log_id() if own.public else None,
        copied=bool(copied[0][0]),
    )


def _root(position: int) -> bytes | None:
    try:
        return tree.root_of(position)
    except tree.IncompleteTree:
        return None
