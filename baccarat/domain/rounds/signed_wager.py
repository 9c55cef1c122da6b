"""The bytes of a seat's wager, which its player may sign, and its leaf in the closing. Pure."""

from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.closing import PaidLine, encode_wager, wager_leaf
from baccarat.domain.rounds.events import RoundOpened
from baccarat.domain.rounds.state import RoundSeat
from baccarat.domain.rules.payouts import SpotResult
from baccarat.domain.rules.table_rules import TableRules
from casino.kernel.money import MoneyType

ED25519: Final = "01"
"""Before the digits of a public key."""
PUBLIC_KEY_BYTES: Final = 33
NONCE_BYTES: Final = 32
UNSIGNED: Final = bytes(NONCE_BYTES)
"""The nonce of a caller that does not sign."""


def listed(stakes: Mapping[str, int], rules: TableRules) -> list[tuple[str, int]]:
    """List stakes as they are signed: by the names of spots, in the rules' order."""
    return [(spot, stakes[spot]) for spot in rules.spot_names if stakes.get(spot)]


def wager_id(round_: UUID, seat: int) -> UUID:
    """Name a wager: its round's id plus its seat, so that those of a round lie together."""
    return UUID(int=round_.int + seat)


def paid(results: Iterable[SpotResult]) -> list[PaidLine]:
    """List what stakes returned as it is signed."""
    return [(each.spot, each.stake, each.result.value, each.returned, each.commission) for each in results]


def bytes_to_sign(
    opened: RoundOpened, seat: RoundSeat, asked: Mapping[str, int], rules: TableRules, *, nonce: bytes = UNSIGNED
) -> bytes:
    """Return the bytes of a seat's wager in a round; `asked` are its stakes before any was raised."""
    return encode_wager(
        terms=opened.terms,
        wager=wager_id(opened.round, seat.seat),
        player=seat.player,
        seat=seat.seat,
        play_money=seat.money_type is MoneyType.PLAY,
        currency=rules.currency,
        stakes=listed(asked, rules),
        nonce=nonce,
    )


def leaf_of_wager(opened: RoundOpened, seat: RoundSeat, rules: TableRules) -> bytes:
    """Return the leaf of a confirmed wager."""
    raised, signature = seat.raised or {}, seat.signature
    asked = {spot: units - raised.get(spot, 0) for spot, units in (seat.stakes or {}).items()}
    if signature is None:
        return wager_leaf(bytes_to_sign(opened, seat, asked, rules))
    wager = bytes_to_sign(opened, seat, asked, rules, nonce=bytes.fromhex(signature.nonce))
    return wager_leaf(wager, public_key=bytes.fromhex(signature.public_key))
