"""A dealer killed before each statement, around its commit and before its answer: another dealer finishes."""

from uuid import UUID

import pytest

from baccarat.audit import engine
from casino.events.sealer import seal_all
from casino.events.sql import fetch
from tests.conftest import Database
from tests.dying import KILLED, SURVIVED, dying
from tests.services import SHOE_KEYS
from tests.support.books import NOT_POSTED_ONCE, NOT_SETTLED_ONCE
from tests.support.examples import B, P, T
from tests.support.house import At, House, until

FEWEST_STATEMENTS = 6


class Hall:
    """A table of each preset with one player."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.tables = [house.table(preset) for preset in ("mini", "classic", "atlantic_city", "big_table")]
        self.players: list[At] = [house.seated(table) for table in self.tables]
        self.bets = 0

    def bet(self) -> None:
        """Confirm a wager of every player, so that a round is due at every table."""
        self.bets += 1
        for player in self.players:
            player.deal({(P, B, T)[self.bets % 3]: 2500})

    def settled(self) -> list[int]:
        """Return the number of settled rounds of each table."""
        return [self._settled(table) for table in self.tables]

    def _settled(self, table: UUID) -> int:
        last = self.house.state(table).last_round
        return 0 if last is None else self.house.round(last).require_opened().number

    def finish(self) -> None:
        """Let another dealer settle what is due."""
        until(lambda: self.settled() == [self.bets] * len(self.tables))


def test_a_dealer_killed_at_any_moment_leaves_a_whole_settlement_or_none(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("django.conf.settings.SHOE_KEYS", SHOE_KEYS)
    hall = Hall(House())
    moments = 0
    with dying("baccarat.services.dealing:deal_due", database.environment) as dies_at:
        ended = KILLED
        while ended == KILLED:
            moments += 1
            hall.bet()
            ended = dies_at(moments)
            done = hall.bets if ended == SURVIVED else hall.bets - 1
            assert hall.settled() == [done] * len(hall.tables)
            hall.finish()
        assert ended == SURVIVED
        for moment in ("commit", "committed", "done"):
            hall.bet()
            assert dies_at(moment) == KILLED
            done = hall.bets - 1 if moment == "commit" else hall.bets
            assert hall.settled() == [done] * len(hall.tables)
            hall.finish()
    assert moments > FEWEST_STATEMENTS
    assert fetch(NOT_SETTLED_ONCE) == []
    assert fetch(NOT_POSTED_ONCE) == []
    hall.house.agree(*hall.tables)
    seal_all()
    assert engine.run_audit().findings == ()
