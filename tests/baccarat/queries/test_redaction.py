"""What each pair of eyes sees of an event, and how its money is written."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from baccarat.queries.redaction import SPECTATOR, mentioned_players, redact_for
from casino.kernel.event_amounts import format_amounts

ALICE, BOB = UUID(int=1), UUID(int=2)
CONFIRMED = {
    "seat": 1,
    "player": str(ALICE),
    "stakes": {"player": 1000, "tie": 500},
    "raised": {},
    "money_type": "real",
}
SETTLED = {
    "outcome": "player",
    "wagers": [
        {"seat": 1, "player": str(ALICE), "staked": 1500, "results": [{"spot": "player", "stake": 1000, "won": 1000}]},
        {"seat": 2, "player": str(BOB), "staked": 500, "results": []},
    ],
}


def test_an_operator_sees_all_of_it() -> None:
    assert redact_for(type="RoundSettled", data=SETTLED, viewer=None) == SETTLED


def test_a_player_sees_every_seat_but_the_id_of_no_other_player() -> None:
    seen = redact_for(type="RoundSettled", data=SETTLED, viewer=ALICE)
    assert [wager.get("player") for wager in seen["wagers"]] == [str(ALICE), None]
    assert [wager["staked"] for wager in seen["wagers"]] == [1500, 500]
    assert mentioned_players(redact_for(type="RoundSettled", data=SETTLED, viewer=SPECTATOR)) == set()


def test_a_stake_on_the_spot_called_player_is_nobodys_id() -> None:
    assert redact_for(type="WagerConfirmed", data=CONFIRMED, viewer=BOB)["stakes"] == {"player": 1000, "tie": 500}
    assert mentioned_players(CONFIRMED) == {str(ALICE)}


def test_what_came_to_the_table_or_left_it_is_the_players_own_business() -> None:
    for type_, amounts in (
        ("SeatTaken", {"buy_in"}),
        ("Rebought", {"amount"}),
        ("SeatLeft", {"returned", "commission_collected"}),
    ):
        data = {"seat": 1, "player": str(ALICE), "money_type": "real", **dict.fromkeys(amounts, 5)}
        assert redact_for(type=type_, data=data, viewer=ALICE) == data
        assert redact_for(type=type_, data=data, viewer=BOB) == {"seat": 1, "money_type": "real"}


def test_of_a_void_and_of_a_shoe_that_ends_each_sees_their_own_lines() -> None:
    lines = [{"seat": 1, "player": str(ALICE), "amount": 5}, {"seat": 2, "player": str(BOB), "amount": 7}]
    for type_, name in (("RoundVoided", "seats"), ("ShoeEnded", "collected")):
        assert redact_for(type=type_, data={name: lines}, viewer=BOB)[name] == lines[1:]
        assert redact_for(type=type_, data={name: lines}, viewer=SPECTATOR)[name] == []


def test_who_of_the_staff_did_it_is_no_players_business() -> None:
    assert redact_for(type="RoundResumed", data={"by": "staff:1", "resumed_at": "now"}, viewer=ALICE) == {
        "resumed_at": "now"
    }


def test_amounts_become_decimal_strings_and_numbers_that_are_none_stay() -> None:
    assert format_amounts(CONFIRMED, "EUR")["stakes"] == {"player": "10.00", "tie": "5.00"}
    assert format_amounts(CONFIRMED, "EUR")["seat"] == 1
    assert format_amounts(SETTLED, "EUR")["wagers"][0]["results"][0] == {
        "spot": "player",
        "stake": "10.00",
        "won": "10.00",
    }
    opened = {"rules": {"chips": [100, 500], "minimum": 500, "decks": 8}, "turn": None}
    assert format_amounts(opened, "EUR") == {
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
    assert mentioned_players(redact_for(type="AnyEvent", data=nested, viewer=ALICE)) <= {str(ALICE)}
