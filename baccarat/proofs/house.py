"""What the house itself says of a round: judged with the keys of its checkpoints and of the witnesses that it uses."""

from typing import Final

from django.conf import settings

from baccarat.proofs import checks, verifier
from baccarat.proofs.results import CheckVerdict, CoveringCheckpoint, Verification
from casino.checkpoints import records
from casino.witness.addresses import parse_addresses

MAX_REASONS: Final = 5


def trusted_keys() -> list[str]:
    """List the keys of our checkpoints, and of the configured witnesses: those of cosignatures and of links."""
    witnesses = parse_addresses(settings.WITNESSES)
    return [
        *(str(key["public_key"]) for key in records.published_keys()),
        *(witness.cosigner.vkey for witness in witnesses),
        *(witness.release_key.hex() for witness in witnesses if witness.release_key),
    ]


def verify(raw: bytes) -> Verification:
    """Check the bytes of an exported round."""
    return checks.verify(raw, keys=trusted_keys())


def conclude(result: Verification) -> str:
    """Say as of when and by whom it holds, who could have chosen the cards, and what failed or is missing."""
    wrong = [f"{check.name}: {check.text}" for check in result.checks if check.verdict is CheckVerdict.FAILED]
    if wrong:
        return f"Wrong: {'; '.join(wrong[:MAX_REASONS])}."
    missing = [f"{check.name}: {check.text}" for check in result.checks if check.verdict is CheckVerdict.NOT_CHECKABLE]
    return " ".join(
        [
            *([] if result.as_of is None else [_as_of(result.as_of)]),
            *([] if result.could_choose is None else [verifier.CHOOSERS[result.could_choose]]),
            *([f"Missing: {'; '.join(missing[:MAX_REASONS])}."] if missing else []),
        ]
    )


def _as_of(checkpoint: CoveringCheckpoint) -> str:
    by = ", ".join(map(str, checkpoint.cosigned_by)) or "no witness yet"
    return f"As of checkpoint {checkpoint.number} of {checkpoint.made_at}, cosigned by {by}."
