"""Receipts: what the house signs of a wager, so that its player can prove terms, stakes and place to anybody.

The specification of fairness has a receipt's bytes.
"""

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from msgspec import Meta

from baccarat.domain.fairness.closing import encode_receipt
from baccarat.domain.rounds.events import WagerSignature
from baccarat.domain.rounds.signed_wager import leaf_of_wager, listed
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.tables.state import TableState
from baccarat.queries import receipt_keys
from baccarat.queries.round_view import PUBLIC_KEY, StakeResponse, present_stakes
from baccarat.queries.table_view import TableStateResponse, TermsResponse
from casino.api.shapes import CurrencyCode, HexText, Shape, Timestamp
from casino.events.hash_chain import microseconds
from casino.kernel.money import MoneyType


class ReceiptResponse(Shape, kw_only=True):
    """The house's signed receipt of a wager. It stands alone: keep it, and compare it with the round's proof."""

    kind: Literal["wager"]
    table: UUID
    round: UUID
    terms: TermsResponse
    wager: UUID
    player: UUID
    seat: int
    money_type: MoneyType
    currency: CurrencyCode
    place: Annotated[int, Meta(description="In the order of confirmation in this round, from 0.")]
    stakes: Annotated[tuple[StakeResponse, ...], Meta(description="As confirmed.")]
    raised: Annotated[tuple[StakeResponse, ...], Meta(description="The part of them that reached the minimum.")]
    wager_signature: Annotated[WagerSignature | None, Meta(description="The player's, if the wager was signed.")]
    leaf: Annotated[HexText, Meta(description="Of the wager, in the closing of the round.")]
    confirmed_at: Timestamp
    close_by: Annotated[Timestamp | None, Meta(description="When betting closes; null if it waits for players.")]
    public_key: Annotated[HexText, Meta(description=PUBLIC_KEY)]
    signature: HexText


class WagerResponse(TableStateResponse, kw_only=True):
    """The state of a table, and the receipt of the wager that was confirmed."""

    receipt: ReceiptResponse


def present_wager(state: TableStateResponse, table: TableState, round_: RoundState, *, player: UUID) -> WagerResponse:
    """Add the signed receipt of a player's confirmed wager to the state of the table."""
    fields = {name: getattr(state, name) for name in TableStateResponse.__struct_fields__}
    return WagerResponse(**fields, receipt=_receipt(table, round_, player))


def _receipt(table: TableState, round_: RoundState, player: UUID) -> ReceiptResponse:
    opened, seat, terms, rules = round_.require_opened(), round_.seat_of(player), table.terms, table.rules
    if terms is None:
        raise LookupError("the round in play has no terms")
    if seat is None or seat.place is None or seat.confirmed_at is None or seat.stakes is None:
        raise LookupError("the player has no confirmed wager")
    leaf = leaf_of_wager(opened, seat, rules)
    signed = encode_receipt(
        terms=opened.terms,
        leaf=leaf,
        player=seat.player,
        seat=seat.seat,
        place=seat.place,
        stakes=listed(seat.stakes, rules),
        currency=rules.currency,
        confirmed_at_us=microseconds(seat.confirmed_at),
        close_by_us=_microseconds(opened.deadline_at),
    )
    return ReceiptResponse(
        kind="wager",
        table=opened.table,
        round=opened.round,
        terms=TermsResponse.of(terms),
        wager=seat.require_wager(),
        player=seat.player,
        seat=seat.seat,
        money_type=seat.money_type,
        currency=rules.currency,
        place=seat.place,
        stakes=present_stakes(seat.stakes, rules),
        raised=present_stakes(seat.raised or {}, rules),
        wager_signature=seat.signature,
        leaf=leaf.hex(),
        confirmed_at=seat.confirmed_at,
        close_by=opened.deadline_at,
        **receipt_keys.sign(signed),
    )


def _microseconds(deadline: datetime | None) -> int:
    return 0 if deadline is None else microseconds(deadline)
