"""Rules as they were recorded."""

import pytest

from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.recorded import RecordedRules, digest_of, record
from baccarat.domain.rules.validation import InvalidRules, validate


def test_recorded_rules_are_those_that_were_recorded() -> None:
    for preset in PRESETS:
        rules = rules_for(preset, currency="EUR")
        assert record(rules).decoded == rules


def test_rules_outside_of_todays_bounds_can_still_be_read_but_not_published() -> None:
    values = {**record(rules_for("mini", currency="EUR")).values, "decks": 12, "turn_seconds": 9999}
    values["show_milliseconds"] = {**values["show_milliseconds"], "natural": 90_000}
    recorded = RecordedRules(digest_of(values), values)
    assert (recorded.decoded.decks, recorded.decoded.turn_seconds) == (12, 9999)
    assert recorded.decoded.show_milliseconds.natural == 90_000
    with pytest.raises(InvalidRules):
        validate(recorded.decoded)


@pytest.mark.parametrize(
    "damage", [{"decks": "eight"}, {"spots": None}, {"show_milliseconds": {"natural": 1}}, {"shuffle": "never"}]
)
def test_what_no_rules_can_be_is_refused(damage: dict[str, object]) -> None:
    values = {**record(rules_for("mini", currency="EUR")).values, **damage}
    with pytest.raises(ValueError, match=r"Expected|Invalid|Missing|missing"):
        RecordedRules(digest_of(values), values)


def test_rules_without_a_required_member_are_refused() -> None:
    values = dict(record(rules_for("mini", currency="EUR")).values)
    del values["decks"]
    with pytest.raises(ValueError, match="decks"):
        RecordedRules(digest_of(values), values)
