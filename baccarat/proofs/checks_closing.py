"""Check of an exported round's closing: every wager is pinned before a card was drawn."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from baccarat.domain.fairness.closing import (
    NO_DIGEST,
    Closing,
    SeatClosing,
    SeatEnd,
    close,
    encode_wager,
    wager_leaf,
)
from baccarat.domain.rounds.events import SeatPassed, SeatTimedOut, WagerConfirmed
from baccarat.domain.rounds.signed_wager import ED25519, NONCE_BYTES, PUBLIC_KEY_BYTES, SPOT_NUMBERS, UNSIGNED
from baccarat.proofs.document import RoundExport, decode_event
from baccarat.proofs.results import CheckNotApplicable, Mismatch, require_equal
from casino.crypto import ed25519
from casino.kernel import merkle
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind

SCHEMA_WITHOUT_COUNTS: Final = 3
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def check_closing(exported: RoundExport) -> str:
    """Check that the closing digest pins every wager in order, and how each seat's turn ended."""
    event = exported.find_event("BettingClosed")
    if event is None:
        raise CheckNotApplicable("betting never closed")
    closed = decode_event(event)
    if closed.closing is None:
        if exported.has_terms:
            raise Mismatch("the closing is missing", "a closing digest", None)
        raise CheckNotApplicable("the round is from before there were closings")
    closing: Closing = closed.closing
    terms, currency = exported.opened.terms, exported.table_rules.currency
    wagers: list[WagerConfirmed] = list(exported.decode_all("WagerConfirmed"))
    leaves, ends = [_leaf(terms, wager, currency) for wager in wagers], _ends(exported, wagers)
    expected = close(
        blind=bytes.fromhex(closing.blind),
        terms=terms,
        witnesses=(),
        kind=ClosingKind.PLAYED,
        cause=0,
        leaves=leaves,
        seats=ends,
        closed_at_us=(closed.closed_at - _EPOCH) // timedelta(microseconds=1),
        sealed_head=closing.sealed_head,
        cosigned_size=0,
        cosigned_root=NO_DIGEST,
        before=closing.before,
    )
    if event.schema < SCHEMA_WITHOUT_COUNTS:
        _check_counts((event.data or {})["closing"], leaves, ends)
    require_equal(expected.digest, closing.digest, "the closing digest differs")
    signed = sum(wager.signature is not None for wager in wagers)
    early = "" if signed == len(wagers) else "; an early closing is not excluded"
    return f"{closing.digest}, over {len(wagers)} wagers, {signed} signed{early}"


def _check_counts(recorded: dict[str, Any], leaves: list[bytes], ends: list[SeatEnd]) -> None:
    """Check what closings repeated of the round's other events."""
    repeated: dict[str, Any] = {
        "kind": int(ClosingKind.PLAYED),
        "cause": 0,
        "count": len(leaves),
        "wagers": merkle.root(leaves).hex(),
        "seats": [{"seat": each.seat, "end": int(each.end)} for each in ends],
        "cosigned_size": 0,
        "cosigned_root": NO_DIGEST,
    }
    for name, value in repeated.items():
        require_equal(value, recorded[name], f"the closing differs: {name}")


def _leaf(terms: str, wager: WagerConfirmed, currency: str) -> bytes:
    """Return the leaf of a wager with its stakes as asked. Raises Mismatch if its player did not sign it."""
    asked = ((SPOT_NUMBERS[spot], units - wager.raised.get(spot, 0)) for spot, units in wager.stakes.items())
    signature = wager.signature
    encoded = encode_wager(
        terms=terms,
        seat=wager.seat,
        play_money=wager.money_type is MoneyType.PLAY,
        currency=currency,
        stakes=[(spot, units) for spot, units in asked if units],
        nonce=UNSIGNED if signature is None else _hex(signature.nonce, NONCE_BYTES),
    )
    if signature is None:
        return wager_leaf(encoded)
    public_key = _hex(signature.public_key, PUBLIC_KEY_BYTES)
    raw, signed = bytes.fromhex(signature.signature), public_key.hex().startswith(ED25519)
    if not signed or not ed25519.is_signed(encoded, raw, public=public_key[1:]):
        raise Mismatch("a wager is not signed by its player", f"seat {wager.seat}", signature.signature)
    return wager_leaf(encoded, public_key=public_key)


def _hex(digits: str, length: int) -> bytes:
    parsed = bytes.fromhex(digits)
    if len(parsed) != length:
        raise Mismatch("a wager's signature is malformed", f"{length} bytes", digits)
    return parsed


def _ends(exported: RoundExport, wagers: list[WagerConfirmed]) -> list[SeatEnd]:
    """Return how each seat's turn ended, in ascending order; seats that left the round are not listed."""
    ends: dict[int, SeatClosing] = {}
    passed: list[Any] = [each.seat for each in exported.decode_all(SeatPassed.__name__)]
    timed_out: list[Any] = [each.seat for each in exported.decode_all(SeatTimedOut.__name__)]
    ends.update(dict.fromkeys(passed, SeatClosing.PASSED))
    ends.update(dict.fromkeys(timed_out, SeatClosing.TIMED_OUT))
    ends.update(dict.fromkeys((wager.seat for wager in wagers), SeatClosing.DEALT))
    return [SeatEnd(seat, ends[seat]) for seat in sorted(ends)]
