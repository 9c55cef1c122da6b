"""Checks cards against the seed that was committed to before the first bet."""

from baccarat.audit.traces import CommittedShoe, LongShoe, RoundTrace, TableTrace
from baccarat.domain.fairness.commitment import commit
from baccarat.domain.fairness.openings import shoe_root
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.fairness.stream import SEED_BYTES
from baccarat.domain.rules.cards import Card

NOT_OPENED = "seed does not open the commitment"
OTHER_CARDS = "cards are not the shoe's"
OTHER_ROOT = "root is not the shoe's"


def check_seed(round_: RoundTrace) -> None:
    """Check the seed that a round's last event revealed against commitment and cards.

    A long shoe's seed stays secret until the shoe ends. Raises NoSuchCount for impossible numbers of cards or decks.
    """
    seed, cards = round_.seed, round_.cards
    if round_.table.has_long_shoe:
        if seed is not None:
            round_.record_difference("seed revealed early", "nothing before the shoe ends", "a seed")
        return
    found = parse_seed(seed)
    if found is None:
        round_.record_difference("seed missing", "the shoe's seed", seed)
        return
    commitment = commit(found)
    if commitment != round_.opened.commitment:
        round_.record_difference(NOT_OPENED, round_.opened.commitment, commitment)
    if cards:
        due = shuffle(found, cut=bytes.fromhex(round_.cut or ""), decks=round_.rules.decks, first=len(cards))
        if due != cards:
            round_.record_difference(OTHER_CARDS, " ".join(due), " ".join(cards))


def check_revealed_seed(table: TableTrace, shoe: LongShoe | CommittedShoe, seed: bytes) -> None:
    """Check the seed of a long shoe, and, if it started, all cards dealt from it."""
    if isinstance(shoe, LongShoe):
        check_shoe(table, shoe, seed)
    elif commit(seed) != shoe.commitment:
        table.record_difference(NOT_OPENED, shoe.commitment, commit(seed))


def check_shoe(table: TableTrace, shoe: LongShoe, seed: bytes) -> None:
    """Check a long shoe's root and all cards dealt from it, round by round, against its seed and cut."""
    commitment, cut = commit(seed), bytes.fromhex(shoe.cut)
    if commitment != shoe.commitment:
        table.record_difference(NOT_OPENED, shoe.commitment, commitment)
    due_root = shoe_root(seed, cut=cut, decks=table.rules.decks)
    if due_root != shoe.root:
        table.record_difference(OTHER_ROOT, due_root, shoe.root)
    cards = shuffle(seed, cut=cut, decks=table.rules.decks, first=_most(table, shoe))
    if shoe.first_card is not None and shoe.first_card != cards[0]:
        table.record_difference("turned card is not the shoe's", cards[0], shoe.first_card)
    for position, found, round_ in shoe.deals:
        due = cards[position : position + len(found)]
        if due != found:
            table.collector.add(
                OTHER_CARDS, f"round {round_}, {_places(position, found)}", " ".join(due), " ".join(found)
            )


def parse_seed(digits: str | None) -> bytes | None:
    """Parse a seed in hex; None if it is malformed."""
    try:
        seed = bytes.fromhex(digits or "")
    except ValueError:
        return None
    return seed if len(seed) == SEED_BYTES else None


def _most(table: TableTrace, shoe: LongShoe) -> int:
    """Return how many cards of the order are needed, at most those of the shoe."""
    return min(max(shoe.cards_used, 1), 52 * table.rules.decks)


def _places(position: int, cards: tuple[Card, ...]) -> str:
    return f"places {position} to {position + len(cards) - 1}"
