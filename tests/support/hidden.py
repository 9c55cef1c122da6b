"""What nobody may find before its time: the seeds of shoes in play and the cards still in them, in every spelling."""

import base64
from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from baccarat.domain.fairness.shuffle import round_seed, shuffle
from baccarat.domain.rules.cards import FULL_DECK, Card
from baccarat.domain.tables.shoes import contributions_and_cut
from baccarat.domain.tables.state import Shoe, TableState
from baccarat.storage import projections, shoe_seeds
from casino.events.sql import fetch

RUN = 5
"""Cards in a row that are looked for: fewer may stand side by side by chance."""
SEPARATORS = ("", " ", ",", ", ", '","', '", "', "', '", "','", "\n", " · ")


@dataclass(frozen=True, slots=True)
class Hidden:
    """A shoe in play: its seed, and the cards still in it if it were cut now."""

    shoe: UUID
    seed: bytes
    undealt: tuple[Card, ...]

    def spellings(self) -> Iterator[bytes]:
        """Every form in which a leak could be spelt."""
        seed = self.seed
        yield seed
        for text in (seed.hex(), seed.hex().upper(), seed.hex(" "), seed.hex(":"), str(list(seed)), repr(seed)):
            yield text.strip("[]").encode()
        yield str(int.from_bytes(seed, "big")).encode()
        yield str(int.from_bytes(seed, "little")).encode()
        for shift in range(3):  # wherever in a longer text it begins
            yield base64.b64encode(bytes(shift) + seed)[4:-4]
            yield base64.urlsafe_b64encode(bytes(shift) + seed)[4:-4]
        numbers = [FULL_DECK.index(card) for card in self.undealt]
        for start in {0, 1, 2, 6, 40, len(self.undealt) - RUN}:
            cards = self.undealt[start : start + RUN]
            yield from (separator.join(cards).encode() for separator in SEPARATORS)
            yield ", ".join(map(str, numbers[start : start + 8])).encode()
            yield ",".join(map(str, numbers[start : start + 8])).encode()


def in_play() -> list[Hidden]:
    """Return every secret shoe in this database: of running rounds, long ones in play, and committed ones.

    Of a long one without a fixed order, that is also what its next rounds draw by, and what the next one would draw.
    """
    found: list[tuple[UUID, bytes, int, int]] = []
    drawing: list[tuple[TableState, Shoe]] = []
    for state, round_state in fetch("SELECT state::text, round_state::text FROM baccarat_table"):
        table = projections.decode_table(state)
        decks = table.rules.decks
        if table.shoe is not None:
            shoe = table.shoe
            found.append((shoe.shoe, bytes.fromhex(shoe.cut), decks, shoe.cards_used))
            if table.rules.draws_by_round:
                drawing.append((table, shoe))
        elif round_state is not None:
            running = projections.decode_round(round_state)
            opened = running.require_opened()
            found.append((opened.shoe, bytes.fromhex(running.cut or ""), decks, 0))
        found.extend(
            (coming.shoe, bytes.fromhex(contributions_and_cut(coming)[1]), decks, 0)
            for coming in table.committed_shoes()
        )
    seeds = shoe_seeds.decrypt([shoe for shoe, *_ in found])
    secret = [
        Hidden(shoe, seeds[shoe], shuffle(seeds[shoe], cut=mixed, decks=decks)[out:])
        for shoe, mixed, decks, out in found
    ]
    return [*secret, *(each for table, shoe in drawing for each in _next_draws(table, shoe, seeds[shoe.shoe]))]


def _next_draws(table: TableState, shoe: Shoe, seed: bytes) -> Iterator[Hidden]:
    out, cut = [Card(card) for card in shoe.cards.split()], bytes.fromhex(shoe.cut)
    first = table.rounds if table.round is not None else table.rounds + 1
    for number in (first, first + 1):
        own = round_seed(seed, number)
        yield Hidden(shoe.shoe, own, shuffle(own, cut=cut, decks=table.rules.decks, out=out))


def leaks(heap: bytes | str, secrets: list[Hidden]) -> list[tuple[UUID, bytes]]:
    """Return the encodings of secret shoes that occur in these bytes."""
    where = heap.encode() if isinstance(heap, str) else heap
    return [(each.shoe, spelt) for each in secrets for spelt in each.spellings() if spelt in where]
