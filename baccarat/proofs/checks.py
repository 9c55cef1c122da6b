"""Runs every check of an exported round with the casino's own code; verifier.py does the same without it."""

import struct
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

import msgspec

from baccarat.proofs import checks_game, checks_log, checks_shoe
from baccarat.proofs.document import RoundExport, parse_export
from baccarat.proofs.results import (
    CheckNotApplicable,
    CheckNotPossible,
    CheckVerdict,
    Mismatch,
    ProofCheck,
    Verification,
)

CheckFunction = Callable[[RoundExport], str]

MALFORMED: Final = (
    LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, struct.error,
    msgspec.MsgspecError,
)  # fmt: skip
"""Errors that our own code raises for malformed content."""

CHECKS: Final[Mapping[str, CheckFunction]] = {
    "digests": checks_log.check_digests,
    "chain": checks_log.check_chain,
    "inclusion": checks_log.check_inclusion,
    "signature": checks_log.check_signature,
    "rules": checks_game.check_rules,
    "record": checks_game.check_record,
    "commitment": checks_shoe.check_commitment,
    "cut": checks_shoe.check_cut,
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
    except Mismatch as wrong:
        return Verification(None, (_failed("file", wrong),))
    except MALFORMED as trouble:
        return Verification(None, (_unreadable("file", trouble),))
    checks = [ProofCheck("file", CheckVerdict.OK, f"an exported round of {len(exported.events)} events")]
    trusting: CheckFunction = partial(checks_log.check_key, trusted=frozenset(keys))
    for name, check in CHECKS.items():
        checks.append(_checked(name, check, exported))
        if name == "signature":
            checks.append(_checked("key", trusting, exported))
    return Verification(str(exported.round.get("id")), tuple(checks))


def _checked(name: str, check: CheckFunction, exported: RoundExport) -> ProofCheck:
    try:
        return ProofCheck(name, CheckVerdict.OK, check(exported))
    except CheckNotPossible as why:
        return ProofCheck(name, CheckVerdict.NOT_CHECKABLE, str(why))
    except CheckNotApplicable as why:
        return ProofCheck(name, CheckVerdict.NOT_APPLICABLE, str(why))
    except Mismatch as wrong:
        return _failed(name, wrong)
    except MALFORMED as trouble:
        return _unreadable(name, trouble)


def _failed(name: str, wrong: Mismatch) -> ProofCheck:
    return ProofCheck(name, CheckVerdict.FAILED, wrong.what, wrong.expected, wrong.found)


def _unreadable(name: str, trouble: Exception) -> ProofCheck:
    return ProofCheck(name, CheckVerdict.FAILED, "the content is malformed", "well-formed content", str(trouble))
