"""Commitments to a shoe, published before its first bet: the hash of its seed, and the root over all its cards.

The root commits to the whole order. A dealt card is opened with its salt and its path in the tree. The salts of the
other cards stay as secret as the seed, so the paths reveal nothing about cards not yet dealt.
"""

import hashlib
import hmac
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.shuffle import Link, require_seed, shuffle
from baccarat.domain.rules.cards import Card
from casino.kernel import merkle

DRAWING_TAG: Final = b"casino.baccarat.commitment.v2\x00"
CARD_TAG: Final = b"casino.baccarat.card.v1\x00"
SALT_TAG: Final = b"casino.baccarat.salt.v1\x00"

_NUMBER: Final = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a seed is committed to: the table's shoe with this number."""

    table: UUID
    shoe: UUID
    number: int

    def commit(self, seed: bytes) -> str:
        """Return the commitment to the seed of this drawing, in hex. Raises MalformedSeed.

        SHA-256 over the tag, the seed, both ids and the number in 8 bytes: one seed opens it at one place only.
        """
        place = self.table.bytes + self.shoe.bytes + _NUMBER.pack(self.number)
        return hashlib.sha256(DRAWING_TAG + require_seed(seed) + place).hexdigest()

    def opens(self, commitment: str | None, seed: bytes) -> bool:
        """Return whether a revealed seed matches the commitment. Raises MalformedSeed."""
        return commitment is not None and hmac.compare_digest(self.commit(seed).encode(), commitment.encode())


class NoSuchCard(ValueError):
    """The shoe has no card at this position."""


@dataclass(frozen=True, slots=True)
class CardOpening:
    """One card with its position (from 0), its salt and the hashes up to the root, in hex."""

    shoe_position: int
    card: Card
    salt: str
    path: tuple[str, ...]


def card_salt(seed: bytes, position: int) -> bytes:
    """Return the salt of the card at a position: HMAC-SHA-256 keyed with the seed. Raises MalformedSeed."""
    return hmac.new(require_seed(seed), SALT_TAG + _NUMBER.pack(position), "sha256").digest()


def card_leaf(position: int, card: Card, salt: bytes) -> bytes:
    """Return a card's leaf hash: over the tag, the position, the card's two letters, and the salt."""
    return merkle.leaf_hash(CARD_TAG + _NUMBER.pack(position) + card.encode("ascii") + salt)


def shoe_root(seed: bytes, *, cut: bytes, decks: int, links: Sequence[Link] = ()) -> str:
    """Return the Merkle root (RFC 9162) of a whole shoe in hex. Raises MalformedSeed, InvalidCardCount."""
    return merkle.root(_leaves(seed, shuffle(seed, cut=cut, decks=decks, links=links))).hex()


def open_cards(
    seed: bytes, *, cut: bytes, decks: int, positions: Sequence[int], links: Sequence[Link] = ()
) -> tuple[CardOpening, ...]:
    """Open only the cards at these positions. Raises NoSuchCard, MalformedSeed, InvalidCardCount."""
    cards = shuffle(seed, cut=cut, decks=decks, links=links)
    if not all(0 <= position < len(cards) for position in positions):
        raise NoSuchCard(f"A shoe of {len(cards)} cards does not have all of the positions {list(positions)}.")
    leaves = _leaves(seed, cards)
    return tuple(
        CardOpening(
            shoe_position=position,
            card=cards[position],
            salt=card_salt(seed, position).hex(),
            path=tuple(sibling.hex() for sibling in merkle.path(leaves, position)),
        )
        for position in positions
    )


def _leaves(seed: bytes, cards: Sequence[Card]) -> list[bytes]:
    return [card_leaf(position, card, card_salt(seed, position)) for position, card in enumerate(cards)]
