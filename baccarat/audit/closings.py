"""Recompute closings: of rounds that are played, lapse or are voided, and of long shoes as they start."""

from datetime import UTC, datetime, timedelta
from typing import Final

from baccarat.audit import cuts
from baccarat.audit.traces import OUT_OF_PLACE, CommittedShoe, RoundSeatTrace, RoundTrace, TableTrace
from baccarat.audit.witnesses import follows_from_replaced, take_indexes
from baccarat.domain.fairness.closing import (
    Closing,
    SeatClosing,
    SeatEnd,
    close,
    close_shoe,
    encode_wager,
    wager_leaf,
)
from baccarat.domain.rounds.signed_wager import wager_id
from baccarat.domain.rounds.state import SeatStatus
from baccarat.domain.tables.events import ShoeStarted
from baccarat.domain.tables.state import OpenClosing
from baccarat.domain.tables.witness_events import ShoeCutClosed
from casino.crypto import ed25519
from casino.kernel.money import MoneyType
from casino.witness.statements import ClosingKind

OTHER_CLOSING: Final = "closing differs"
OTHER_SIGNATURE: Final = "wager not signed by its player"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ENDS: Final = {
    SeatStatus.CONFIRMED: SeatClosing.DEALT,
    SeatStatus.PASSED: SeatClosing.PASSED,
    SeatStatus.TIMED_OUT: SeatClosing.TIMED_OUT,
}


def check_round_closing(
    round_: RoundTrace, closing: Closing | None, kind: ClosingKind, *, now: datetime, cause: int = 0
) -> None:
    """Recompute a closing from the wagers, the seats and the table's closing before."""
    if kind is not ClosingKind.VOID and follows_from_replaced(round_.table, round_.opened.witnesses):
        round_.record_difference(OTHER_CLOSING, "a void: its witness was replaced before", kind.name.lower())
    if closing is None:
        round_.record_difference(OTHER_CLOSING, "a closing", closing)
        return
    confirmed = sorted(round_.confirmed_seats(), key=lambda part: part.place or 0)
    expected = close(
        blind=bytes.fromhex(closing.blind),
        terms=round_.opened.terms,
        witnesses=round_.opened.witnesses,
        kind=kind,
        cause=cause,
        leaves=[_leaf(round_, part) for part in confirmed],
        seats=[SeatEnd(part.seat, _ENDS[part.status]) for part in round_.seats.values() if part.status in _ENDS],
        closed_at_us=(now - _EPOCH) // timedelta(microseconds=1),
        sealed_head=closing.sealed_head,
        before=round_.table.last_closing,
        cosigned=closing.cosigned,
    )
    if closing != expected:
        round_.record_difference(OTHER_CLOSING, expected, closing)
    if (closing.cosigned is None) is bool(round_.opened.witnesses):
        round_.record_difference(OTHER_CLOSING, "what witnesses have cosigned, if there are any", closing.cosigned)
    round_.closing, round_.table.last_closing = closing, closing.digest
    if round_.opened.witnesses:
        is_late = follows_from_replaced(round_.table, round_.opened.witnesses)
        opened = OpenClosing(round_.opened.round, kind, closing.digest, round_.opened.witnesses, now, is_late)
        round_.table.open_closings.append(opened)


def replay_shoe_cut_closed(table: TableTrace, event: ShoeCutClosed) -> None:
    """Recompute the closing of a long shoe before its witnesses' links, which takes the next of each."""
    shoe = table.next_shoe
    if shoe is None or shoe.shoe != event.shoe or table.shoe is not None or table.round is not None:
        table.record_difference(OUT_OF_PLACE, shoe and shoe.shoe, event.shoe)
        return
    due = take_indexes(table)
    if not due or due != event.witnesses:
        table.record_difference(OTHER_CLOSING, due or "witnesses", event.witnesses)
    shoe.witnesses = event.witnesses
    cut = cuts.computed_cut(shoe.commitment, cuts.listed(shoe.contributions), shoe.witnesses)
    _check_shoe(table, shoe, cut or "", event.closing, event.closed_at)
    opened = OpenClosing(event.shoe, ClosingKind.SHOE, event.closing.digest, event.witnesses, event.closed_at)
    table.open_closings.append(opened)
    table.coming_shoe, table.next_shoe = shoe, None


def check_shoe_closing(table: TableTrace, event: ShoeStarted) -> None:
    """Recompute the closing of a long shoe without witnesses, which pins its cut."""
    if table.coming_shoe is not None:
        if event.closing is not None:
            table.record_difference(OTHER_CLOSING, "the closing before the links", event.closing)
        return
    if event.closing is None:
        table.record_difference(OTHER_CLOSING, "a closing", None)
        return
    shoe = CommittedShoe(event.shoe, event.number, event.commitment, table.rules.shape)
    _check_shoe(table, shoe, event.cut, event.closing, event.started_at)


def _check_shoe(table: TableTrace, shoe: CommittedShoe, cut: str, closing: Closing, now: datetime) -> None:
    expected = close_shoe(
        blind=bytes.fromhex(closing.blind),
        table=table.opened.table,
        first_round=table.rounds + 1,
        shoe=shoe.shoe,
        rules=table.recorded_rules.digest,
        commitment=shoe.commitment,
        cut=cut,
        closed_at_us=(now - _EPOCH) // timedelta(microseconds=1),
        sealed_head=closing.sealed_head,
        before=table.last_closing,
        witnesses=shoe.witnesses,
        cosigned=closing.cosigned,
    )
    if closing != expected:
        table.record_difference(OTHER_CLOSING, expected, closing)
    if (closing.cosigned is None) is bool(shoe.witnesses):
        table.record_difference(OTHER_CLOSING, "what witnesses have cosigned, if there are any", closing.cosigned)
    table.last_closing = closing.digest


def _leaf(round_: RoundTrace, part: RoundSeatTrace) -> bytes:
    """Return the leaf of a wager with its stakes as asked, after checking its player's signature, if there is one."""
    raised, signature = part.raised or {}, part.signature
    wager = encode_wager(
        terms=round_.opened.terms,
        wager=wager_id(round_.opened.round, part.seat),
        player=part.player,
        seat=part.seat,
        play_money=part.money_type is MoneyType.PLAY,
        currency=round_.rules.currency,
        stakes=[
            (spot, part.stakes[spot] - raised.get(spot, 0))
            for spot in round_.rules.spot_names
            if part.stakes and part.stakes.get(spot, 0) > raised.get(spot, 0)
        ],
        nonce=bytes(32) if signature is None else bytes.fromhex(signature.nonce),
    )
    if signature is None:
        return wager_leaf(wager)
    public_key = bytes.fromhex(signature.public_key)
    if public_key[:1] != b"\x01" or not ed25519.is_signed(
        wager, bytes.fromhex(signature.signature), public=public_key[1:]
    ):
        round_.record_difference(OTHER_SIGNATURE, "the player's signature", signature.signature, seat=part.seat)
    return wager_leaf(wager, public_key=public_key)
