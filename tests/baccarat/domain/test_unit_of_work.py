"""A journal keeps states, versions and pages of events in step."""

import pytest

from baccarat.domain.rounds import commands as rc
from baccarat.domain.rounds.refusals import NotYourTurn
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.tables import commands as tc
from baccarat.domain.tables.state import INITIAL
from baccarat.domain.unit_of_work import UnitOfWork
from casino.kernel.money import MoneyType
from tests.support.examples import (
    ANN,
    BEN,
    DEADLINE,
    OPENED,
    OPERATOR,
    ROUND,
    SHOE,
    TABLE,
    P,
    deal,
    open_table,
    opened,
    place,
)


def at_table() -> UnitOfWork:
    """A journal of a table with Ann in seat 1."""
    journal = UnitOfWork(table=INITIAL, table_version=0)
    journal.decide_on_table(open_table())
    journal.decide_on_table(
        tc.TakeSeat(player=ANN, seat=1, money_type=MoneyType.REAL, buy_in=0, available=0, now=OPENED)
    )
    return journal


def in_round() -> UnitOfWork:
    """The same with a round open."""
    journal = at_table()
    facts = opened(ANN)
    journal.open_round(
        rc.OpenRound(
            round=ROUND,
            table=TABLE,
            operator=OPERATOR,
            number=1,
            rules=facts.rules,
            shoe=SHOE,
            commitment=None,
            seats=facts.seats,
            now=OPENED,
            deadline_at=DEADLINE,
        )
    )
    return journal


def test_events_of_one_stream_share_a_page_with_the_version_they_build_on() -> None:
    journal = in_round()
    journal.decide_on_round(place(P, 500))

    assert [(page.stream, page.expected_version, len(page.events)) for page in journal.changes] == [
        (f"table-{TABLE}", 0, 2),
        (f"round-{ROUND}", 0, 2),
    ]
    assert (journal.table_version, journal.round_version) == (2, 2)
    assert journal.changed_rounds == {ROUND: (journal.round, 2)}


def test_a_round_moves_its_table_too() -> None:
    journal = in_round()

    in_hand = journal.table.round
    journal.decide_on_round(rc.PassTurn(player=ANN, now=OPENED))
    journal.decide_on_round(deal())
    assert (in_hand, journal.table.round, journal.table.rounds) == (ROUND, None, 1)


def test_a_refusal_notes_nothing() -> None:
    journal = in_round()
    before = (journal.table, journal.round, journal.round_version, [list(page.events) for page in journal.changes])

    with pytest.raises(NotYourTurn):
        journal.decide_on_round(place(P, 500, by=BEN))

    assert (journal.table, journal.round, journal.round_version, [list(p.events) for p in journal.changes]) == before


def test_a_command_that_changes_nothing_leaves_no_page() -> None:
    written = at_table()
    journal = UnitOfWork(table=written.table, table_version=2)

    journal.decide_on_table(tc.ChangeSeat(player=ANN, seat=1, now=OPENED))

    assert (journal.changes, journal.table_version, journal.changed_rounds) == ([], 2, {})


def test_what_was_loaded_is_remembered() -> None:
    written = in_round()
    journal = UnitOfWork(table=written.table, table_version=2, round=written.round, round_version=1)

    journal.decide_on_table(tc.Rebuy(player=ANN, amount=500, available=500, now=OPENED))
    journal.decide_on_round(place(P, 500))

    assert (journal.loaded_table, journal.loaded_round) == (written.table, written.round)
    assert (journal.loaded_version, journal.table_version) == (2, 3)
    assert journal.round != journal.loaded_round != NO_ROUND
