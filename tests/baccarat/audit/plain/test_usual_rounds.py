"""The short way through usual rounds: taken wherever it can be, and blind to nothing."""

# ruff: noqa: S608  (SQL made of the columns' names)

import json
from datetime import datetime

import msgspec
import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from baccarat.audit.findings import FindingCollector
from baccarat.audit.fold import LogReplay
from baccarat.audit.plain import states, texts
from baccarat.audit.plain.forms import FORMS
from baccarat.audit.plain.rounds import moment
from baccarat.audit.plain.shoes import first_cards
from baccarat.audit.plain.tracing import traced
from baccarat.domain.fairness.shuffle import shuffle
from baccarat.domain.rules.presets import PRESETS
from baccarat.domain.rules.wagers import Spot
from baccarat.storage.rows import ROUNDS, WAGERS, encode
from casino.events.prefetch import send_query
from casino.events.sql import execute
from casino.events.subscriptions import read_sealed
from casino.kernel.canonical_json import recanonical
from tests.baccarat.audit.test_fold import PLAYERS, House

write = msgspec.json.Encoder(order="deterministic").encode
OTHERS = {"text": "'another'", "int": "99", "bigint": "99", "boolean": "true", "timestamptz": "'2020-01-01'"}
OTHERS |= {"uuid": "gen_random_uuid()", "jsonb": "'{}'::jsonb"}


def played_house(preset):
    house = House(preset, caller=False)
    for player in PLAYERS:
        house.do("sit", player, None, None)
    for _ in range(4):
        house.do("play", PLAYERS[0], Spot.BANKER, 2500)
    return house


@pytest.fixture(scope="module", params=list(PRESETS))
def house(request):
    return played_house(request.param)


def test_rounds_of_every_preset_take_the_short_way(house):
    fold = LogReplay(FindingCollector())
    fold.replay(house.rows)
    assert fold.collector.findings == []
    assert len(fold.plain.ended) >= 3
    assert len(fold.ended) <= 1  # the first, which others sat down at


def test_a_form_written_again_is_what_was_read(house):
    read = [row for row in house.rows if (row.type, row.schema) in FORMS]
    assert len({row.type for row in read}) >= 6
    for row in read:
        assert write(FORMS[row.type, row.schema](row.data)) == row.data


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.update(more=1),
        lambda data: data.pop(next(iter(data))),
        lambda data: data.update(seat=1.0),
        lambda data: data.update(seat="1"),
    ],
)
def test_a_form_takes_no_other_fields_and_no_other_types(change):
    data = json.loads('{"amount":100,"seat":1,"spot":"tie"}')
    change(data)
    with pytest.raises(msgspec.DecodeError):
        FORMS["ChipsPlaced", 1](json.dumps(data))


@given(text=st.text(max_size=20))
def test_a_form_keeps_every_text_as_it_was(text):
    data = json.dumps({"closed_at": text, "contributions": [], "cut": text})
    assert write(FORMS["BettingClosed", 1](data)) == recanonical(data)


@given(
    seed=st.binary(min_size=32, max_size=32),
    cut=st.sampled_from([b"", b"c" * 32]),
    decks=st.sampled_from([1, 6, 8]),
    count=st.integers(4, 6),
)
def test_the_first_cards_are_those_of_the_shoes_order(seed, cut, decks, count):
    found = first_cards(seed, cut=cut, decks=decks, count=count)
    assert found in {None, shuffle(seed, cut=cut, decks=decks, first=count)}


TIMES = ("2026-11-21T10:00:00Z", "2026-11-21T10:00:00.123456Z", "2026-11-21T10:00:00.1Z")


@given(
    time=st.sampled_from(TIMES),
    place=st.integers(0, 27),
    other=st.sampled_from(["", "\\u0030", '"', "\n", "T", "9", ","]),
)
def test_a_time_is_read_just_as_events_read_it(time, place, other):
    text = time[:place] + other + time[place + 1 :]
    try:
        due = msgspec.convert(text, type=datetime) if text.endswith("Z") else None
    except msgspec.ValidationError:
        due = None
    try:
        found = moment(text)
    except ValueError:
        found = None
    assert found == due


def printed(value):
    """As PostgreSQL prints a jsonb: shorter names first, then by letters."""
    if isinstance(value, dict):
        return {name: printed(value[name]) for name in sorted(value, key=lambda name: (len(name), name))}
    return [printed(each) for each in value] if isinstance(value, list) else value


def with_everything(preset):
    """A table whose players change their minds, pass, raise, cut, and look at the cards that the Caller hands them."""
    house = House(preset, **({"turn_seconds": 120} if PRESETS[preset].turn_seconds else {}))
    for player in PLAYERS:
        house.do("sit", player, None, None)
    house.do("skip", PLAYERS[0], None, None)
    house.do("deal", None, None, None)
    for amount in (100, 5000, 2500):
        for player, spot in zip(PLAYERS, (Spot.PLAYER, Spot.PLAYER, Spot.TIE), strict=True):
            for action in ("place", "place", "undo", "place", "clear", "cut", "cut", "place", "cut"):
                house.do(action, player, spot, amount + len(house.rows) % 2 * 5000)
            house.do("skip" if amount == 2500 and player is PLAYERS[2] else "confirm", player, None, None)
        for action in ("deal", "look", "hand_back", "wait", "deal"):
            house.do(action, PLAYERS[0], None, None)
    return house


@pytest.mark.parametrize("preset", PRESETS)
def test_rounds_with_all_that_players_do_take_the_short_way_and_are_written_as_postgresql_prints_them(preset):
    house, fold = with_everything(preset), LogReplay(FindingCollector())
    fold.replay(house.rows)
    assert fold.collector.findings == []
    own = {"CardsLooked", "HandTurned"} if preset == "big_table" else {"CutGiven"}
    assert own | {"PlacementUndone", "ChipsCleared"} <= {row.type for row in house.rows}
    assert len(fold.plain.ended) >= 2
    assert len(fold.ended) <= 1
    for each in fold.plain.ended:
        state = json.loads(encode(traced(each).state()))
        assert texts.rows(each, each.settled)[0].partition(")")[2] == json.dumps(printed(state))


def are(rounds):
    due = states.Due(rounds)
    ((*rows,),) = send_query(states.STATEMENT, [due.ids()])()
    return due.are(*rows)


def test_every_column_of_a_usual_rounds_rows_is_compared(played):
    fold = LogReplay(FindingCollector())
    fold.replay(read_sealed(0, 10_000))
    assert len(fold.plain.ended) >= 5
    assert are(fold.plain.ended)
    one = next(each for each in fold.plain.ended if each.table.rules.preset == "mini")
    keys = {ROUNDS: f"id = '{one.opened.round}'", WAGERS: f"round_id = '{one.opened.round}'"}
    for relation, place in keys.items():
        for name, kind in relation.columns[1:]:
            with transaction.atomic():
                assert execute(f"UPDATE {relation.table} SET {name} = {OTHERS[kind]} WHERE {place}") == 1
                assert not are([one]), name
                transaction.set_rollback(True)
    assert are([one])
