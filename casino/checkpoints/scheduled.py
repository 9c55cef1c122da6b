"""What beat asks for: a checkpoint when one is due, and a significant event when none can be made."""

import logging

from casino.checkpoints import manifests, records, signing, storage
from casino.checkpoints.exceptions import CannotSign
from casino.checkpoints.tree import IncompleteTree
from casino.significant import recorder

logger = logging.getLogger(__name__)


def sign() -> int:
    """Sign what is due and return how many checkpoints and inventories it made.

    What stops it is logged and recorded once.
    """
    try:
        return signing.sign_if_due() + manifests.create_manifests_if_due()
    except storage.StorageUnavailable as trouble:
        logger.warning("No checkpoint is made while their place does not answer: %s", trouble)
    except (CannotSign, IncompleteTree) as trouble:
        logger.exception("No checkpoint can be made")
        _record(trouble)
    return 0


def _record(trouble: Exception) -> None:
    last, why = records.latest(), type(trouble).__name__
    number = 0 if last is None else last.number
    recorder.record(
        kind=recorder.SignificantEventKind.INTEGRITY_FAILED,
        operator=None,
        subject=f"checkpoint:{number}",
        actor="system",
        reason=f"{why}: {trouble}",
        dedup_key=f"checkpoint {number} {why}",
    )
