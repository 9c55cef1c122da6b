"""Every event and every state comes back from its bytes as it went in."""

from datetime import UTC, datetime
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from baccarat.domain.rounds.events import RoundEvent
from baccarat.domain.rounds.state import RoundState
from baccarat.domain.rules.cards import FULL_DECK, Card
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.recorded import RecordedRules
from baccarat.domain.rules.table_rules import Ratio
from baccarat.domain.tables.events import TableEvent
from baccarat.domain.tables.state import TableState
from baccarat.storage import projections
from baccarat.storage.event_registry import CATALOGUE
from tests.support.depth import examples
from tests.support.shapes import as_json

pytestmark = pytest.mark.hypothesis

st.register_type_strategy(Card, st.sampled_from(FULL_DECK))
st.register_type_strategy(Ratio, st.builds(Ratio, st.integers(1, 100), st.integers(1, 100)))
st.register_type_strategy(datetime, st.datetimes(timezones=st.just(UTC)))
st.register_type_strategy(int, st.integers(-(2**53), 2**53))

RULES = [as_json(rules_for(preset, currency=currency)) for preset in PRESETS for currency in ("EUR", "JPY")]
st.register_type_strategy(RecordedRules, st.builds(RecordedRules, st.text(), st.sampled_from(RULES)))

quick = settings(max_examples=examples(15), suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("kind", [*get_args(RoundEvent), *get_args(TableEvent)], ids=lambda kind: kind.__name__)
def test_every_event_survives_its_storage(kind: type[Any]) -> None:
    @quick
    @given(st.from_type(kind))
    def survives(event: Any) -> None:
        draft = CATALOGUE.encode(event)
        assert CATALOGUE.decode(draft.type, draft.schema, draft.data) == event
        assert CATALOGUE.encode(CATALOGUE.decode(draft.type, draft.schema, draft.data)) == draft

    survives()


@quick
@given(st.from_type(RoundState))
def test_a_rounds_state_survives_its_row(state: RoundState) -> None:
    assert projections.decode_round(msgspec.json.encode(state)) == state


@quick
@given(st.from_type(TableState))
def test_a_tables_state_survives_its_row(state: TableState) -> None:
    assert projections.decode_table(msgspec.json.encode(state)) == state
