"""Events to bytes and back; old schemas are upcast, unknown ones refused."""

from dataclasses import dataclass
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
    """Schema 1 had one card, as two fields."""
    fields["cards"] = [{"rank": fields.pop("rank"), "suit": fields.pop("suit")}]
    return fields


def with_stakes(fields):
    """Schema 2 had no stakes."""
    return fields | {"stakes": {}}


CATALOGUE = EventRegistry(
    [EventType(CardsDealt, schema=3, upcasts={1: one_card_each, 2: with_stakes}), EventType(Reopened)]
)


def test_an_event_comes_back_equal_from_canonical_bytes():
    draft = CATALOGUE.encode(EVENT)
    assert (draft.type, draft.schema) == ("CardsDealt", 3)
    assert draft.data == recanonical(draft.data)
    assert CATALOGUE.decode(draft.type, draft.schema, draft.data) == EVENT


def test_older_schemas_are_upcast_one_version_at_a_time():
    rest = b'"round":"00000000-0000-0000-0000-000000000007","dealt_at":"2026-01-02T03:04:05Z","natural":true}'
    first = CATALOGUE.decode("CardsDealt", 1, b'{"rank":9,"suit":"clubs",' + rest)
    second = CATALOGUE.decode("CardsDealt", 2, b'{"cards":[{"rank":9,"suit":"clubs"}],' + rest)
    assert first == second
    assert first.cards == (Card(9, "clubs"),)
    assert first.stakes == {}


@pytest.mark.parametrize(
    ("name", "schema"), [("CardsBurned", 1), ("CardsDealt", 4), ("CardsDealt", 0), ("Reopened", 2)]
)
def test_unknown_names_and_schemas_are_never_silent(name, schema):
    with pytest.raises(UnknownEvent):
        CATALOGUE.decode(name, schema, b"{}")


@pytest.mark.parametrize(("schema", "data"), [(3, b"{}"), (3, b'{"why":1}'), (1, b"{}"), (2, b"[]"), (3, b"not json")])
def test_data_of_another_shape_is_refused(schema, data):
    with pytest.raises(MalformedEvent):
        CATALOGUE.decode("CardsDealt", schema, data)


def test_an_event_of_an_unlisted_class_is_refused_even_with_a_known_name():
    @dataclass(frozen=True)
    class Reopened:
        why: str

    with pytest.raises(UnknownEvent):
        CATALOGUE.encode(Reopened("x"))
    with pytest.raises(UnknownEvent):
        CATALOGUE.encode(Card(1, "spades"))


def test_a_catalogue_with_two_events_of_one_name_or_a_missing_upcast_is_refused():
    with pytest.raises(TypeError, match="Two events"):
        EventRegistry([EventType(Reopened), EventType(Reopened)])
    with pytest.raises(TypeError, match="one upcast"):
        EventType(Reopened, schema=3, upcasts={1: with_stakes})
    with pytest.raises(TypeError, match="not a dataclass"):
        EventType(dict)


def test_what_is_current_decodes_as_the_catalogue_does():
    catalogue = EventRegistry(
        [EventType(CardsDealt), EventType(Reopened, schema=2, upcasts={1: lambda fields: fields})]
    )
    assert set(catalogue.current_decoders) == {("CardsDealt", 1), ("Reopened", 2)}
    draft = catalogue.encode(EVENT)
    assert catalogue.current_decoders["CardsDealt", 1](draft.data) == EVENT
