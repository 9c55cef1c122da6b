"""A side bet that a data file describes, from the table's rules to its money, sentences, reports, proof and audit.

Its cards are honest: the table is played until "Lucky nine" wins.
"""

import json
from collections.abc import Generator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import override_settings
from pytest_django import DjangoDbBlocker, Settings

from baccarat.audit.engine import run_audit
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.coups import Coup
from baccarat.domain.rules.deal import replay
from baccarat.domain.rules.payouts import StakeResult
from baccarat.proofs import verifier
from baccarat.proofs.export import export_round
from baccarat.proofs.house import trusted_keys
from baccarat.queries.narrative import NarratedTable, narrate
from baccarat.reports import days
from baccarat.reports.performance import PERFORMANCE
from casino.checkpoints import signing
from casino.events import sealer
from casino.events.sql import database_now, fetch
from casino.operators import services
from casino.reports.definition import ReportScope
from tests.baccarat.services.witnessing import pin, witnessing
from tests.services import Services
from tests.support.house import BUY_IN, At, House, deal_all, fresh_database
from tests.support.spots import lucky_nine

STAKES = {"player": 1000, "lucky_nine": 100}
MOST_ROUNDS = 600
"""It wins in one of 23, so that this many without a win do not happen."""


@dataclass(frozen=True, slots=True)
class Evening:
    house: House
    ann: At
    rounds: tuple[RoundState, ...]

    @property
    def won(self) -> RoundState:
        """The last round, which the side bet wins."""
        return self.rounds[-1]

    @property
    def returned(self) -> int:
        """What came back of the side bet."""
        return sum(result_of(each, "lucky_nine").returned for each in self.rounds)


def result_of(round_: RoundState, spot: str):
    (seat,) = round_.seats
    return next(result for result in seat.settlement.results if result.spot == spot)


@pytest.fixture(scope="module")
def evening(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Evening]:
    """Play until the side bet wins; seal and sign."""
    with fresh_database(services, django_db_blocker), override_settings(CHECKPOINT_STORAGE=""):
        yield play()


def play() -> Evening:
    operator = services.create_operator(slug="nine", name="Nine", currencies=["EUR"], sandbox=True).id
    house = House(operator=operator)
    table = house.table("mini", spots=lucky_nine())
    ann, rounds = house.seated(table), list[RoundState]()
    while not rounds or result_of(rounds[-1], "lucky_nine").result is not StakeResult.WIN:
        assert len(rounds) < MOST_ROUNDS
        ann.deal(STAKES)
        deal_all()
        rounds.append(house.last(table))
    sealer.seal_all()
    signing.sign_now()
    return Evening(house, ann, tuple(rounds))


def test_it_pays_twenty_to_one_when_player_wins_with_three_cards_on_nine(evening: Evening) -> None:
    coup = Coup.of(replay(evening.won.cards))
    assert (coup.winner, coup.player_points, coup.player_cards) == ("player", 9, 3)
    assert result_of(evening.won, "lucky_nine").returned == 2100
    assert evening.returned == 2100
    net = sum(seat.settlement.returned - seat.settlement.staked for each in evening.rounds for seat in each.seats)
    assert evening.house.game(evening.ann) == BUY_IN + net
    evening.house.agree(evening.ann.guest.table)


def test_its_sentence_names_the_line_that_decided(evening: Evening) -> None:
    table = evening.ann.guest.table
    stream = f"round-{evening.won.require_opened().round}"
    events = [(number, event) for number, each, event in evening.house.events(table) if each == stream]
    told = [line.text for line in narrate(NarratedTable("A table", evening.house.state(table).rules), events)]
    assert (
        "Seat 1: 1.00 on Lucky nine won 20.00 at 20:1 as player cards are 3 and player points are 9 and winner is "
        "player." in told
    )


def test_its_report_has_a_row_with_its_own_return(evening: Evening) -> None:
    now, position = database_now(), fetch("SELECT max(position) FROM events_seal")[0][0]
    scope = ReportScope(evening.house.operator, True, now - timedelta(hours=1), now + timedelta(hours=1), position)
    names = [column.name for column in PERFORMANCE.columns]
    rows = {row[names.index("spot")]: dict(zip(names, row, strict=True)) for row in PERFORMANCE.read(scope).rows}
    assert list(rows) == ["player", "banker", "tie", "lucky_nine", "all"]
    side, count = rows["lucky_nine"], len(evening.rounds)
    assert (side["spot_title"], side["rounds"], side["wagers"]) == ("Lucky nine", count, count)
    assert (side["handle"], side["returned"]) == (100 * count, evening.returned)
    assert (rows["banker"]["handle"], rows["all"]["handle"]) == (0, 1100 * count)

    today = days.today([evening.house.operator])
    read = days.read_days([evening.house.operator], first=today - timedelta(days=1), last=today)
    (figures,) = (each for each in read.figures.values() if each.handle)
    assert figures.handle == 1100 * count
    assert figures.returned == rows["all"]["returned"]


def test_its_proof_is_verified_and_a_full_audit_finds_nothing(
    evening: Evening, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    audited = run_audit(max_wait=3600)
    assert audited.findings == ()
    assert audited.rounds >= len(evening.rounds)
    with witnessing(tmp_path / "witness", settings, monkeypatch):
        evening.house.player()
        pin()
        exported = export_round(
            round_=evening.won.require_opened().round, operator=evening.house.operator, viewer=evening.ann.player
        )
        assert verifier.verify(json.dumps(exported).encode(), trusted_keys())["verdict"] == "verified"
