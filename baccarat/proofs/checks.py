"""Run every check of an exported round with the casino's own code; verifier.py does the same without it."""

import re
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from baccarat.proofs import (
    checks_chains,
    checks_closing,
    checks_game,
    checks_log,
    checks_receipt,
    checks_shoe,
    checks_statements,
    verifier,
)
from baccarat.proofs.document import RoundExport, parse_export
from baccarat.proofs.results import (
    COSIGNATURES,
    CheckNotApplicable,
    CheckNotPossible,
    CheckVerdict,
    CoveringCheckpoint,
    Mismatch,
    OverallVerdict,
    ProofCheck,
    Verification,
)
from casino.crypto.signed_note import MalformedNote, NoteKey, SignatureType

CheckFunction = Callable[[RoundExport], str]

MALFORMED: Final = (
    LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, struct.error,
    msgspec.MsgspecError,
)  # fmt: skip
"""Errors of the casino's own code for malformed content."""

_KEY: Final = re.compile(r"\b[0-9a-f]{64}\b", re.ASCII)
_COSIGNER: Final = re.compile(r"[^\s+\"]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}(?![A-Za-z0-9+/=])")

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


def verify(
    raw: bytes,
    *,
    keys: Iterable[str] = (),
    receipts: Sequence[bytes] = (),
    witness_keys: Iterable[str] = (),
    require_signed: bool = False,
) -> Verification:
    """Check the bytes of an exported round; `keys` are public keys that the reader trusts: hex, of cosigners vkeys.

    Of `witness_keys`, which are trusted, too, those in hex have to occur among the links. `receipts` are the bytes of
    receipts and payouts, which the round is compared with.
    """
    try:
        exported = parse_export(raw)
    except Mismatch as mismatch:
        return Verification(None, (_failed("file", mismatch),))
    except MALFORMED as error:
        return Verification(None, (_unreadable("file", error),))
    checks = [ProofCheck("file", CheckVerdict.OK, f"an exported round of {len(exported.events)} events")]
    required = frozenset(witness_keys)
    given = required.union(keys)
    exported.proof = verifier.Proof(
        verifier.require_shape(verifier.read(raw)), set(given), required, require_signed=require_signed
    )
    trusted = frozenset(key for key in given if _KEY.fullmatch(key))
    cosigners = [NoteKey.parse(key) for key in sorted(given - trusted)]
    check_key: CheckFunction = partial(checks_log.check_key, trusted=trusted)
    check_cosignatures = partial(checks_statements.check_cosignatures, cosigners=cosigners)
    check_witnesses: CheckFunction = partial(checks_chains.check_witnesses, trusted=trusted)
    for name, check in CHECKS.items():
        checks.append(_run(name, check, exported))
        if name == "signature":
            checks.append(_run("key", check_key, exported))
            checks.append(_run(COSIGNATURES, check_cosignatures, exported))
        if name == "closing":
            checks.append(_run("witnesses", check_witnesses, exported))
    if receipts:
        check_receipts = partial(checks_receipt.check_receipts, receipts=receipts, trusted=trusted)
        checks.append(_run("receipt", check_receipts, exported))
    result = Verification(str(exported.round.get("id")), tuple(checks))
    if result.verdict is OverallVerdict.FAILED:
        return result
    cosigned = any(check.name == COSIGNATURES and check.verdict is CheckVerdict.OK for check in checks)
    by = checks_statements.find_cosignatures(exported, cosigners) if cosigned else ()
    signed = exported.checkpoint
    checkpoint = None if signed is None else CoveringCheckpoint(signed["number"], signed["made_at"], by)
    forced = exported.find_event("CardsForced") is not None
    result = replace(result, checkpoint=checkpoint, forced=forced)
    return replace(
        result,
        caveats=tuple(checks_statements.caveats_on(exported)),
        could_choose=None if result.as_of is None else verifier.could_choose(exported.proof),
    )


def _run(name: str, check: CheckFunction, exported: RoundExport) -> ProofCheck:
    try:
        return ProofCheck(name, CheckVerdict.OK, check(exported))
    except (CheckNotPossible, verifier.CannotCheck) as reason:
        return ProofCheck(name, CheckVerdict.NOT_CHECKABLE, str(reason))
    except CheckNotApplicable as reason:
        return ProofCheck(name, CheckVerdict.NOT_APPLICABLE, str(reason))
    except (Mismatch, verifier.CheckFailed) as mismatch:
        return _failed(name, mismatch)
    except MALFORMED as error:
        return _unreadable(name, error)


def _failed(name: str, mismatch: Mismatch | verifier.CheckFailed) -> ProofCheck:
    return ProofCheck(name, CheckVerdict.FAILED, mismatch.what, mismatch.expected, mismatch.actual)


def _unreadable(name: str, error: Exception) -> ProofCheck:
    return ProofCheck(name, CheckVerdict.FAILED, "the content is malformed", "well-formed content", str(error))


class InvalidKey(ValueError):
    """The argument contains no key."""


def parse_keys(argument: str) -> tuple[str, ...]:
    """Parse 64 hex digits, a cosigner's `NAME+ID+KEY`, or the path of a file with keys.

    Such a file is the response of /api/v1/log/keys, or of a witness at its address. Raises InvalidKey, and OSError for
    a file that can't be read.
    """
    is_key = _KEY.fullmatch(argument) or _COSIGNER.fullmatch(argument)
    text = argument if is_key else Path(argument).read_text(encoding="utf-8")
    cosigners = _COSIGNER.findall(text)
    keys = (*_KEY.findall(text), *cosigners)
    if not keys:
        raise InvalidKey(f"There is no key in {argument}.")
    try:
        if any(NoteKey.parse(each).type is not SignatureType.COSIGNATURE for each in cosigners):
            raise InvalidKey(f"A key in {argument} is not a cosigner's.")
    except MalformedNote as error:
        raise InvalidKey(str(error)) from error
    return keys
