"""Rounds of a table with one witness, as far as their cards depend on house, players and witness, without a database.

A player bets on Player in each, and signs the wager over the terms that the page showed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final
from uuid import UUID

from baccarat.domain.fairness.closing import Closing, SeatClosing, SeatEnd, close, encode_wager, wager_leaf
from baccarat.domain.fairness.commitment import Drawing
from baccarat.domain.fairness.cut import Contribution
from baccarat.domain.fairness.links import LogHead, SignedRelease, check_release
from baccarat.domain.fairness.shuffle import Link, shuffle
from baccarat.domain.fairness.terms import Terms, WitnessIndex, close_cut, digest_cards
from baccarat.domain.rules.deal import Outcome, deal
from casino.crypto import ed25519
from casino.kernel.merkle import EMPTY
from casino.witness.statements import ChainHeader, ClosingKind, ClosingRequest, InvalidStatement
from tests.support.spots import chance_of

TABLE: Final = UUID("0199f3a2-5b7c-7e11-9a44-2f1d6f0c9e10")
DECKS: Final = 8
TARGET: Final = Outcome.BANKER
"""What the house aims at when the player has bet on Player."""
CHANCE: Final = chance_of(TARGET, DECKS)
BAND: Final = 3.2905
"""Standard deviations to both sides of the mean that hold 99.9 % of what chance does."""
PLAYER_PRIVATE: Final = b"\x61" * 32
PLAYER_KEY, SHILL_KEY = (b"\x01" + ed25519.public_key(each) for each in (PLAYER_PRIVATE, b"\x62" * 32))
NO_KEY: Final = b""
PLAYER: Final = UUID(int=1)
_STAKES: Final = [("player", 2500)]
_RULES: Final = "51" * 32


@dataclass(frozen=True, slots=True)
class Kept:
    """What the player's page keeps of a round: the terms it showed, and the wager that it signed over them."""

    terms: str
    nonce: bytes
    public_key: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class AimedRound:
    """A round as its house shows it at the end. `links` are of the table's witness, none at a table without."""

    number: int
    seed: bytes
    commitment: str
    witnesses: tuple[WitnessIndex, ...]
    contributions: tuple[Contribution, ...] = ()
    kept: Kept | None = None
    closing: Closing | None = None
    kind: ClosingKind = ClosingKind.PLAYED
    blind: bytes = bytes(32)
    closed_ms: int = 0
    release: SignedRelease | None = None
    cards: Sequence[str] = field(default=())

    def cut(self) -> bytes:
        return close_cut(commitment=self.commitment, witnesses=self.witnesses, contributions=self.contributions)

    def terms(self) -> str:
        """Return the digest of the terms as they are now."""
        return Terms(
            table=TABLE,
            number=self.number,
            shoe=UUID(int=self.number),
            next_place=0,
            cards=digest_cards(()),
            rules=_RULES,
            commitment=self.commitment,
            cut=self.cut().hex(),
            witnesses=self.witnesses,
            next_commitment="77" * 32,
        ).digest()

    def contribute(self, *added: Contribution) -> "AimedRound":
        return replace(self, contributions=(*self.contributions, *added))

    def draw(self, link: str) -> Sequence[str]:
        """Return the cards that follow from a link of the witness, if there is one."""
        links = [Link(each.chain, each.index, link) for each in self.witnesses]
        return shuffle(self.seed, cut=self.cut(), decks=DECKS, first=6, links=links)

    def hits(self, link: str = "") -> bool:
        """Return whether the round ends as the house wants it, by the cards of a link."""
        return deal(self.draw(link)).outcome is TARGET

    @property
    def hit(self) -> bool:
        """Whether the shown cards are as the house wants them."""
        return deal(self.cards).outcome is TARGET

    def bet(self, nonce: bytes, *, signed: bool = True) -> "AimedRound":
        """Take the player's wager, whose page keeps the terms that it is shown."""
        terms, key = self.terms(), PLAYER_KEY if signed else NO_KEY
        nonce = nonce if signed else bytes(32)
        signature = ed25519.sign(PLAYER_PRIVATE, _wager(terms, nonce)) if signed else b""
        return replace(self, kept=Kept(terms, nonce, key, signature))

    def close(self, *, blind: bytes, closed_ms: int, kind: ClosingKind = ClosingKind.PLAYED) -> "AimedRound":
        closing = replace(self, blind=blind, closed_ms=closed_ms, kind=kind)
        return replace(closing, closing=closing.computed_closing())

    def computed_closing(self) -> Closing:
        """Compute the closing over terms and wager as they are now."""
        terms, bets = self.terms(), self.kind is ClosingKind.PLAYED and self.kept is not None
        leaves = [wager_leaf(_wager(terms, self.kept.nonce), public_key=self.kept.public_key)] if bets else []
        return close(
            blind=self.blind,
            terms=terms,
            witnesses=self.witnesses,
            kind=self.kind,
            cause=0,
            leaves=leaves,
            seats=[SeatEnd(1, SeatClosing.DEALT if bets else SeatClosing.PASSED)],
            closed_at_us=self.closed_ms * 1000,
            sealed_head="33" * 32,
            before="44" * 32,
            cosigned=LogHead(0, EMPTY.hex()),
        )

    def request(self) -> ClosingRequest:
        """Return what the house asks its witness with."""
        (place,) = self.witnesses
        return ClosingRequest(bytes.fromhex(place.chain), place.index, self.kind, bytes.fromhex(self.closing.digest))

    def dealt(self, release: SignedRelease) -> "AimedRound":
        """Take the link, and show the cards."""
        return replace(self, release=release, cards=self.draw(release.link))

    def objections(self, header: ChainHeader) -> set[str]:
        """Return what a verifier, and the page of the player who bet, find wrong with the round."""
        found, kept, terms = set[str](), self.kept, self.terms()
        if not drawing(self.number).opens(self.commitment, self.seed):
            found.add("commitment")
        if kept is not None and terms != kept.terms:
            found.add("terms")
        if kept is not None and kept.public_key:
            wager, key = _wager(terms, kept.nonce), kept.public_key[1:]
            if not ed25519.is_signed(wager, kept.signature, public=key):
                found.add("wager")
        if self.closing != self.computed_closing():
            found.add("closing")
        (place,) = self.witnesses
        try:
            check_release(header, self.release, index=place.index, kind=self.kind, digest=self.closing.digest)
        except InvalidStatement:
            found.add("witnesses")
        if self.cards != self.draw(self.release.link):
            found.add("cards")
        return found


def drawing(number: int) -> Drawing:
    return Drawing(TABLE, UUID(int=number), number)


def committed(number: int, seed: bytes, header: ChainHeader | None) -> AimedRound:
    """Return a round of which the house has shown the commitment; its witness's index is one below its number."""
    witnesses = () if header is None else (WitnessIndex(header.chain.hex(), number - 1),)
    return AimedRound(number, seed, drawing(number).commit(seed), witnesses)


def contribution(chance: Random, *, seat: int, public_key: bytes = NO_KEY) -> Contribution:
    """Make a contribution, by somebody who signs it if there is a key."""
    return Contribution(seat, chance.randbytes(16).hex(), public_key.hex())


def is_chance(hits: int, rounds: int) -> bool:
    """Return whether so many hits lie in the band of 99.9 %."""
    mean, deviation = rounds * CHANCE, (rounds * CHANCE * (1 - CHANCE)) ** 0.5
    return abs(hits - mean) <= BAND * deviation


def _wager(terms: str, nonce: bytes) -> bytes:
    return encode_wager(
        terms=terms,
        wager=UUID(int=1),
        player=PLAYER,
        seat=1,
        play_money=False,
        currency="EUR",
        stakes=_STAKES,
        nonce=nonce,
    )
