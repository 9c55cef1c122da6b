"""Celery tasks of checkpoints."""

import logging

from celery import shared_task

from casino.checkpoints import manifests, signing, storage
from casino.checkpoints.signing import CannotSign
from casino.checkpoints.tree import IncompleteTree
from casino.significant import recorder

logger = logging.getLogger(__name__)


@shared_task(name="checkpoints.sign", ignore_result=True)
def sign(**_: object) -> None:
    """Sign the checkpoints and manifests that are due; log an error and record it once."""
    sign_due()


def sign_due() -> int:
    """Sign what is due and return the number of checkpoints and manifests."""
    try:
        return signing.sign_if_due() + manifests.create_manifests_if_due()
    except storage.StorageUnavailable as error:
        logger.warning("No checkpoint is signed while the storage is unavailable: %s", error)
    except (CannotSign, IncompleteTree) as error:
        logger.exception("No checkpoint can be signed")
        record_failure(error)
    return 0


def record_failure(error: Exception) -> None:
    """Record, once for each checkpoint, why nothing can be signed."""
    size, reason = signing.kept_size(), type(error).__name__
    recorder.record(
        kind=recorder.SignificantEventKind.INTEGRITY_FAILED,
        operator=None,
        subject=f"checkpoint:{size}",
        actor="system",
        reason=f"{reason}: {error}",
        dedup_key=f"checkpoint {size} {reason}",
    )
