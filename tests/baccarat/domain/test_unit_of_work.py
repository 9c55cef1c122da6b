"""A work keeps states, versions and pages of events in step."""

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
    """Return a unit of work of a table with Ann in seat 1."""
    work = UnitOfWork(table=INITIAL, table_version=0)
    work.decide_on_table(open_table())
    work.decide_on_table(tc.TakeSeat(player=ANN, seat=1, money_type=MoneyType.REAL, buy_in=0, available=0, now=OPENED))
    return work


def in_round() -> UnitOfWork:
    """Return the same with an open round."""
    work = at_table()
    facts = opened(ANN)
    work.open_round(
        rc.OpenRound(
            round=ROUND,
            table=TABLE,
            operator=OPERATOR,
            number=1,
            rules=facts.rules,
            rules_label=facts.rules_label,
            shoe=SHOE,
            commitment=None,
            seats=facts.seats,
            now=OPENED,
            deadline_at=DEADLINE,
            terms=facts.terms,
        )
    )
    return work


def test_events_of_one_stream_share_a_page_with_the_version_they_build_on() -> None:
    work = in_round()
    work.decide_on_round(place(P, 500))

    assert [(page.stream, page.expected_version, len(page.events)) for page in work.changes] == [
        (f"table-{TABLE}", 0, 2),
        (f"round-{ROUND}", 0, 2),
    ]
    assert (work.table_version, work.round_version) == (2, 2)
    assert work.changed_rounds == {ROUND: (work.round, 2)}


def test_a_round_moves_its_table_too() -> None:
    work = in_round()

    in_hand = work.table.round
    work.decide_on_round(rc.PassTurn(player=ANN, now=OPENED))
    work.decide_on_round(deal())
    assert (in_hand, work.table.round, work.table.rounds) == (ROUND, None, 1)


def test_a_refusal_notes_nothing() -> None:
    work = in_round()
    before = (work.table, work.round, work.round_version, [list(page.events) for page in work.changes])

    with pytest.raises(NotYourTurn):
        work.decide_on_round(place(P, 500, by=BEN))

    assert (work.table, work.round, work.round_version, [list(p.events) for p in work.changes]) == before


def test_a_command_that_changes_nothing_leaves_no_page() -> None:
    written = at_table()
    work = UnitOfWork(table=written.table, table_version=2)

    work.decide_on_table(tc.ChangeSeat(player=ANN, seat=1, now=OPENED))

    assert (work.changes, work.table_version, work.changed_rounds) == ([], 2, {})


def test_what_was_loaded_is_remembered() -> None:
    written = in_round()
    work = UnitOfWork(table=written.table, table_version=2, round=written.round, round_version=1)

    work.decide_on_table(tc.Rebuy(player=ANN, amount=500, available=500, now=OPENED))
    work.decide_on_round(place(P, 500))

    assert (work.loaded_table, work.loaded_round) == (written.table, written.round)
    assert (work.loaded_version, work.table_version) == (2, 3)
    assert work.round != work.loaded_round != NO_ROUND
