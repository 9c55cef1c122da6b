"""The bytes of a seat's wager, which its player may sign, and its leaf in the closing. Pure."""

from collections.abc import Mapping
from typing import Final

from baccarat.domain.fairness.closing import encode_wager, wager_leaf
from baccarat.domain.rounds.state import RoundSeat
from baccarat.domain.rules.wagers import Spot
from casino.kernel.money import MoneyType

ED25519: Final = "01"
"""Before the digits of a public key."""
PUBLIC_KEY_BYTES: Final = 33
NONCE_BYTES: Final = 32
UNSIGNED: Final = bytes(NONCE_BYTES)
"""The nonce of a caller that does not sign."""
SPOT_NUMBERS: Final[Mapping[Spot, int]] = {spot: number for number, spot in enumerate(Spot, 1)}
"""Player 1, Banker 2, Tie 3, as in the bytes of wagers and receipts."""


def bytes_to_sign(
    terms: str, seat: RoundSeat, asked: Mapping[Spot, int], currency: str, *, nonce: bytes = UNSIGNED
) -> bytes:
    """Return the bytes of a seat's wager in a round with these terms; `asked` are its stakes before any was raised."""
    return encode_wager(
        terms=terms,
        seat=seat.seat,
        play_money=seat.money_type is MoneyType.PLAY,
        currency=currency,
        stakes=[(SPOT_NUMBERS[spot], units) for spot, units in asked.items() if units],
        nonce=nonce,
    )


def leaf_of_wager(terms: str, seat: RoundSeat, currency: str) -> bytes:
    """Return the leaf of a confirmed wager."""
    raised, signature = seat.raised or {}, seat.signature
    asked = {spot: units - raised.get(spot, 0) for spot, units in (seat.stakes or {}).items()}
    if signature is None:
        return wager_leaf(bytes_to_sign(terms, seat, asked, currency))
    wager = bytes_to_sign(terms, seat, asked, currency, nonce=bytes.fromhex(signature.nonce))
    return wager_leaf(wager, public_key=bytes.fromhex(signature.public_key))
