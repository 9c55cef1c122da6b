"""What each pair of eyes sees of an event, and how its money is written."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from baccarat.queries.redaction import ANYBODY, in_money, players_in, seen_by

ALICE, BOB = UUID(int=1), UUID(int=2)
CONFIRMED = {"seat": 1, "player": str(ALICE), "stakes": {"player": 1000, "tie": 500}, "raised": {}, "book": "real"}
SETTLED = {
    "outcome": "player",
    "wagers": [
        {"seat": 1, "player": str(ALICE), "staked": 1500, "results": [{"spot": "player", "stake": 1000, "win": 1000}]},
        {"seat": 2, "player": str(BOB), "staked": 500, "results": []},
    ],
}


def test_an_operator_sees_all_of_it() -> None:
    assert seen_by(type="RoundSettled", data=SETTLED, viewer=None) == SETTLED


def test_a_player_sees_every_seat_but_the_id_of_no_other_player() -> None:
    seen = seen_by(type="RoundSettled", data=SETTLED, viewer=ALICE)
    assert [wager.get("player") for wager in seen["wagers"]] == [str(ALICE), None]
    assert [wager["staked"] for wager in seen["wagers"]] == [1500, 500]
    assert players_in(seen_by(type="RoundSettled", data=SETTLED, viewer=ANYBODY)) == set()


def test_a_stake_on_the_spot_called_player_is_nobodys_id() -> None:
    assert seen_by(type="WagerConfirmed", data=CONFIRMED, viewer=BOB)["stakes"] == {"player": 1000, "tie": 500}
    assert players_in(CONFIRMED) == {str(ALICE)}


def test_what_came_to_the_table_or_left_it_is_the_players_own_business() -> None:
    for type_, amounts in (
        ("SeatTaken", {"bought_in"}),
        ("Rebought", {"amount"}),
        ("SeatLeft", {"returned", "collected"}),
    ):
        data = {"seat": 1, "player": str(ALICE), "book": "real", **dict.fromkeys(amounts, 5)}
        assert seen_by(type=type_, data=data, viewer=ALICE) == data
        assert seen_by(type=type_, data=data, viewer=BOB) == {"seat": 1, "book": "real"}


def test_of_a_void_and_of_a_shoe_that_ends_each_sees_their_own_lines() -> None:
    lines = [{"seat": 1, "player": str(ALICE), "amount": 5}, {"seat": 2, "player": str(BOB), "amount": 7}]
    for type_, name in (("RoundVoided", "seats"), ("ShoeEnded", "collected")):
        assert seen_by(type=type_, data={name: lines}, viewer=BOB)[name] == lines[1:]
        assert seen_by(type=type_, data={name: lines}, viewer=ANYBODY)[name] == []


def test_who_of_the_staff_did_it_is_no_players_business() -> None:
    assert seen_by(type="RoundResumed", data={"by": "staff:1", "resumed_at": "now"}, viewer=ALICE) == {
        "resumed_at": "now"
    }


def test_amounts_become_decimal_strings_and_numbers_that_are_none_stay() -> None:
    assert in_money(CONFIRMED, "EUR")["stakes"] == {"player": "10.00", "tie": "5.00"}
    assert in_money(CONFIRMED, "EUR")["seat"] == 1
    assert in_money(SETTLED, "EUR")["wagers"][0]["results"][0] == {"spot": "player", "stake": "10.00", "win": "10.00"}
    opened = {"rules": {"chips": [100, 500], "minimum": 500, "decks": 8}, "turn": None}
    assert in_money(opened, "EUR") == {
        "rules": {"chips": ["1.00", "5.00"], "minimum": "5.00", "decks": 8},
        "turn": None,
    }


_IDS = st.sampled_from([str(ALICE), str(BOB)])
_DATA = st.recursive(
    st.integers() | _IDS | st.none(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["seats", "at", "x"]), inner, max_size=3)
    ),
)


@given(st.dictionaries(st.sampled_from(["seats", "note"]), _DATA), _IDS)
def test_no_shape_of_an_event_lets_another_players_id_through(data: dict[str, object], player: str) -> None:
    nested = {"wagers": [{"player": player, "inside": [{"player": str(BOB)}]}], **data}
    assert players_in(seen_by(type="AnyEvent", data=nested, viewer=ALICE)) <= {str(ALICE)}
