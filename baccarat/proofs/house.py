"""What the house itself says of a round: judged with the keys of its checkpoints and of the witnesses that it uses."""

from typing import Final

from django.conf import settings

from baccarat.proofs import verifier
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


def verify(raw: bytes) -> verifier.Verdict:
    """Check the bytes of an exported round."""
    return verifier.verify(raw, trusted_keys())


def conclude(result: verifier.Verdict) -> str:
    """Say as of when and by whom it holds, who could have chosen the cards, and what failed or is missing."""
    if wrong := _listed(result, verifier.FAILED):
        return f"Wrong: {wrong}."
    missing, as_of, chooser = _listed(result, verifier.OPEN), result["as_of"], result["could_choose"]
    return " ".join(
        [
            *([] if as_of is None else [_as_of(as_of)]),
            *([] if chooser is None else [verifier.CHOOSERS[chooser]]),
            *([f"Missing: {missing}."] if missing else []),
        ]
    )


def _listed(result: verifier.Verdict, verdict: str) -> str:
    """Return the first checks of this verdict, with their reasons."""
    found = [f"{check['name']}: {check['text']}" for check in result["checks"] if check["verdict"] == verdict]
    return "; ".join(found[:MAX_REASONS])


def _as_of(checkpoint: verifier.Json) -> str:
    by = verifier.describe_cosignatures(checkpoint["cosigned_by"]) or "no witness yet"
    return f"As of checkpoint {checkpoint['size']}, cosigned by {by}."
