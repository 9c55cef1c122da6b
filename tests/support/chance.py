"""Seeds with a known outcome, so that a story can be told on purpose."""

from dataclasses import replace
from datetime import datetime
from functools import cache
from itertools import count

import pytest

from baccarat.domain import dealer
from baccarat.domain.dealer import Entropy
from baccarat.domain.fairness.commitment import commit
from baccarat.domain.fairness.cut import NO_CUT
from baccarat.domain.fairness.shuffle import Scheme, shuffle
from baccarat.domain.rules.deal import Outcome, deal
from baccarat.domain.rules.table_rules import TableRules
from baccarat.domain.unit_of_work import ShoeSeed, UnitOfWork
from baccarat.storage import repository, shoe_seeds
from casino.events.ids import new_id


@cache
def seed_for(outcome: Outcome, decks: int) -> bytes:
    """Find the lowest seed whose first round has this outcome."""
    for number in count():
        seed = number.to_bytes(32, "big")
        if deal(shuffle(seed, cut=NO_CUT, decks=decks, scheme=Scheme.OPEN_CUT, first=6)).outcome is outcome:
            return seed
    raise AssertionError


def fix(monkeypatch: pytest.MonkeyPatch, outcome: Outcome, rules: TableRules) -> bytes:
    """Make every shoe committed to from now on that one, and return its seed.

    A table with long shoes commits to its first one when it is opened. That of a round was named before: it is put in
    the place of the other as the round opens, which only an audit would find. Shoes follow the first scheme, where the
    order of one without contributions follows from the seed alone.
    """
    seed = seed_for(outcome, rules.decks)

    def fresh(journal: UnitOfWork, *, now: datetime, **_: object) -> Entropy:
        coming = next(iter(journal.table.committed_shoes()), None)
        if coming is not None and not journal.table.has_long_shoe() and coming.commitment != commit(seed):
            own = ShoeSeed(new_id(now), seed)
            shoe_seeds.delete([shoe.shoe for shoe in journal.table.committed_shoes()])
            shoe_seeds.store([own])
            fixed = replace(coming, shoe=own.shoe, commitment=commit(seed), scheme=Scheme.OPEN_CUT, contributions=())
            journal.table = replace(journal.table, terms=None, coming_shoe=None, next_shoe=fixed)
        return Entropy(round=new_id(now), shoe=new_id(now), seed=seed, blind=bytes(32), committed_seed=seed)

    monkeypatch.setattr(repository, "draw_entropy", fresh)
    monkeypatch.setattr(dealer, "NEWEST", Scheme.OPEN_CUT)
    return seed
