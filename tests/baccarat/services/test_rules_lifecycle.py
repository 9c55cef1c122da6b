"""A table's rules are versions: drafted by one, published by another, in force from the next round or shoe on."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from baccarat.audit import engine
from baccarat.audit.rebuild import play_projector
from baccarat.audit.round_replay import replay_round
from baccarat.domain.rules.presets import rules_for
from baccarat.domain.rules.table_rules import Ratio, Shuffle
from baccarat.domain.rules.validation import InvalidRules
from baccarat.domain.tables.kill_switch import RulesAreStopped, StopScope
from baccarat.domain.tables.refusals import (
    AcknowledgementDiffers,
    AcknowledgementNotNeeded,
    DraftPending,
    OddsTooHigh,
    PlayerEdgeNotAccepted,
    ReturnUnderFloor,
    RulesAreRetired,
    RulesUnchanged,
    SeatsAreTaken,
    ShuffleIsFixed,
    UnknownTable,
    VersionNotInForce,
    VersionReasonMissing,
)
from baccarat.queries import fairness
from baccarat.services import kill_switch, rules_lifecycle
from baccarat.storage import rules_versions
from casino.events import sealer
from casino.events.projections import Row
from casino.events.rebuild import check
from casino.events.sql import fetch
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType
from casino.operators import changes
from casino.operators import services as operators
from casino.operators.refusals import ChangeDecided, ChangeNeedsSecondPerson
from tests.conftest import Database
from tests.support import rules as waiting_rules
from tests.support.house import House, deal_all
from tests.support.spots import spots_of
from tests.support.tables import digest_of

B = "banker"
RULES = rules_for("mini", currency="EUR")
MAKER, CHECKER = "staff:1", "staff:2"


def draft(house: House, table: UUID, words: str = "", **differences: Any) -> int:
    return rules_lifecycle.draft(
        table=table,
        operator=house.operator,
        differences=differences,
        acknowledgement=words,
        by=MAKER,
        metadata=house.metadata,
    )


def publish(house: House, table: UUID, version: int, by: str = CHECKER) -> None:
    del house
    waiting_rules.publish(table, version, by=by)


def put_in(house: House, table: UUID, **differences: Any) -> int:
    version = draft(house, table, **differences)
    publish(house, table, version)
    return version


def row(table: UUID, version: int) -> Row:
    return rules_versions.load([table])[table][version]


def test_a_change_holds_from_the_next_round_and_never_within_one(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.place("tie", 500)
    version = put_in(house, table, spots=spots_of("mini", tie=Ratio(9, 1)), minimum=1000)

    ann.deal()
    deal_all()
    assert house.last(table).require_opened().rules_label == "mini@1"
    ann.new_game()
    assert house.in_hand(table).require_opened().rules_label == "mini@2"
    assert version == 2
    assert house.state(table).rules.minimum == 1000

    first, second = row(table, 1), row(table, 2)
    assert (first.status, second.status, second.first_round) == ("retired", "in_force", 2)
    assert (first.until, second.drafted_by, second.decided_by) == (second.since, MAKER, CHECKER)
    tie = {each["spot"]: each["exact"] for each in fetch_json(table, 2)}["tie"]
    assert Fraction(tie) > Fraction({each["spot"]: each["exact"] for each in fetch_json(table, 1)}["tie"])
    assert replay_round(house.last(table).require_opened().round).findings == ()
    house.agree(table)


def fetch_json(table: UUID, version: int) -> Any:
    return fetch("SELECT returns FROM baccarat_rulesversion WHERE id = %s", [f"{table}/{version}"])[0][0]


def test_at_a_long_shoe_what_the_shoe_is_made_of_waits_for_the_next_one(house: House) -> None:
    table = house.table("big_table")
    ann, bob = house.company(table, 2)
    put_in(house, table, decks=6)
    assert row(table, 3).effective_from == "new_shoe"

    for at in (ann, bob):
        at.deal({B: 2500})
    deal_all()

    assert house.in_hand(table).require_opened().rules_label == "big_table@2"
    assert house.state(table).rules.decks == 8
    put_in(house, table, maximum=100_000)  # of the rules in force: the six decks never come
    assert (row(table, 3).status, row(table, 4).effective_from) == ("retired", "next_round")
    ann.pass_turn()
    bob.deal({B: 2500})
    deal_all()
    assert house.in_hand(table).require_opened().rules_label == "big_table@4"
    house.agree(table)


def test_a_revealed_shoe_says_how_many_decks_it_was_made_of_whatever_the_table_plays_by_now(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    for decks in (7, None, 6, None):
        if decks is not None:
            put_in(house, table, decks=decks)
        ann.deal({B: 500})
        deal_all()
    revealed = fairness.table_fairness(table=table, operator=house.operator).revealed_shoes
    assert [shoe.decks for shoe in revealed] == [7, 7, 8, 8]  # each named before the round before it


def test_other_rules_begin_another_board_and_repeat_no_wager_of_the_old_ones(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.deal({B: 500})
    deal_all()
    assert house.state(table).marks
    put_in(house, table, chips=(2500, 10_000), minimum=2500, maximum=10_000)
    ann.new_game()
    state = house.state(table)
    assert (state.marks, state.seats[0].last_wager) == ("", None)


def test_who_drafts_never_publishes_and_a_draft_is_decided_once(house: House) -> None:
    table = house.table("mini")
    version = draft(house, table, minimum=1000)
    with pytest.raises(ChangeNeedsSecondPerson):
        publish(house, table, version, by=MAKER)
    with pytest.raises(DraftPending):
        draft(house, table, minimum=2000)
    publish(house, table, version)
    with pytest.raises(ChangeDecided):
        publish(house, table, version)
    rejected = draft(house, table, minimum=1500)
    changes.decline(waiting_rules.waiting(table, rejected), by=CHECKER)
    assert (row(table, rejected).status, row(table, rejected).reason) == ("rejected", "declined")
    assert draft(house, table, minimum=1500) == rejected + 1
    with pytest.raises(UnknownTable):
        rules_lifecycle.draft(
            table=table, operator=UUID(int=5), differences={"minimum": 5}, by=MAKER, metadata=house.metadata
        )


def test_fifty_who_publish_one_draft_publish_it_once(house: House, in_threads: Callable[..., list[Any]]) -> None:
    table = house.table("mini")
    version = draft(house, table, minimum=1000)
    results = in_threads(50, lambda number: publish(house, table, version, by=f"staff:{number + 10}"))
    assert [type(each) for each in results if each is not None] == [ChangeDecided] * 49


@pytest.mark.parametrize(
    ("preset", "changes", "refusal"),
    [
        ("mini", {"spots": spots_of("mini", banker=Ratio(2, 1))}, OddsTooHigh),
        ("mini", {"spots": spots_of("mini", commission=None)}, PlayerEdgeNotAccepted),
        ("mini", {"spots": spots_of("mini", tie=Ratio(6, 1))}, ReturnUnderFloor),
        ("mini", {"minimum": 500}, RulesUnchanged),
        ("mini", {"minimum": 501, "chips": (250,)}, InvalidRules),
        ("mini", {"preset": "classic"}, InvalidRules),
        ("big_table", {"shuffle": Shuffle.EACH_ROUND, "cut_cards_from_end": None, "burn": False}, InvalidRules),
        ("mini", {"shuffle": Shuffle.SHOE, "cut_cards_from_end": 14}, ShuffleIsFixed),
    ],
)
def test_what_is_wrong_with_proposed_rules_has_its_own_code_and_changes_nothing(
    house: House, preset: str, changes: dict[str, Any], refusal: type[Refusal]
) -> None:
    table = house.table(preset)
    with pytest.raises(refusal):
        draft(house, table, **changes)
    assert house.state(table).rules_lifecycle is None


def test_every_fault_of_rules_is_named_with_a_code() -> None:
    with pytest.raises(InvalidRules) as caught:
        rules_lifecycle.apply_changes(RULES, {"decks": 0, "minimum": 7, "turn_seconds": 0})
    assert {fault.field: fault.code for fault in caught.value.faults} == {
        "decks": "number_too_small",
        "minimum": "minimum_not_makeable",
        "turn_seconds": "number_too_small",
    }


def test_real_money_plays_by_doubtful_rules_only_when_the_very_sentence_was_typed(house: House) -> None:
    table = house.table("mini")
    with pytest.raises(ReturnUnderFloor) as caught:
        draft(house, table, spots=spots_of("mini", tie=Ratio(6, 1)))
    sentence = caught.value.facts["required_acknowledgement"]
    assert sentence == "We accept that Tie returns 66.6092%, less than our floor of 75.0000%."
    with pytest.raises(AcknowledgementDiffers):
        draft(house, table, "yes", spots=spots_of("mini", tie=Ratio(6, 1)))
    with pytest.raises(AcknowledgementNotNeeded):
        draft(house, table, "yes", minimum=1000)
    version = draft(house, table, str(sentence), spots=spots_of("mini", tie=Ratio(6, 1)))
    assert row(table, version).acknowledgement == sentence
    playing = house.table("mini", money_types=(MoneyType.PLAY,))
    assert draft(house, playing, spots=spots_of("mini", tie=Ratio(6, 1))) == 2


def test_a_table_opens_for_real_money_under_the_floor_only_with_the_sentence(house: House) -> None:
    with pytest.raises(ReturnUnderFloor) as caught:
        house.table("mini", spots=spots_of("mini", tie=Ratio(6, 1)))
    assert "66.6092%" in str(caught.value.facts["required_acknowledgement"])


def test_a_version_can_have_no_fewer_seats_than_are_taken(house: House) -> None:
    table = house.table("atlantic_city")
    house.seated(table, 5)
    with pytest.raises(SeatsAreTaken):
        draft(house, table, seats=3, spots=spots_of("mini"))


def test_withdrawn_rules_open_no_round_until_others_are_published(house: House) -> None:
    table = house.table("mini")
    ann = house.seated(table)
    ann.deal({B: 500})
    withdraw = {"table": table, "operator": house.operator, "by": CHECKER, "metadata": house.metadata}
    with pytest.raises(VersionReasonMissing):
        rules_lifecycle.retire(version=1, reason="", **withdraw)
    with pytest.raises(VersionNotInForce):
        rules_lifecycle.retire(version=2, reason="Printed wrong.", **withdraw)
    rules_lifecycle.retire(version=1, reason="Printed wrong.", **withdraw)
    with pytest.raises(RulesAreRetired):
        rules_lifecycle.retire(version=1, reason="Again.", **withdraw)
    deal_all()
    assert house.last(table).require_opened().rules_label == "mini@1"
    with pytest.raises(RulesAreRetired):
        ann.deal({B: 500})
    assert (row(table, 1).status, row(table, 1).reason) == ("retired", "Printed wrong.")
    put_in(house, table, minimum=1000)
    ann.deal({B: 1000})
    deal_all()
    assert house.last(table).require_opened().rules_label == "mini@2"
    house.agree(table)


def test_rules_that_a_switch_stops_are_not_published(house: House) -> None:
    other, table = house.table("classic"), house.table("classic")
    put_in(house, other, minimum=1000)
    kill_switch.stop(scope=StopScope.RULES, subject=digest_of(other, 2), reason="odd", metadata=house.metadata)
    with pytest.raises(RulesAreStopped):
        draft(house, table, minimum=1000)
    assert [held.scope for held in house.state(other).stops] == [StopScope.RULES]


def test_publishing_is_a_significant_event_with_both_persons_and_what_changed(house: House) -> None:
    table = house.table("mini")
    put_in(house, table, minimum=1000)
    ((kind, actor, authorised, after),) = fetch(
        "SELECT kind, actor, authorised_by, after FROM significant_significantevent WHERE subject = %s",
        [f"table:{table}"],
    )
    assert (kind, actor, authorised) == ("rules_published", MAKER, CHECKER)
    assert after["changes"] == ["Minimum: 5.00 EUR becomes 10.00 EUR."]


def test_versions_are_audited_and_rebuilt_and_tampering_with_them_is_found(database: Database) -> None:
    house = House()
    table = house.table("mini")
    ann = house.seated(table)
    for differences in ({"minimum": 1000}, {"spots": spots_of("mini", tie=Ratio(9, 1))}):
        put_in(house, table, **differences)
        ann.deal({B: 1000})
        deal_all()
    draft(house, table, maximum=50_000)
    sealer.seal_all()
    assert list(engine.run_audit().findings) == []
    assert check(play_projector()).changed == ()

    with database.owner() as owner:
        owner.execute("UPDATE baccarat_rulesversion SET returns = '[]', drafted_by = 'x' WHERE version = 2")
        owner.execute(
            "INSERT INTO baccarat_rulesversion SELECT (jsonb_populate_record(kept, jsonb_build_object('id', 'x/1', "
            "'table_id', gen_random_uuid()))).* FROM baccarat_rulesversion AS kept LIMIT 1"
        )
        owner.execute("ALTER TABLE events_event DISABLE TRIGGER USER")
        owner.execute(
            "UPDATE events_event SET data = jsonb_set(data::jsonb, '{rules_label}', '\"mini@2\"') "
            "WHERE type = 'RoundOpened' AND data->>'rules_label' = 'mini@3'"
        )
        owner.execute(
            "UPDATE events_event SET data = jsonb_set(data::jsonb, '{returns,0,exact}', '\"1/1\"') "
            "WHERE type = 'RulesDrafted' "
            "AND version = (SELECT min(version) FROM events_event WHERE type = 'RulesDrafted')"
        )
    findings = engine.run_audit().findings
    found = {finding.kind for finding in findings}
    assert ("row is extra", "baccarat_rulesversion x/1") in {(each.kind, each.location) for each in findings}
    assert {"row differs", "round's facts differ", "theoretical return differs"} <= found


def test_an_operator_has_a_floor_of_its_own(house: House) -> None:
    del house
    operator = operators.create_operator(slug="floored", name="F", currencies=["EUR"], sandbox=True)
    own = House(operator=operator.id)
    with pytest.raises(CommandError, match="valid return floor"):
        call_command("operator", "floor", "floored", "101")
    call_command("operator", "floor", "floored", "90")
    with pytest.raises(ReturnUnderFloor) as caught:
        own.table("mini")
    assert caught.value.facts["required_acknowledgement"] == (
        "We accept that Tie returns 85.6404%, less than our floor of 90.0000%."
    )
    told = fetch(
        "SELECT before, after FROM significant_significantevent WHERE operator_id = %s ORDER BY number", [operator.id]
    )
    assert told[-1] == ({"return_floor": 7500}, {"return_floor": 9000})


@pytest.mark.parametrize("money_types", [(MoneyType.REAL,), (MoneyType.REAL, MoneyType.PLAY)])
def test_a_floor_that_was_raised_since_holds_for_what_was_drafted_before(
    house: House, money_types: tuple[MoneyType, ...]
) -> None:
    slug = f"raised-{len(money_types)}"
    operator = operators.create_operator(slug=slug, name="R", currencies=["EUR"], sandbox=True)
    own = House(operator=operator.id)
    played = own.table("mini", money_types=(MoneyType.PLAY,))
    table, drafted = own.table("mini", money_types=money_types), draft(own, played, minimum=1000)
    version = draft(own, table, minimum=1000)
    call_command("operator", "floor", slug, "90")
    with pytest.raises(ReturnUnderFloor) as caught:
        publish(own, table, version)
    assert caught.value.facts["spots"] == ["tie"]
    publish(own, played, drafted)  # in play money nothing is lost

    changes.decline(waiting_rules.waiting(table, version), by=CHECKER)
    version = draft(own, table, caught.value.facts["required_acknowledgement"], minimum=1000)
    call_command("operator", "floor", slug, "80")
    publish(own, table, version)
    assert row(table, version).status == "published"
