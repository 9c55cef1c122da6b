"""A field of an event leaves the house only if it is named as one that may."""

import json
from dataclasses import dataclass, field

import msgspec

from casino.feed.types import FeedType


@dataclass(frozen=True, slots=True)
class Line:
    stake: int = 100
    suspicion: int = 7


@dataclass(frozen=True, slots=True)
class Noted:
    """An event to which fields were added that no list names."""

    player: str = "p1"
    currency: str = "EUR"
    amount: int = 1250
    staff_comment: str = "He looks nervous."
    internal_score: int = 12
    stakes: tuple[Line, ...] = (Line(),)
    wagers: tuple[Line, ...] = field(default=(Line(), Line(stake=200)))


def test_a_new_field_of_an_event_is_not_published() -> None:
    kind = FeedType(event=Noted, app="casino", name="player.noted", subject="players/{player}", summary="Noted.")
    ((subject, data),) = kind.items(Noted(), {})
    assert subject == "players/p1"
    assert json.loads(data) == {
        "player": "p1",
        "currency": "EUR",
        "amount": "12.50",
        "stakes": [{"stake": "1.00"}],
    }
    schema = json.dumps(msgspec.json.schema(kind.data))
    assert "amount" in schema
    assert not [name for name in ("staff_comment", "internal_score", "suspicion") if name in schema]


def test_a_new_field_of_a_line_is_not_published_either() -> None:
    kind = FeedType(
        event=Noted, app="casino", name="line.noted", subject="players/{player}", summary="Noted.", each="wagers"
    )
    lines = [json.loads(data) for _, data in kind.items(Noted(), {})]
    assert [line["stake"] for line in lines] == ["1.00", "2.00"]
    assert all(line.keys() == {"player", "currency", "amount", "stakes", "stake"} for line in lines)
