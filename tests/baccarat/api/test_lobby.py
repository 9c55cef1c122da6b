"""The lobby and the board over HTTP: what was played is on them, at the cost of one query."""

from typing import Any
from uuid import UUID

from django.db import connection
from django.test.utils import CaptureQueriesContext

from baccarat import tasks
from baccarat.audit.rebuild import play_projector
from baccarat.services import voiding
from casino.events.rebuild import check
from casino.events.store import Metadata
from tests.baccarat.api.people import LONG_TURN, NOWHERE, Tenant, bet, company, deal_all, sit
from tests.support import voids

LETTERS = {"banker": "B", "player": "P", "tie": "-"}


def cost(who, path, **query):
    with CaptureQueriesContext(connection) as captured:
        who.read(path, **query)
    return len(captured)


def test_the_board_shows_what_was_played_to_players_and_operator_alike(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    for _ in range(7):
        bet(alice, table, banker="5.00")
        deal_all()
    rounds = list(reversed(alice.pages(f"tables/{table}/rounds", limit=50)))
    shown = alice.read(f"tables/{table}/statistics")
    assert [(bead["number"], bead["outcome"]) for bead in shown["bead_plate"]] == [
        (round_["number"], round_["outcome"]) for round_ in rounds
    ]
    assert [bead["natural"] for bead in shown["bead_plate"]] == [round_["natural"] for round_ in rounds]
    assert [bead["player_pair"] for bead in shown["bead_plate"]] == [
        round_["player_hand"]["cards"][0][0] == round_["player_hand"]["cards"][1][0] for round_ in rounds
    ]
    assert "".join(shown["columns"]) == "".join(LETTERS[round_["outcome"]] for round_ in rounds)
    assert shown["totals"]["hands"] == 7
    assert (shown["shoe"], shown["board_capacity"]) == (None, 72)
    assert lucky.read(f"tables/{table}/statistics") == shown


def test_the_round_of_a_mark_is_found_by_its_number(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    for _ in range(3):
        bet(alice, table, banker="5.00")
        deal_all()
    (second,) = alice.read(f"tables/{table}/rounds", number=2)["items"]
    assert second["number"] == 2
    assert second in alice.pages(f"tables/{table}/rounds")
    assert alice.read(f"tables/{table}/rounds", number=99) == {"items": [], "next": None}
    assert alice.get(f"tables/{table}/rounds", number=0).json()["code"] == "number_too_small"
    assert alice.get(f"tables/{NOWHERE}/rounds", number=1).json()["code"] == "unknown_table"


def test_a_voided_round_leaves_the_board_and_a_rebuild_agrees(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    for _ in range(3):
        bet(alice, table, tie="5.00")
        deal_all()
    second = lucky.pages(f"tables/{table}/rounds")[1]
    metadata = Metadata(operator=lucky.id, actor="staff:1", causation="", correlation="")
    voiding.void(round_=UUID(second["id"]), operator=UUID(lucky.id), reason="malfunction", note="x", metadata=metadata)
    voids.confirm(second["id"])
    shown = alice.read(f"tables/{table}/statistics")
    assert [bead["number"] for bead in shown["bead_plate"]] == [1, 3]
    assert check(play_projector()).changed == ()


def test_the_board_of_a_shoe_that_has_ended_is_kept(lucky: Tenant) -> None:
    rules = {**LONG_TURN, "decks": 1, "cut_cards_from_end": 14}
    alice, table = lucky.player("Alice"), lucky.table("big_table", rules=rules)
    sit(alice, table)
    at = f"tables/{table}/statistics"
    shown: list[dict[str, Any]] = []
    while not shown or shown[-1]["shoe"] < 3:
        bet(alice, table, banker="25.00")
        deal_all()
        shown.append(alice.read(at))
        if len(shown) == 3:
            alice.do(f"tables/{table}/pass")  # a round that lapses stands on no board
            deal_all()
    played = [board["totals"]["hands"] for board in shown]
    for shoe in (1, 2):
        whole = alice.read(at, shoe=shoe)
        before = [board for board in shown if board["shoe"] == shoe][-1]
        marks = before["bead_plate"]
        assert whole["shoe"] == shoe
        assert whole["bead_plate"][: len(marks)] == marks
        assert len(whole["bead_plate"]) - len(marks) in (0, 1)  # the last round came with the next shoe
    assert max(played) > 3
    assert alice.read(at, shoe=3) == alice.read(at)
    for shoe, refusal in ((4, (404, "unknown_shoe")), (0, (422, "number_too_small")), ("x", (422, "not_an_integer"))):
        answer = alice.get(at, shoe=shoe)
        assert (answer.status_code, answer.json()["code"]) == refusal
    mini = lucky.table("mini")
    assert alice.get(f"tables/{mini}/statistics", shoe=1).json()["code"] == "unknown_shoe"


def test_an_unknown_tables_board_is_unknown(lucky: Tenant) -> None:
    answer = lucky.player("Alice").get(f"tables/{NOWHERE}/statistics")
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_table")


def test_the_lobby_says_what_a_player_chooses_by(lucky: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    bet(alice, table, banker="100.00")
    bob.do(f"tables/{table}/pass")
    deal_all()
    (line,) = alice.read("lobby")["items"]
    drawn = alice.read(f"tables/{table}")
    assert line["you"] == {"seat": 1, "money_type": "real"}
    assert (line["free_seats"], line["funding"]) == (list(range(3, 15)), "house")
    assert (line["phase"], line["round_number"]) == (drawn["round"]["phase"], drawn["round"]["number"])
    assert line["deadline_at"] == drawn["round"]["deadline_at"]
    assert (line["shoe"], line["totals"]["hands"]) == (1, len(line["results"]))
    assert line["results"] == [
        {name: value for name, value in bead.items() if name not in {"column", "row"}}
        for bead in bob.read(f"tables/{table}/statistics")["bead_plate"]
    ]
    text = str(alice.read("lobby"))
    assert bob.id not in text


def test_an_operator_reads_the_lobby_as_a_player_of_its_own_sees_it(lucky: Tenant, golden: Tenant) -> None:
    table, (alice, bob) = company(lucky, "big_table", "Alice", "Bob")
    lucky.table("mini")
    bob.do(f"tables/{table}/leave")
    for player in (alice, bob):
        assert lucky.read("lobby", player=player.id) == player.read("lobby") == player.read("lobby", player=player.id)
    visited = lucky.read("lobby", player=bob.id)["items"][0]
    assert visited["you"] is None
    assert visited["last_visited_at"] is not None
    assert lucky.pages("lobby", limit=1, player=alice.id)[0]["id"] == table
    for stranger, player in ((golden, alice.id), (lucky, NOWHERE), (alice, bob.id), (golden.player("Carl"), alice.id)):
        refused = stranger.get("lobby", player=player)
        assert (refused.status_code, refused.json()["code"]) == (404, "unknown_player")


def test_the_lobby_of_a_book_has_only_tables_that_play_it(lucky: Tenant) -> None:
    both, play = lucky.table("mini"), lucky.table("mini", money_types=["play"])
    alice = lucky.player("Alice")
    assert [line["id"] for line in alice.read("lobby")["items"]] == [both, play]
    assert [line["id"] for line in alice.read("lobby", money_type="real")["items"]] == [both]
    assert [line["id"] for line in alice.read("lobby", money_type="play")["items"]] == [both, play]
    assert [line["id"] for line in alice.pages("lobby", limit=1, money_type="play")] == [both, play]


def test_a_table_that_is_closed_for_good_is_in_no_lobby(lucky: Tenant) -> None:
    alice, kept, closed = lucky.player("Alice"), lucky.table("mini"), lucky.table("mini")
    lucky.do(f"tables/{closed}/close", {"reason": "Worn out"})

    assert [line["id"] for line in alice.read("lobby")["items"]] == [kept]
    assert alice.read(f"tables/{closed}")["id"] == closed


def test_a_table_opened_for_nobody_to_find_is_in_the_lobby_of_those_who_sit_there_alone(lucky: Tenant) -> None:
    alice, bob, found, hidden = (
        lucky.player("Alice"), lucky.player("Bob"), lucky.table("mini"), lucky.table("mini", listed=False),
    )  # fmt: skip

    sit(alice, hidden)
    bet(alice, hidden, banker="5.00")
    deal_all()

    (listed, own) = alice.pages("lobby", limit=1)
    assert ([listed["id"], own["id"]], own["you"]) == ([found, hidden], {"seat": 1, "money_type": "real"})
    assert lucky.read("lobby", player=alice.id) == alice.read("lobby")
    assert [line["id"] for line in bob.read("lobby")["items"]] == [found]
    assert [table["id"] for table in lucky.read("tables")["items"]] == [found, hidden]
    assert alice.read(f"tables/{hidden}")["last_round"]["phase"] == "settled"
    alice.do(f"tables/{hidden}/leave")
    assert [line["id"] for line in alice.read("lobby")["items"]] == [found]
    assert check(play_projector()).changed == ()


def test_the_lobby_knows_where_a_player_was_last(lucky: Tenant) -> None:
    first, second, third = (lucky.table("mini", name=name) for name in ("First", "Second", "Third"))
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    sit(alice, third)
    alice.do(f"tables/{third}/leave")
    sit(alice, first)

    lines = {line["id"]: line for line in alice.read("lobby")["items"]}
    assert lines[second]["last_visited_at"] is None
    assert lines[first]["last_visited_at"] > lines[third]["last_visited_at"]
    assert {line["last_visited_at"] for line in bob.read("lobby")["items"]} == {None}
    assert [lines[table]["players"] for table in (first, second, third)] == [1, 0, 0]


def test_the_lobby_draws_the_end_of_the_big_road_as_the_board_does(lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    sit(alice, table)
    for _ in range(9):
        bet(alice, table, banker="5.00")
        deal_all()
    (line,) = alice.read("lobby")["items"]
    assert line["big_road"] == alice.read(f"tables/{table}/statistics")["big_road"]
    assert line["spots"] == alice.read(f"tables/{table}")["rules"]["spots"]


def test_a_book_that_is_none_is_refused(lucky: Tenant) -> None:
    answer = lucky.player("Alice").get("lobby", money_type="monopoly")
    assert answer.status_code == 422


def test_the_lobby_and_the_board_cost_the_same_whatever_they_show(lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    first = lucky.table("mini")
    alice.read(f"tables/{first}/statistics")  # a process asks once whom a table is for
    few = cost(alice, "lobby"), cost(alice, f"tables/{first}/statistics")
    for number in range(6):
        sit(alice, lucky.table("atlantic_city", name=f"Table {number}"))
    many = cost(alice, "lobby"), cost(alice, f"tables/{first}/statistics")
    assert few == many
    assert many[0] <= 3  # the session, the lobby, and whose wallet has the money


def test_a_table_with_people_at_it_is_closed_when_what_they_confirmed_is_settled(lucky: Tenant, golden: Tenant) -> None:
    table, (alice, bob) = company(lucky, "atlantic_city", "Alice", "Bob")
    bet(alice, table, banker="10.00")
    assert golden.post(f"tables/{table}/close", {"reason": "Mine"}).json()["code"] == "unknown_table"
    assert lucky.do(f"tables/{table}/close", {"reason": "Worn out"})["closed"] is False

    shown = bob.read(f"tables/{table}")
    assert (shown["stop"]["scope"], "closing permanently" in shown["stop"]["player_message"]) == ("table", True)
    refused = lucky.player("Cat").post(
        f"tables/{table}/seat", {"seat": 4, "buy_in": "5.00", "currency": "EUR", "money_type": "real"}
    )
    assert (refused.status_code, refused.json()["code"]) == (409, "table_is_closing")
    deal_all()
    tasks.release_absent_seats()
    assert lucky.read(f"tables/{table}/fairness")["closed"] is True
    assert lucky.read(f"tables/{table}")["seats"] == []
    assert bob.balances()["account", "real"] == "10000.00"
    assert table not in [each["id"] for each in alice.read("lobby")["items"]]
