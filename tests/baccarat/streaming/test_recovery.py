"""One call after a lost connection: everything as it stands, what happened meanwhile, and where to go on from."""

import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from baccarat.services import absent_seats, voiding
from baccarat.streaming import absence, recovery
from baccarat.streaming.snapshot import decode_position
from casino.events import sealer
from casino.events.sql import database_now, execute
from casino.events.store import Metadata
from casino.events.subscriptions import head
from casino.operators.principals import PlayerPrincipal
from tests.baccarat.api.people import LONG_TURN, Gambler, Tenant, bet, company, deal_all, sit
from tests.support import voids
from wallet import notices


def recover(player: Gambler, **query: Any) -> dict[str, Any]:
    """Seal everything, and return the player's recovery document."""
    sealer.seal_all()
    recovered: dict[str, Any] = player.read("recovery", **query)
    return recovered


def now(player: Gambler) -> str:
    """Return the last position that the player has received."""
    return str(recover(player)["position"])


def types(recovered: dict[str, Any]) -> list[str]:
    return [event["type"] for event in recovered["absence"]["events"]]


def be_away(player: Gambler) -> None:
    """Make the player absent for an hour."""
    execute("UPDATE baccarat_sitting SET at = at - interval '1 hour' WHERE player_id = %s", [uuid.UUID(player.id)])
    execute(
        "UPDATE operators_playersession SET last_used_at = now() - interval '1 hour' WHERE player_id = %s",
        [uuid.UUID(player.id)],
    )


def test_one_who_sits_nowhere_is_told_of_the_money_alone(lucky: Tenant) -> None:
    ann = lucky.player("Ann")

    recovered = recover(ann)

    assert [recovered[name] for name in ("tables", "absence", "debts", "deposits", "notices")] == [[], None, [], [], []]
    assert {line["money_type"] for line in recovered["balances"]["items"]} == {"real", "play"}
    assert recovered["table_limit"]["limit"] is None
    assert decode_position(recovered["position"]) == head()


def test_the_table_comes_as_the_table_itself_shows_it(lucky: Tenant) -> None:
    table, (ann, _) = company(lucky, "atlantic_city", "Ann", "Ben")
    ann.do(f"tables/{table}/place", {"spot": "tie", "amount": "5.00", "currency": "EUR"})

    (recovered_table,) = recover(ann)["tables"]

    table_response = ann.read(f"tables/{table}")
    assert {**recovered_table, "server_time": None} == {**table_response, "server_time": None}
    assert recovered_table["round"]["seats"][0]["placed"] == [{"spot": "tie", "amount": "5.00"}]
    assert recovered_table["you"]["status"] == "deciding"


def test_a_round_settled_meanwhile_is_told_with_its_cards_and_what_it_came_to(lucky: Tenant) -> None:
    table, (ann, ben) = company(lucky, "big_table", "Ann", "Ben")
    bet(ann, table, banker="100.00", player="25.00")
    seen = now(ann)
    bet(ben, table, tie="25.00")
    deal_all()

    recovered = recover(ann, after=seen)

    assert types(recovered) == [
        "WagerConfirmed", "BettingClosed", "CardsDealt", "RoundSettled", "TermsFixed", "RoundOpened",
    ]  # fmt: skip
    positions = [decode_position(event["position"]) for event in recovered["absence"]["events"]]
    assert positions == sorted(positions)
    assert positions[0] > decode_position(seen)
    last = recovered["tables"][0]["last_round"]
    result = last["seats"][0]["result"]
    (absence_result,) = recovered["absence"]["results"]
    assert (absence_result["money_type"], absence_result["rounds"], absence_result["staked"]["amount"]) == (
        "real",
        1,
        "125.00",
    )
    game = {
        line["account"]: line["balance"]["amount"] for line in recovered["balances"]["items"] if line["table"] == table
    }
    assert game["game"] == f"{875 + float(absence_result['returned']['amount']):.2f}"
    assert absence_result["returned"]["amount"] == result["returned"]
    assert float(absence_result["net"]["amount"]) == float(absence_result["returned"]["amount"]) - 125
    assert ben.id not in str(recovered)
    assert recover(ann, after=recovered["position"])["absence"]["events"] == []


def test_what_is_another_players_business_is_not_told(lucky: Tenant) -> None:
    table, (ann, ben) = company(lucky, "atlantic_city", "Ann", "Ben")
    seen = now(ann)
    ben.do(f"tables/{table}/rebuy", {"amount": "123.00", "currency": "EUR"})
    ben.do(f"tables/{table}/leave")

    recovered = recover(ann, after=seen)

    assert types(recovered) == ["Rebought", "SeatLeftRound", "SeatLeft"]
    assert "123.00" not in str(recovered["absence"])
    assert ben.id not in str(recovered)
    assert recovered["absence"]["results"] == []


def test_a_seat_freed_meanwhile_is_told_with_the_money_that_went_back(lucky: Tenant) -> None:
    table = lucky.table("mini")
    ann = lucky.player("Ann")
    sit(ann, table)
    ann.do(f"tables/{table}/place", {"spot": "tie", "amount": "5.00", "currency": "EUR"})
    seen = now(ann)
    be_away(ann)
    assert absent_seats.release_absent_seats() == 1
    ann = Gambler(lucky.do(f"players/{ann.id}/sessions", {"ttl_seconds": 3600})["token"], ann.id)
    sit(lucky.player("Ben"), table)

    recovered = recover(ann, after=seen)

    assert recovered["tables"] == []
    (freed,) = recovered["absence"]["seats_released"]
    assert (freed["table"], freed["reason"], freed["returned"]["amount"]) == (table, "disconnected", "1000.00")
    assert types(recovered) == ["SeatLeftRound", "RoundLapsed", "SeatReleased"]
    assert ann.balances()["account", "real"] == "10000.00"


def test_a_wager_voided_meanwhile_is_taken_off_again_however_old(lucky: Tenant) -> None:
    table = lucky.table("mini")
    ann = lucky.player("Ann")
    sit(ann, table)
    bet(ann, table, banker="100.00")
    deal_all()
    ann.do(f"tables/{table}/leave")
    seen = now(ann)
    round_ = uuid.UUID(ann.read("rounds")["items"][0]["id"])
    execute("UPDATE baccarat_sitting SET at = at - interval '1 day'")
    metadata = Metadata(operator=lucky.id, actor="staff:1", causation="", correlation="")
    voiding.void(round_=round_, operator=uuid.UUID(lucky.id), reason="malfunction", note="wet", metadata=metadata)
    voids.confirm(round_)

    recovered = recover(ann, after=seen)

    assert types(recovered) == ["RoundVoided"]
    (absence_result,) = recovered["absence"]["results"]
    assert (absence_result["rounds"], absence_result["voided"]) == (0, 1)
    assert ann.balances()["account", "real"] == "10000.00"


def test_what_was_not_read_comes_along_until_it_is(lucky: Tenant) -> None:
    ann = lucky.player("Ann")
    details = {"money_type": "real", "reason": "complaint", "amount": 2000, "owed": 0, "currency": "EUR"}
    kind = notices.NoticeKind.ADJUSTMENT_CREDIT
    notice = notices.Notice(uuid.UUID(lucky.id), uuid.UUID(ann.id), kind, uuid.uuid4(), details, "Sorry.")
    notices.notify_player(notice)

    (unread,) = recover(ann)["notices"]

    assert (unread["kind"], unread["message"]) == ("adjustment_credit", "Sorry.")
    ann.do(f"notices/{unread['id']}/read")
    assert recover(ann)["notices"] == []


def test_there_is_more_than_is_told(lucky: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    table = lucky.table("mini")
    ann = lucky.player("Ann")
    seen = now(ann)
    sit(ann, table)
    for _ in range(2):
        bet(ann, table, banker="10.00")
        deal_all()
    everything = recover(ann, after=seen)
    assert everything["absence"]["more"] is False

    monkeypatch.setattr(absence, "MAX_EVENTS", 3)
    some = recover(ann, after=seen)["absence"]

    assert (some["more"], some["events"]) == (True, everything["absence"]["events"][-3:])
    assert some["results"] == everything["absence"]["results"]
    assert some["results"][0]["rounds"] == 2


@pytest.mark.parametrize("after", ["-1", "1.5", "x", "", "9" * 19, "999999999999"])
def test_a_position_that_is_none_is_refused(lucky: Tenant, after: str) -> None:
    ann = lucky.player("Ann")
    sealer.seal_all()

    problem = ann.get("recovery", after=after)

    assert (problem.status_code, problem.json()["code"]) == (400, "invalid_cursor")


def test_an_operators_key_restores_no_game(lucky: Tenant) -> None:
    assert lucky.get("recovery").json()["code"] == "forbidden"


def test_it_takes_as_many_queries_however_much_happened(lucky: Tenant) -> None:
    ann = lucky.player("Ann")
    tables = [lucky.table("mini"), lucky.table("classic"), lucky.table("atlantic_city", rules=LONG_TURN)]
    sit(ann, tables[0])
    bet(ann, tables[0], banker="10.00")
    deal_all()
    caller = PlayerPrincipal(uuid.UUID(ann.id), uuid.UUID(lucky.id), ("EUR",), True, b"", *[database_now()] * 2)

    def queries(after: int) -> int:
        sealer.seal_all()
        with CaptureQueriesContext(connection) as captured:
            recovery.recover_game(player=caller, after=after)
        return len([query for query in captured if query["sql"].lstrip().startswith(("SELECT", "WITH"))])

    few = queries(head())
    for table in tables[1:]:
        sit(ann, table)
        for _ in range(3):
            bet(ann, table, banker="10.00")
            deal_all()

    assert queries(0) == few
    assert few <= 14
