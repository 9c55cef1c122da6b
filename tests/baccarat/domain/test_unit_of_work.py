"""A work keeps states, versions and pages of events in step."""

import pytest

from baccarat.domain.rounds import betting
from baccarat.domain.rounds.refusals import NotYourTurn
from baccarat.domain.rounds.state import INITIAL as NO_ROUND
from baccarat.domain.tables import decisions
from baccarat.domain.tables.state import INITIAL
from baccarat.domain.unit_of_work import UnitOfWork
from tests.support.examples import (
    ANN,
    BEN,
    OPENED,
    ROUND,
    TABLE,
    P,
    deal,
    open_table,
    opened,
    place,
    sit,
)
from wallet.responsible_gaming.allowance import Allowance


def at_table() -> UnitOfWork:
    """Return a unit of work of a table with Ann in seat 1."""
    work = UnitOfWork(table=INITIAL, table_version=0)
    work.on_table(open_table())
    work.on_table(sit(1, ANN))
    return work


def in_round() -> UnitOfWork:
    """Return the same with an open round."""
    work = at_table()
    work.open_round(opened(ANN, commitment=None))
    return work


def test_events_of_one_stream_share_a_page_with_the_version_they_build_on() -> None:
    work = in_round()
    work.on_round(place(P, 500))

    assert [(page.stream, page.expected_version, len(page.events)) for page in work.changes] == [
        (f"table-{TABLE}", 0, 2),
        (f"round-{ROUND}", 0, 2),
    ]
    assert (work.table_version, work.round_version) == (2, 2)
    assert work.changed_rounds == {ROUND: (work.round, 2)}


def test_a_round_moves_its_table_too() -> None:
    work = in_round()

    in_hand = work.table.round
    work.on_round(betting.pass_turn, player=ANN, at=OPENED)
    work.on_round(deal())
    assert (in_hand, work.table.round, work.table.rounds) == (ROUND, None, 1)


def test_a_refusal_notes_nothing() -> None:
    work = in_round()
    before = (work.table, work.round, work.round_version, [list(page.events) for page in work.changes])

    with pytest.raises(NotYourTurn):
        work.on_round(place(P, 500, by=BEN))

    assert (work.table, work.round, work.round_version, [list(p.events) for p in work.changes]) == before


def test_a_command_that_changes_nothing_leaves_no_page() -> None:
    written = at_table()
    work = UnitOfWork(table=written.table, table_version=2)

    work.on_table(decisions.change_seat, player=ANN, seat=1, at=OPENED)

    assert (work.changes, work.table_version, work.changed_rounds) == ([], 2, {})


def test_what_was_loaded_is_remembered() -> None:
    written = in_round()
    work = UnitOfWork(table=written.table, table_version=2, round=written.round, round_version=1)

    work.on_table(decisions.rebuy, player=ANN, amount=500, allowance=Allowance(500), at=OPENED)
    work.on_round(place(P, 500))

    assert (work.loaded_table, work.loaded_round) == (written.table, written.round)
    assert (work.loaded_version, work.table_version) == (2, 3)
    assert work.round != work.loaded_round != NO_ROUND
