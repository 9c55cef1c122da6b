"""Seeds of rounds with a shoe of their own, tried in few steps: the commitment opened, and the first cards drawn."""

import struct
from hashlib import sha256
from typing import Final

from baccarat.audit.plain.rounds import PlainRound
from baccarat.domain.fairness.commitment import COMMITMENT_TAG
from baccarat.domain.fairness.shuffle import WORD_RANGE
from baccarat.domain.fairness.stream import BLOCK_TAG, SEED_BYTES
from baccarat.domain.rules.cards import FULL_DECK, Card

_NUMBER: Final = struct.Struct(">Q")
_WORDS: Final = struct.Struct(">8I").unpack
_FIRST_BLOCK: Final = BLOCK_TAG + bytes(16)
"""What `fairness.stream` hashes for the first block without a cut: its tag, a length of zero, the counter zero."""
_REFUSED: Final[dict[int, tuple[tuple[int, int], ...]]] = {
    decks: tuple((52 * decks - place, WORD_RANGE - WORD_RANGE % (52 * decks - place)) for place in range(6))
    for decks in range(1, 17)
}
"""For each number of decks and each of the first places: the cards that are left, and the words that are refused."""
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
_INNER_PAD, _OUTER_PAD = (bytes([pad]) * (64 - SEED_BYTES) for pad in (0x36, 0x5C))


def opens(round_: PlainRound) -> bool:
    """Tell whether the revealed seed of an ended round is what it should be; where not, nothing is said why.

    False as well where that takes more than the stream's first block: then `check_seed` must judge.
    """
    settled = round_.settled
    if settled is None or round_.table.has_long_shoe:
        return settled is not None and settled.seed is None
    try:
        seed = bytes.fromhex(settled.seed or "")
    except ValueError:
        return False
    if len(seed) != SEED_BYTES or round_.opened.commitment != _commitment(seed):
        return False
    cut = b"" if round_.closed is None else bytes.fromhex(round_.closed.cut)
    return first_cards(seed, cut=cut, decks=round_.table.rules.decks, count=len(round_.cards)) == round_.cards


def _commitment(seed: bytes) -> str:
    return sha256(COMMITMENT_TAG + seed).hexdigest()


def first_cards(seed: bytes, *, cut: bytes, decks: int, count: int) -> tuple[Card, ...] | None:
    """Draw up to six cards of a shoe as `fairness.shuffle.order` does; None where a word is refused.

    `seed` is 32 bytes.
    """
    places = _REFUSED.get(decks)
    if places is None or count > len(places):
        return None
    first = _FIRST_BLOCK if not cut else b"".join((BLOCK_TAG, _NUMBER.pack(len(cut)), cut, _NUMBER.pack(0)))
    moved: dict[int, int] = {}
    cards = []
    for place, word, (below, refused) in zip(range(count), _WORDS(_hmac(seed, first)), places, strict=False):
        if word >= refused:
            return None
        chosen = place + word % below
        cards.append(FULL_DECK[moved.get(chosen, chosen) % 52])
        moved[chosen] = moved.get(place, place)
    return tuple(cards)


def _hmac(key: bytes, text: bytes) -> bytes:
    """HMAC-SHA-256 (RFC 2104) with a key of `SEED_BYTES`: for so short a text the library's takes twice as long."""
    inner = sha256(b"".join((key.translate(_INNER), _INNER_PAD, text))).digest()
    return sha256(b"".join((key.translate(_OUTER), _OUTER_PAD, inner))).digest()
