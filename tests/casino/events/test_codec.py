"""Events are encoded and decoded; old schemas are upcast, unknown ones refused."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from uuid import UUID

import pytest

from casino.events.codec import EventRegistry, EventType, MalformedEvent, UnknownEvent
from casino.kernel.canonical_json import recanonical


class Spot(StrEnum):
    PLAYER = "player"
    BANKER = "banker"


@dataclass(frozen=True, slots=True)
class Card:
    rank: int
    suit: str


@dataclass(frozen=True, slots=True)
class CardsDealt:
    round: UUID
    cards: tuple[Card, ...]
    dealt_at: datetime
    natural: bool
    stakes: dict[str, int]
    spot: Spot | None = None


@dataclass(frozen=True, slots=True)
class Reopened:
    why: str


EVENT = CardsDealt(
    round=UUID(int=7),
    cards=(Card(1, "spades"), Card(13, "hearts")),
    dealt_at=datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC),
    natural=False,
    stakes={"banker": 500, "also": 1},
    spot=Spot.BANKER,
)


def one_card_each(fields):
    """Upcast schema 1, which had one card, as two fields."""
    fields["cards"] = [{"rank": fields.pop("rank"), "suit": fields.pop("suit")}]
    return fields


def with_stakes(fields):
    """Upcast schema 2, which had no stakes."""
    return fields | {"stakes": {}}


REGISTRY = EventRegistry(
    [
        EventType(CardsDealt, schema=3, upcasts={1: one_card_each, 2: with_stakes}, omitted={"spot": None}),
        EventType(Reopened, omitted={"spot": None}),
    ]
)


def test_an_event_is_decoded_equal_from_canonical_bytes():
    encoded = REGISTRY.encode(EVENT)
    assert (encoded.type, encoded.schema) == ("CardsDealt", 3)
    assert encoded.data == recanonical(encoded.data)
    assert REGISTRY.decode(encoded.type, encoded.schema, encoded.data) == EVENT


def test_an_omitted_member_is_stored_only_if_it_has_another_value():
    without = replace(EVENT, spot=None)
    encoded = REGISTRY.encode(without)
    assert b"spot" not in encoded.data
    assert REGISTRY.decode(encoded.type, encoded.schema, encoded.data) == without
    assert b'"spot":"banker"' in REGISTRY.encode(EVENT).data


def test_a_text_that_looks_like_an_omitted_member_is_stored():
    event = Reopened('{"why":1,"spot":null}')
    encoded = REGISTRY.encode(event)
    assert REGISTRY.decode(encoded.type, encoded.schema, encoded.data) == event


def test_older_schemas_are_upcast_one_version_at_a_time():
    rest = b'"round":"00000000-0000-0000-0000-000000000007","dealt_at":"2026-01-02T03:04:05Z","natural":true}'
    first = REGISTRY.decode("CardsDealt", 1, b'{"rank":9,"suit":"clubs",' + rest)
    second = REGISTRY.decode("CardsDealt", 2, b'{"cards":[{"rank":9,"suit":"clubs"}],' + rest)
    assert first == second
    assert first.cards == (Card(9, "clubs"),)
    assert first.stakes == {}


@pytest.mark.parametrize(
    ("name", "schema"), [("CardsBurned", 1), ("CardsDealt", 4), ("CardsDealt", 0), ("Reopened", 2)]
)
def test_unknown_names_and_schemas_are_refused(name, schema):
    with pytest.raises(UnknownEvent):
        REGISTRY.decode(name, schema, b"{}")


@pytest.mark.parametrize(("schema", "data"), [(3, b"{}"), (3, b'{"why":1}'), (1, b"{}"), (2, b"[]"), (3, b"not json")])
def test_data_of_another_shape_is_refused(schema, data):
    with pytest.raises(MalformedEvent):
        REGISTRY.decode("CardsDealt", schema, data)


def without_stakes(fields):
    """Downcast schema 3 to 2."""
    return {name: value for name, value in fields.items() if name != "stakes"}


def test_an_event_is_stored_as_the_release_before_reads_it():
    upcasts = {1: one_card_each, 2: with_stakes}
    kind = EventType(CardsDealt, schema=3, upcasts=upcasts, written=2, downcasts={3: without_stakes})
    registry = EventRegistry([kind])
    encoded = registry.encode(EVENT)
    assert (encoded.schema, encoded.data) == (2, recanonical(encoded.data))
    assert b"stakes" not in encoded.data
    assert registry.decode("CardsDealt", 2, encoded.data) == replace(EVENT, stakes={})
    newest = REGISTRY.encode(EVENT)
    assert registry.decode(newest.type, newest.schema, newest.data) == EVENT


def test_an_event_that_the_release_before_does_not_know_is_read_and_not_written():
    registry = EventRegistry([EventType(Reopened, written=0)])
    assert registry.decode("Reopened", 1, b'{"why":"rain"}') == Reopened("rain")
    with pytest.raises(UnknownEvent, match="not be written yet"):
        registry.encode(Reopened("rain"))


def test_an_event_of_an_unregistered_class_is_refused_even_with_a_known_name():
    @dataclass(frozen=True)
    class Reopened:
        why: str

    with pytest.raises(UnknownEvent):
        REGISTRY.encode(Reopened("x"))
    with pytest.raises(UnknownEvent):
        REGISTRY.encode(Card(1, "spades"))


def test_a_registry_with_two_events_of_one_name_or_a_missing_upcast_is_refused():
    with pytest.raises(TypeError, match="Two events"):
        EventRegistry([EventType(Reopened), EventType(Reopened)])
    with pytest.raises(TypeError, match="one upcast"):
        EventType(Reopened, schema=3, upcasts={1: with_stakes})
    with pytest.raises(TypeError, match="one downcast"):
        EventType(CardsDealt, schema=3, upcasts={1: one_card_each, 2: with_stakes}, written=1)
    with pytest.raises(TypeError, match="not a dataclass"):
        EventType(dict)
