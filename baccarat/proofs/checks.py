"""Every check of one exported round, by the casino's own code; the verifier beside it does the same without it."""

import struct
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Final

import msgspec

from baccarat.proofs import of_the_game, of_the_log, of_the_shoe
from baccarat.proofs.exported import Exported, read
from baccarat.proofs.results import Check, Nothing, NotYet, Verdict, Verification, Wrong

Checking = Callable[[Exported], str]

MALFORMED: Final = (
    LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError, struct.error,
    msgspec.MsgspecError,
)  # fmt: skip
"""What content of another form makes our own code raise."""

CHECKS: Final[Mapping[str, Checking]] = {
    "digests": of_the_log.digests,
    "chain": of_the_log.chain,
    "inclusion": of_the_log.inclusion,
    "signature": of_the_log.signature,
    "rules": of_the_game.rules,
    "record": of_the_game.record,
    "commitment": of_the_shoe.commitment,
    "cut": of_the_shoe.the_cut,
    "cards": of_the_shoe.cards,
    "hands": of_the_game.hands,
    "wagers": of_the_game.wagers,
    "payouts": of_the_game.payouts,
    "commission": of_the_game.commission,
    "void": of_the_game.void,
}


def verify(raw: bytes, *, keys: Iterable[str] = ()) -> Verification:
    """This will check the bytes of an exported round; `keys` are public keys in hex that the reader trusts."""
    try:
        exported = read(raw)
    except Wrong as wrong:
        return Verification(None, (_failed("file", wrong),))
    except MALFORMED as trouble:
        return Verification(None, (_unreadable("file", trouble),))
    checks = [Check("file", Verdict.OK, f"an exported round of {len(exported.events)} events")]
    trusting: Checking = partial(of_the_log.key, trusted=frozenset(keys))
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
