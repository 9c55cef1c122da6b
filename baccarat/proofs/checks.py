"""Every check of one exported round, by the casino's own code; the verifier beside it does the same without it."""

import struct
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

import msgspec

from baccarat.proofs import checks_game, checks_log, checks_shoe
from baccarat.proofs.document import Exported, read
from baccarat.proofs.results import Check, Nothing, NotYet, Verdict, Verification, Wrong

Checking = Callable[[Exported], str]

MALFORMED: Final = (
    LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, struct.error,
    msgspec.MsgspecError,
)  # fmt: skip
"""What content of another form makes our own code raise."""

CHECKS: Final[Mapping[str, Checking]] = {
    "digests": checks_log.digests,
    "chain": checks_log.chain,
    "inclusion": checks_log.inclusion,
    "signature": checks_log.signature,
    "rules": checks_game.rules,
    "record": checks_game.record,
    "commitment": checks_shoe.commitment,
    "cut": checks_shoe.the_cut,
    "cards": checks_shoe.cards,
    "hands": checks_game.hands,
    "wagers": checks_game.wagers,
    "payouts": checks_game.payouts,
    "commission": checks_game.commission,
    "void": checks_game.void,
}


def verify(raw: bytes, *, keys: Iterable[str] = ()) -> Verification:
    """Check the bytes of an exported round; `keys` are public keys in hex that the reader trusts."""
    try:
        exported = read(raw)
    except Wrong as wrong:
        return Verification(None, (_failed("file", wrong),))
    except MALFORMED as trouble:
        return Verification(None, (_unreadable("file", trouble),))
    checks = [Check("file", Verdict.OK, f"an exported round of {len(exported.events)} events")]
    trusting: Checking = partial(checks_log.key, trusted=frozenset(keys))
    for name, check in CHECKS.items():
        checks.append(_checked(name, check, exported))
        if name == "signature":
            checks.append(_checked("key", trusting, exported))
    return Verification(str(exported.round.get("id")), tuple(checks))


def _checked(name: str, check: Checking, exported: Exported) -> Check:
    try:
        return Check(name, Verdict.OK, check(exported))
    except NotYet as why:
        return Check(name, Verdict.OPEN, str(why))
    except Nothing as why:
        return Check(name, Verdict.NONE, str(why))
    except Wrong as wrong:
        return _failed(name, wrong)
    except MALFORMED as trouble:
        return _unreadable(name, trouble)


def _failed(name: str, wrong: Wrong) -> Check:
    return Check(name, Verdict.FAILED, wrong.what, wrong.expected, wrong.found)


def _unreadable(name: str, trouble: Exception) -> Check:
    return Check(name, Verdict.FAILED, "the content is malformed", "well-formed content", str(trouble))
