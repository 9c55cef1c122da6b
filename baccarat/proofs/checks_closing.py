"""Check of an exported round's closing: every wager is pinned before a card was drawn."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import msgspec

from baccarat.domain.fairness.closing import (
    Closing,
    SeatClosing,
    SeatEnd,
    close,
    close_shoe,
    encode_wager,
    wager_leaf,
)
from baccarat.domain.rounds.events import SeatLeftRound, SeatPassed, SeatTimedOut, WagerConfirmed
from baccarat.domain.rounds.signed_wager import (
    ED25519,
    NONCE_BYTES,
    PUBLIC_KEY_BYTES,
    UNSIGNED,
    listed,
)
from baccarat.domain.rounds.voiding import VOID_CAUSES
from baccarat.domain.rules.recorded import digest_of
from baccarat.domain.tables.events import ShoeCommitted, ShoeStarted
from baccarat.proofs import verifier
from baccarat.proofs.document import ExportedEvent, RoundExport, decode_event
from baccarat.proofs.loader import RULES_EVENTS
from baccarat.proofs.results import CheckNotApplicable, CheckNotPossible, Mismatch, require_equal
from casino.crypto import ed25519
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind

_ENDS: Final = {
    WagerConfirmed.__name__: SeatClosing.DEALT,
    SeatPassed.__name__: SeatClosing.PASSED,
    SeatTimedOut.__name__: SeatClosing.TIMED_OUT,
    SeatLeftRound.__name__: None,
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def check_closing(exported: RoundExport) -> str:
    """Check that the closing digest pins every wager in order, and how each seat's turn ended.

    A void while betting is open is a closing, too.
    """
    event, kind = closing_event(exported)
    voided = exported.find_event("RoundVoided")
    if kind is ClosingKind.PLAYED and voided is not None and (voided.data or {}).get("closing"):
        raise Mismatch("the round has two closings", None, "a closing of its void")
    if event is None or event.data is None:
        raise CheckNotApplicable("betting never closed")
    closed = decode_event(event)
    if closed.closing is None:
        raise Mismatch("the closing is missing", "a closing digest", None)
    closing: Closing = closed.closing
    wagers: list[WagerConfirmed] = list(exported.decode_all("WagerConfirmed"))
    leaves, ends = [leaf_of_confirmed(exported, wager) for wager in wagers], _ends(exported)
    is_played = kind is ClosingKind.PLAYED
    closed_at, cause = (closed.closed_at, 0) if is_played else (closed.voided_at, VOID_CAUSES[closed.reason])
    expected = close(
        blind=bytes.fromhex(closing.blind),
        terms=exported.opened.terms,
        witnesses=exported.opened.witnesses,
        kind=kind,
        cause=cause,
        leaves=leaves,
        seats=ends,
        closed_at_us=(closed_at - _EPOCH) // timedelta(microseconds=1),
        sealed_head=closing.sealed_head,
        before=closing.before,
        cosigned=closing.cosigned,
    )
    require_equal(expected.digest, closing.digest, "the closing digest differs")
    rest = verifier.check_references(exported.proof, *_as_in_file(event))
    signed = sum(wager.signature is not None for wager in wagers)
    if exported.proof.require_signed and signed < len(wagers):
        told = f"{closing.digest}, over {len(wagers)} wagers, {signed} signed; you require that all are"
        raise CheckNotPossible(told)
    early = "" if signed == len(wagers) else "; an early closing is not excluded"
    return f"{closing.digest}, over {len(wagers)} wagers, {signed} signed{early}{verifier.unchecked(rest)}"


def _as_in_file(event: ExportedEvent) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an event and its closing as the stand-alone verifier reads them."""
    return msgspec.to_builtins(event), (event.data or {})["closing"]


def closing_event(exported: RoundExport) -> tuple[ExportedEvent | None, ClosingKind]:
    """Return the event that closed the round, None if it is missing, and how."""
    event = exported.find_event("BettingClosed")
    return (exported.find_event("RoundVoided"), ClosingKind.VOID) if event is None else (event, ClosingKind.PLAYED)


def check_shoe_closing(exported: RoundExport, event: ExportedEvent, committed: ShoeCommitted) -> None:
    """Check that the closing of a long shoe pins its cut: as it starts, or before its witnesses' links."""
    started: ShoeStarted = decode_event(event)
    require_equal(committed.number, started.number, "the shoe has another number")
    cut_closed = exported.find_shoe_event("ShoeCutClosed")
    closing, closed_at = started.closing, started.started_at
    if cut_closed is not None:
        require_equal(None, closing, "the shoe has two closings")
        event, data = cut_closed, decode_event(cut_closed)
        closing, closed_at = data.closing, data.closed_at
    if closing is None:
        raise Mismatch("the shoe's closing is missing", "a closing digest", None)
    rules = [
        each.data["rules"]["values"]
        for each in exported.table_events
        if each.type in RULES_EVENTS and each.data and each.position < event.position
    ]
    expected = close_shoe(
        blind=bytes.fromhex(closing.blind),
        table=exported.opened.table,
        first_round=started.first_round,
        shoe=started.shoe,
        rules=digest_of(rules[-1]),
        commitment=started.commitment,
        cut=started.cut,
        closed_at_us=(closed_at - _EPOCH) // timedelta(microseconds=1),
        sealed_head=closing.sealed_head,
        before=closing.before,
        witnesses=exported.shoe_witnesses,
        cosigned=closing.cosigned,
    )
    require_equal(expected.digest, closing.digest, "the shoe's closing digest differs")
    verifier.check_references(exported.proof, *_as_in_file(event))


def leaf_of_confirmed(exported: RoundExport, wager: WagerConfirmed) -> bytes:
    """Return the leaf of a wager with its stakes as asked. Raises Mismatch if its player did not sign it."""
    asked = {spot: units - wager.raised.get(spot, 0) for spot, units in wager.stakes.items()}
    opened, signature = exported.opened, wager.signature
    encoded = encode_wager(
        terms=opened.terms,
        wager=wager.wager,
        player=wager.player,
        seat=wager.seat,
        play_money=wager.money_type is MoneyType.PLAY,
        currency=exported.table_rules.currency,
        stakes=listed(asked),
        nonce=UNSIGNED if signature is None else _hex(signature.nonce, NONCE_BYTES),
    )
    if signature is None:
        return wager_leaf(encoded)
    public_key = _hex(signature.public_key, PUBLIC_KEY_BYTES)
    raw, signed = bytes.fromhex(signature.signature), public_key.hex().startswith(ED25519)
    if not signed or not ed25519.is_signed_for_all(encoded, raw, public=public_key[1:]):
        raise Mismatch("a wager is not signed by its player", f"seat {wager.seat}", signature.signature)
    return wager_leaf(encoded, public_key=public_key)


def _hex(digits: str, length: int) -> bytes:
    parsed = bytes.fromhex(digits)
    if len(parsed) != length:
        raise Mismatch("a wager's signature is malformed", f"{length} bytes", digits)
    return parsed


def _ends(exported: RoundExport) -> list[SeatEnd]:
    """Return how each seat's turn ended, in ascending order; seats that left the round are not listed."""
    ends: dict[int, SeatClosing | None] = {}
    for kind, end in _ENDS.items():
        for event in exported.decode_all(kind):
            if event.seat in ends:
                raise Mismatch("the turn of a seat ended twice", "one end", event.seat)
            ends[event.seat] = end
    return [SeatEnd(seat, end) for seat, end in sorted(ends.items()) if end is not None]
