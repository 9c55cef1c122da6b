"""The whole life of a game over HTTP, on each preset, from registering to leaving with the money."""

from decimal import ROUND_UP, Decimal
from typing import Any

import pytest

from casino.events.sql import fetch
from tests.baccarat.api.people import LONG_TURN, Gambler, Tenant, bet, deal_all, sit
from tests.support.spots import written

ALONE = ("overview", "mini", "classic")
IN_COMPANY = ("atlantic_city", "big_table")
POINTS = {"A": 1, "T": 0, "J": 0, "Q": 0, "K": 0}
WIN, LOSE, PUSH = "win", "lose", "push"


def points(cards: list[str]) -> int:
    return sum(POINTS.get(card[0], 0) or int(card[0] if card[0].isdigit() else 0) for card in cards) % 10


def commission(preset: str, win: Decimal) -> Decimal:
    """Compute the commission on a Banker win without the rules engine; the lowest chip is 1.00."""
    if preset == "atlantic_city":
        return Decimal(0)
    exact = win * 5 / 100
    return (exact * 4).quantize(Decimal(1), ROUND_UP) / 4 if preset == "overview" else exact


def expected(preset: str, spot: str, stake: Decimal, outcome: str) -> dict[str, str]:
    """Return a stake's result as the API must show it."""
    if outcome == "tie" != spot:
        result, win = PUSH, Decimal(0)
    elif outcome != spot:
        result, win = LOSE, Decimal(0)
    else:
        tie = 9 if preset == "classic" else 8
        result, win = WIN, stake * (tie if spot == "tie" else 1)
    fee = commission(preset, win) if spot == "banker" else Decimal(0)
    returned = Decimal(0) if result == LOSE else stake + win - fee
    shown = {"stake": stake, "won": win, "commission": fee, "returned": returned}
    return {"spot": spot, "result": result, **{name: f"{amount:.2f}" for name, amount in shown.items()}}


def require_right(round_: dict[str, Any], preset: str) -> None:
    """Assert that cards, hands, outcome and every payout of a settled round agree."""
    player, banker = round_["player_hand"], round_["banker_hand"]
    cards = round_["cards"]
    assert round_["phase"] == "settled"
    assert [*player["cards"][:2], *banker["cards"][:2]] == [cards[0], cards[2], cards[1], cards[3]]
    assert sorted(player["cards"] + banker["cards"]) == sorted(cards)
    assert [*player["cards"][2:], *banker["cards"][2:]] == cards[4:]
    assert (points(player["cards"]), points(banker["cards"])) == (player["total"], banker["total"])
    margin = player["total"] - banker["total"]
    assert round_["outcome"] == ("player" if margin > 0 else "banker" if margin < 0 else "tie")
    assert round_["natural"] is (max(points(cards[0:4:2]), points(cards[1:4:2])) >= 8)
    for seat in round_["seats"]:
        if seat["stakes"] is not None:
            _require_paid(seat, preset, round_["outcome"])


def _require_paid(seat: dict[str, Any], preset: str, outcome: str) -> None:
    result = seat["result"]
    stakes = {stake["spot"]: Decimal(stake["amount"]) for stake in seat["stakes"]}
    assert result["spots"] == [expected(preset, spot, stake, outcome) for spot, stake in stakes.items()]
    for total, part in (("staked", "stake"), ("won", "won"), ("commission", "commission"), ("returned", "returned")):
        assert Decimal(result[total]) == sum(Decimal(spot[part]) for spot in result["spots"])
    assert result["commission_deferred"] is (preset == "big_table")


def require_balanced(player: Gambler, table: str) -> None:
    """Assert that a statement's lines add up to the balances that are shown."""
    where: tuple[dict[str, Any], ...] = ({"account": "account"}, {"account": "game", "table": table})
    for which in where:
        lines = player.pages("me/statement", **which)
        lines.reverse()
        assert [line["sequence"] for line in lines] == list(range(1, len(lines) + 1))
        balance = Decimal(0)
        for line in lines:
            balance += Decimal(line["amount"]["amount"])
            assert Decimal(line["balance"]["amount"]) == balance
        assert player.balances()[which["account"], "real"] == f"{balance:.2f}"


@pytest.mark.parametrize("preset", ALONE)
def test_a_player_alone_at_a_table_lives_a_whole_life(lucky: Tenant, preset: str) -> None:
    alice = lucky.player("Alice", funds="2000.00")
    table = lucky.table(preset)
    at = f"tables/{table}"
    assert alice.read(at)["rules"]["preset"] == preset
    odds = alice.read(f"{at}/odds")
    assert odds == lucky.read(f"{at}/odds")
    assert {spot["spot"] for spot in odds["spots"]} == {"player", "banker", "tie"}

    seated = sit(alice, table)
    assert (seated["you"]["game_balance"]["amount"], seated["round"], seated["you"]["in_round"]) == (
        "1000.00",
        None,
        False,
    )
    assert alice.do(f"{at}/new-game")["round"]["phase"] == "betting"
    chips = {"spot": "banker", "amount": "6.00", "currency": "EUR"}
    assert alice.do(f"{at}/place", chips)["round"]["seats"][0]["placed"] == [{"spot": "banker", "amount": "6.00"}]
    assert alice.do(f"{at}/place", chips)["round"]["seats"][0]["placed"] == [{"spot": "banker", "amount": "12.00"}]
    assert alice.do(f"{at}/undo")["round"]["seats"][0]["placed"] == [{"spot": "banker", "amount": "6.00"}]
    assert alice.do(f"{at}/double")["round"]["seats"][0]["placed"] == [{"spot": "banker", "amount": "12.00"}]
    assert alice.do(f"{at}/clear")["round"]["seats"][0]["placed"] == []
    alice.do(f"{at}/place", chips)
    assert alice.do(f"{at}/new-game")["round"]["seats"][0]["placed"] == []
    alice.do(f"{at}/place", chips)
    dealt = alice.do(f"{at}/deal")
    assert dealt["you"]["status"] == dealt["round"]["seats"][0]["status"] == "confirmed"
    assert dealt["you"]["game_balance"]["amount"] == "994.00"
    assert dealt["round"]["cards"] == []
    deal_all()
    after = alice.read(at)
    assert after["round"] is None
    require_right(after["last_round"], preset)
    assert Decimal(after["you"]["game_balance"]["amount"]) == 994 + Decimal(
        after["last_round"]["seats"][0]["result"]["returned"]
    )

    assert alice.do(f"{at}/rebet")["round"]["seats"][0]["placed"] == [{"spot": "banker", "amount": "6.00"}]
    alice.do(f"{at}/deal")
    deal_all()
    assert alice.do(f"{at}/rebet-and-deal")["you"]["status"] == "confirmed"
    deal_all()
    alice.do(f"{at}/new-game")
    assert alice.do(f"{at}/pass")["you"]["status"] == "passed"
    deal_all()
    bet(alice, table, tie="5.00") if preset == "classic" else bet(alice, table, player="25.00", tie="5.00")
    deal_all()

    history = alice.pages("rounds")
    assert [round_["number"] for round_ in history] == [5, 3, 2, 1]
    assert [round_["number"] for round_ in lucky.pages(f"{at}/rounds")] == [5, 4, 3, 2, 1]
    for shown in history:
        require_right(shown, preset)
        assert alice.read(f"rounds/{shown['id']}") == shown
    passed = alice.read(f"{at}/rounds")["items"][1]
    assert (passed["phase"], passed["cards"], passed["outcome"]) == ("lapsed", [], None)
    kinds = [event["type"] for event in alice.read(f"rounds/{history[-1]['id']}/events")["items"]]
    assert kinds == [
        "RoundOpened", "ChipsPlaced", "ChipsPlaced", "PlacementUndone", "StakesRebet", "ChipsCleared", "ChipsPlaced",
        "ChipsCleared", "ChipsPlaced", "WagerConfirmed", "BettingClosed", "CardsDealt", "RoundSettled",
    ]  # fmt: skip
    _leaves(alice, lucky, table, seat=1)


@pytest.mark.parametrize("preset", IN_COMPANY)
def test_players_in_company_live_a_whole_life(lucky: Tenant, preset: str) -> None:
    alice, bob = lucky.player("Alice", funds="2000.00"), lucky.player("Bob", funds="2000.00")
    table = lucky.table(preset, rules=LONG_TURN)
    at = f"tables/{table}"
    assert {spot["spot"] for spot in lucky.read(f"{at}/odds")["spots"]} == {"player", "banker", "tie"}
    assert lucky.read(f"{at}/odds")["player_edge"] == (["banker"] if preset == "atlantic_city" else [])

    assert sit(alice, table)["you"]["in_round"] is True
    waiting = sit(bob, table, 2)
    assert (waiting["you"]["in_round"], waiting["you"]["status"]) == (False, None)
    alice.do(f"{at}/pass")
    deal_all()
    state = bob.read(at)
    assert (state["round"]["number"], state["you"]["in_round"], state["last_round"]) == (2, True, None)
    assert state["round"]["deadline_at"] > state["server_time"]

    chips = {"spot": "banker", "amount": "75.00", "currency": "EUR"}
    alice.do(f"{at}/place", chips)
    alice.do(f"{at}/place", chips)
    assert alice.do(f"{at}/undo")["round"]["seats"][0]["placed"] == [{"spot": "banker", "amount": "75.00"}]
    alice.do(f"{at}/clear")
    alice.do(f"{at}/place", chips)
    alice.do(f"{at}/deal")
    deal_all()
    assert alice.read(at)["round"]["phase"] == "betting"
    bobs = bet(bob, table, tie="3.00", player="25.00") if preset == "atlantic_city" else bet(bob, table, tie="25.00")
    if preset == "atlantic_city":
        assert bobs["round"]["seats"][1]["raised"] == [{"spot": "tie", "amount": "2.00"}]
        assert bobs["you"]["game_balance"]["amount"] == "970.00"
    deal_all()
    require_right(alice.read(at)["last_round"], preset)
    alice.do(f"{at}/rebet")
    alice.do(f"{at}/deal")
    bob.do(f"{at}/pass")
    deal_all()
    alice.do(f"{at}/rebet-and-deal")
    bob.do(f"{at}/rebet-and-deal")
    deal_all()

    assert [round_["number"] for round_ in alice.pages("rounds")] == [4, 3, 2]
    assert [round_["number"] for round_ in bob.pages("rounds")] == [4, 2]
    for shown in lucky.pages("rounds"):
        if shown["phase"] == "settled":
            require_right(shown, preset)
    settled = lucky.pages("rounds")[1]
    assert [seat["player"] for seat in settled["seats"]] == [alice.id, bob.id]
    assert settled["commitment"] is None if preset == "big_table" else len(settled["seed"]) == 64
    assert (alice.read(at)["shoe"] is not None) is (preset == "big_table")
    moved = bob.do(f"{at}/change-seat", {"seat": 4})
    assert [(seat["seat"], seat["you"]) for seat in moved["seats"]] == [(1, False), (4, True)]
    _leaves(bob, lucky, table, seat=4)
    _leaves(alice, lucky, table, seat=1)


def test_a_table_by_an_operators_own_rules_plays_by_them(lucky: Tenant) -> None:
    rules = {
        **LONG_TURN, "decks": 1, "shuffle": "shoe", "cut_cards_from_end": 14, "burn": True, "chips": ["2.00"],
        "minimum": "4.00", "maximum": "40.00", "under_minimum": "raise",
        "spots": written(
            player="2:3", banker="1:2", tie="7:1",
            commission={"rate": "1/10", "rounding": "1/1", "timing": "deferred"},
        ),
    }  # fmt: skip
    sentence = (
        "We accept that Banker returns 55.3240%, less than our floor of 75.0000% and that Tie returns 74.8923%, "
        "less than our floor of 75.0000%."
    )
    table = lucky.table("mini", rules=rules, acknowledgement=sentence)
    alice = lucky.player("Alice")
    sit(alice, table)
    pays = {"player": Decimal(2) / 3, "banker": Decimal(1) / 2, "tie": Decimal(7)}
    for _ in range(12):
        bet(alice, table, player="6.00", banker="12.00", tie="2.00")
        deal_all()
        round_ = alice.read("rounds", limit=1)["items"][0]
        (seat,) = round_["seats"]
        assert seat["raised"] == [{"spot": "tie", "amount": "2.00"}]
        stakes = {"player": Decimal(6), "banker": Decimal(12), "tie": Decimal(4)}
        assert Decimal(seat["result"]["won"]) == stakes[round_["outcome"]] * pays[round_["outcome"]]
        assert seat["result"]["commission"] == ("2.00" if round_["outcome"] == "banker" else "0.00")
    assert alice.read(f"tables/{table}")["shoe"]["number"] > 1


def _leaves(player: Gambler, house: Tenant, table: str, *, seat: int) -> None:
    at = f"tables/{table}"
    before = Decimal(player.read(at)["you"]["game_balance"]["amount"])
    assert player.do(f"{at}/change-seat", {"seat": seat})["you"]["seat"] == seat
    rebought = player.do(f"{at}/rebuy", {"amount": "200.50", "currency": "EUR"})
    assert Decimal(rebought["you"]["game_balance"]["amount"]) == before + Decimal("200.50")
    require_balanced(player, table)
    owed = Decimal(rebought["you"]["commission_set_aside"]["amount"])
    left = player.do(f"{at}/leave")
    assert left["you"] is None
    assert seat not in [taken["seat"] for taken in left["seats"]]
    require_balanced(player, table)
    end = player.balances()
    assert end["game", "real"] == "0.00"
    assert end["account", "play"] == "2000.00"
    results = [seat["result"] for round_ in player.pages("rounds") for seat in round_["seats"] if seat["you"]]
    net = sum(Decimal(result["returned"]) - Decimal(result["staked"]) for result in results)
    deferred = sum(Decimal(result["commission"]) for result in results if result["commission_deferred"])
    assert deferred == owed
    assert Decimal(end["account", "real"]) == 2000 + net
    assert player.read("me/balances") == house.read(f"players/{player.id}/balances")
    player.send("delete", "sessions/current")
    assert player.get(at).json()["code"] == "invalid_credentials"


def test_a_wager_names_the_session_it_was_made_in_by_what_nobody_can_log_in_with(lucky: Tenant) -> None:
    table, alice = lucky.table("mini"), lucky.player("Alice")
    sit(alice, table)
    bet(alice, table, banker="10.00")
    ((session,),) = fetch("SELECT token_hash FROM operators_playersession WHERE player_id = %s", [alice.id])
    made = "SELECT DISTINCT metadata->>'causation' FROM events_event WHERE metadata->>'actor' = %s"
    assert fetch(made, [f"player:{alice.id}"]) == [(f"session:{bytes(session).hex()[:32]}",)]
