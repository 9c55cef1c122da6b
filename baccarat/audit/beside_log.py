"""What is compared beside the log: checkpoints, manifests, rows of working tables, acts that changed them, feeds."""

from typing import Any

from casino.checkpoints import audit as checkpoints
from casino.checkpoints.records import SignedCheckpoint
from casino.checkpoints.replicas import UnknownCopies
from casino.events.netting import run_checks
from casino.feed import audit as feeds
from casino.kernel.findings import Findings
from casino.staff import act_audit


def check(copies: UnknownCopies, *, since: SignedCheckpoint | None = None, **options: Any) -> Findings:
    """Return the contradictions, on the caller's snapshot; the options are those of the check of checkpoints."""
    position = 0 if since is None else since.size
    return Findings(
        run_checks(
            ("checkpoints", lambda: checkpoints.check(copies, since=since, **options)),
            ("acts", act_audit.check),
            ("feeds", lambda: feeds.check(since=position)),
        )
    )
