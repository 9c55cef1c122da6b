"""Expected settlements are cached per rules, and equal those of the payout rules."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baccarat.audit import traces
from baccarat.audit.report import FindingCollector
from baccarat.audit.traces import TableTrace
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.payouts import InvalidStake, settle
from baccarat.domain.rules.recorded import record
from baccarat.domain.tables.events import TableOpened
from casino.kernel.money import MoneyType
from tests.support.examples import AC, BIG, CLASSIC, MINI, OPERATOR, OVERVIEW, TABLE, B, P, T
from tests.support.spots import COUPS

STAKES = st.dictionaries(st.sampled_from([P, B, T]), st.integers(1, 5), min_size=1)


def table(rules):
    event = TableOpened(
        TABLE,
        OPERATOR,
        "One",
        record(rules),
        (MoneyType.PLAY,),
        (),
        datetime(2026, 1, 2, tzinfo=UTC),
        (),
        0,
        "",
        None,
        listed=True,
        brands=(),
    )
    return TableTrace(event, FindingCollector(), version=1)


@given(
    wagers=st.lists(st.tuples(st.sampled_from([AC, OVERVIEW, MINI, CLASSIC, BIG]), STAKES, st.sampled_from(Outcome))),
    size=st.integers(1, 8),
)
def test_a_cached_settlement_equals_a_computed_one_for_any_rules(wagers, size):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traces, "MAX_CACHED_SETTLEMENTS", size)
        for rules, stakes, outcome in wagers * 2:
            assert table(rules).expected_settlement(stakes, COUPS[outcome]) == settle(rules, stakes, COUPS[outcome])


def test_rules_that_differ_in_one_field_do_not_share_cached_settlements():
    other = replace(MINI, spots=CLASSIC.spots)
    assert table(MINI).expected_settlement({T: 100}, COUPS[Outcome.TIE]).won == 800
    assert table(other).expected_settlement({T: 100}, COUPS[Outcome.TIE]).won == 900


def test_an_invalid_stake_is_refused_each_time():
    for _ in range(2):
        with pytest.raises(InvalidStake):
            table(MINI).expected_settlement({P: 0}, COUPS[Outcome.PLAYER])


def test_the_cache_of_settlements_is_bounded():
    trace = table(replace(MINI, version=77))
    for stake in range(1, 2 * traces.MAX_CACHED_SETTLEMENTS):
        trace.expected_settlement({P: stake}, COUPS[Outcome.PLAYER])
    assert len(traces._settlements(trace.rules)) <= traces.MAX_CACHED_SETTLEMENTS
