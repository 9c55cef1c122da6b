"""Run every check of an exported round with the casino's own code; verifier.py does the same without it."""

import re
import struct
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from baccarat.proofs import checks_closing, checks_game, checks_log, checks_shoe
from baccarat.proofs.document import RoundExport, parse_export
from baccarat.proofs.results import (
    CheckNotApplicable,
    CheckNotPossible,
    CheckVerdict,
    CoveringCheckpoint,
    Mismatch,
    ProofCheck,
    Verification,
)

CheckFunction = Callable[[RoundExport], str]

MALFORMED: Final = (
    LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, struct.error,
    msgspec.MsgspecError,
)  # fmt: skip
"""Errors of the casino's own code for malformed content."""

_KEY: Final = re.compile(r"\b[0-9a-f]{64}\b", re.ASCII)

CHECKS: Final[Mapping[str, CheckFunction]] = {
    "digests": checks_log.check_digests,
    "chain": checks_log.check_chain,
    "inclusion": checks_log.check_inclusion,
    "signature": checks_log.check_signature,
    "rules": checks_game.check_rules,
    "record": checks_game.check_record,
    "commitment": checks_shoe.check_commitment,
    "cut": checks_shoe.check_cut,
    "terms": checks_shoe.check_terms,
    "closing": checks_closing.check_closing,
    "cards": checks_shoe.check_cards,
    "hands": checks_game.check_hands,
    "wagers": checks_game.check_wagers,
    "payouts": checks_game.check_payouts,
    "commission": checks_game.check_commission,
    "void": checks_game.check_void,
}


def verify(raw: bytes, *, keys: Iterable[str] = ()) -> Verification:
    """Check the bytes of an exported round; `keys` are public keys in hex that the reader trusts."""
    try:
        exported = parse_export(raw)
    except Mismatch as mismatch:
        return Verification(None, (_failed("file", mismatch),))
    except MALFORMED as error:
        return Verification(None, (_unreadable("file", error),))
    checks = [ProofCheck("file", CheckVerdict.OK, f"an exported round of {len(exported.events)} events")]
    check_key: CheckFunction = partial(checks_log.check_key, trusted=frozenset(keys))
    for name, check in CHECKS.items():
        checks.append(_run(name, check, exported))
        if name == "signature":
            checks.append(_run("key", check_key, exported))
    return Verification(str(exported.round.get("id")), tuple(checks), _checkpoint(exported))


def _checkpoint(exported: RoundExport) -> CoveringCheckpoint | None:
    signed = exported.checkpoint
    return None if signed is None else CoveringCheckpoint(signed["number"], signed["made_at"])


def _run(name: str, check: CheckFunction, exported: RoundExport) -> ProofCheck:
    try:
        return ProofCheck(name, CheckVerdict.OK, check(exported))
    except CheckNotPossible as reason:
        return ProofCheck(name, CheckVerdict.NOT_CHECKABLE, str(reason))
    except CheckNotApplicable as reason:
        return ProofCheck(name, CheckVerdict.NOT_APPLICABLE, str(reason))
    except Mismatch as mismatch:
        return _failed(name, mismatch)
    except MALFORMED as error:
        return _unreadable(name, error)


def _failed(name: str, mismatch: Mismatch) -> ProofCheck:
    return ProofCheck(name, CheckVerdict.FAILED, mismatch.what, mismatch.expected, mismatch.actual)


def _unreadable(name: str, error: Exception) -> ProofCheck:
    return ProofCheck(name, CheckVerdict.FAILED, "the content is malformed", "well-formed content", str(error))


class InvalidKey(ValueError):
    """The argument contains no key."""


def parse_keys(argument: str) -> tuple[str, ...]:
    """Parse 64 hex digits, or the path of a file with keys, such as the response of /api/v1/log/keys.

    Raises InvalidKey, and OSError for a file that can't be read.
    """
    if _KEY.fullmatch(argument):
        return (argument,)
    keys = tuple(_KEY.findall(Path(argument).read_text(encoding="utf-8")))
    if not keys:
        raise InvalidKey(f"There is no key of 64 hex digits in {argument}.")
    return keys
