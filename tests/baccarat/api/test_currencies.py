"""Several currencies, brands and limits groups of one operator, through the API."""

import uuid
from decimal import Decimal
from typing import Any

import pytest
from django.core.management import call_command

from baccarat.audit import engine
from casino.events import sealer
from casino.operators import brands, changes, currencies, limits_groups
from casino.operators.change import ChangeStatus
from casino.operators.limits_groups import GroupLimits
from casino.operators.models import Change, Operator
from tests.baccarat.api.people import LONG_TURN, Caller, Gambler, Tenant, deal_all, tenant, whole_database
from tests.conftest import Database
from tests.support.keys import issue_key
from tests.wallet.payments.counter import method, use_provider

YEN = {"chips": ["100", "500", "1000"], "minimum": "100", "maximum": "50000"}


@pytest.fixture
def house(database: Database) -> Tenant:
    """Return an operator that offers EUR, JPY and KWD."""
    del database
    lucky = tenant("lucky")
    currencies.change(operator=Operator.objects.get(pk=lucky.id), currencies=["EUR", "JPY", "KWD"], by="test")
    return lucky


def table_in(house: Tenant, currency: str, **rules: Any) -> str:
    return house.table("mini", currency=currency, rules={**LONG_TURN, **rules})


def sit_and_bet(player: Gambler, table: str, currency: str, buy_in: str, stake: str) -> Any:
    seat = {"seat": 1, "buy_in": buy_in, "currency": currency, "money_type": "real"}
    player.do(f"tables/{table}/seat", seat)
    wager = {"stakes": [{"spot": "banker", "amount": stake}], "currency": currency}
    return player.do(f"tables/{table}/deal", wager)


def refusal(answer: Any) -> str:
    assert answer.status_code >= 400, answer.content
    return str(answer.json()["code"])


def test_rules_are_drafted_in_the_tables_currency(house: Tenant) -> None:
    at = f"tables/{table_in(house, 'JPY', **YEN)}/versions"
    wrong = house.post(at, {"rules": {"minimum": "500.50"}}, person="ann").json()
    assert [(error["field"], error["code"]) for error in wrong["errors"]] == [("rules.minimum", "amount_malformed")]
    house.do(at, {"rules": {"minimum": "500"}}, person="ann")
    assert house.read(f"{at}/2")["rules"]["minimum"] == "500"


def test_a_player_plays_in_two_currencies_at_once_and_the_books_agree(house: Tenant) -> None:
    alice = house.player("Alice")
    house.fund(alice.id, "90000", currency="JPY")
    euros, yens = table_in(house, "EUR"), table_in(house, "JPY", **YEN)
    sit_and_bet(alice, euros, "EUR", "100.00", "10.00")
    sit_and_bet(alice, yens, "JPY", "50000", "1000")
    deal_all()
    balances = {
        (line["account"], line["balance"]["currency"]): line["balance"]["amount"]
        for line in alice.read("me/balances")["items"]
        if line["money_type"] == "real"
    }
    assert (balances["account", "EUR"], balances["account", "JPY"]) == ("9900.00", "40000")
    assert "." not in balances["game", "JPY"]
    assert alice.read("me/statement", currency="JPY")["closing"] == {"amount": "40000", "currency": "JPY"}
    sealer.seal_all()
    assert list(engine.run_audit().findings) == []


def test_chips_on_a_table_in_another_currency_are_confirmed_without_naming_it(house: Tenant) -> None:
    alice, table = house.player("Alice"), table_in(house, "KWD")
    house.fund(alice.id, "900.125", currency="KWD")
    seat = {"seat": 1, "buy_in": "900.125", "currency": "KWD", "money_type": "real"}
    alice.do(f"tables/{table}/seat", seat)
    alice.do(f"tables/{table}/place", {"spot": "banker", "amount": "5.000", "currency": "KWD"})
    staked = alice.do(f"tables/{table}/deal")["round"]["seats"][0]["stakes"]
    assert staked == [{"spot": "banker", "amount": "5.000"}]
    wager = {"stakes": [{"spot": "banker", "amount": "5.00"}], "currency": "EUR"}
    assert refusal(alice.post(f"tables/{table}/deal", wager)) == "wrong_currency"


def test_money_in_a_currency_that_is_not_there_is_refused_with_the_currency(house: Tenant) -> None:
    alice, yens = house.player("Alice"), table_in(house, "JPY", **YEN)
    seat = {"seat": 1, "buy_in": "1000", "currency": "JPY", "money_type": "real"}
    answer = alice.post(f"tables/{yens}/seat", seat)
    assert (refusal(answer), answer.json()["currency"]) == ("insufficient_funds", "JPY")
    assert refusal(alice.post(f"tables/{yens}/seat", {**seat, "currency": "EUR"})) == "wrong_currency"


@pytest.mark.parametrize(("currency", "code"), [("USD", "currency_not_offered"), ("XXX", "unknown_currency")])
def test_a_currency_that_is_not_offered_is_refused_and_changes_nothing(house: Tenant, currency: str, code: str) -> None:
    alice = house.player("Alice")
    before = whole_database()
    opening = {"name": "A table", "preset": "mini", "currency": currency, "money_types": ["play"]}
    assert refusal(house.post("tables", opening)) == code
    body = {"amount": "5.00", "currency": currency, "money_type": "real"}
    assert refusal(house.post(f"players/{alice.id}/sandbox-credits", body)) == code
    assert refusal(alice.post("me/play-money", {"currency": currency})) == code
    assert whole_database() == before


def test_a_limit_in_one_currency_leaves_play_in_another_alone(house: Tenant) -> None:
    alice = house.player("Alice")
    house.fund(alice.id, "90000", currency="JPY")
    stake = {"limit_type": "stake", "period": "day", "amount": "15.00", "currency": "EUR"}
    alice.do("me/limits", stake)
    euros, yens = table_in(house, "EUR"), table_in(house, "JPY", **YEN)
    sit_and_bet(alice, euros, "EUR", "100.00", "10.00")
    sit_and_bet(alice, yens, "JPY", "50000", "5000")
    deal_all()
    again = {"stakes": [{"spot": "banker", "amount": "10.00"}], "currency": "EUR"}
    assert refusal(alice.post(f"tables/{euros}/deal", again)) == "play_limit_reached"
    limits = alice.read("me/limits")["items"]
    used = {line["unit"]: line["used"] for line in limits if (line["limit_type"], line["period"]) == ("stake", "day")}
    assert used == {"EUR": "10.00", "JPY": "5000", "KWD": "0.000"}


def test_the_lower_maximum_of_table_and_group_holds_and_the_refusal_names_it(house: Tenant) -> None:
    alice, euros = house.player("Alice"), table_in(house, "EUR")
    limits = GroupLimits(minimum=10_00, maximum=20_00, stake_day=30_00)
    limits_groups.change(operator=uuid.UUID(house.id), name="careful", currency="EUR", limits=limits, by="test")
    limits_groups.assign(operator=uuid.UUID(house.id), player=uuid.UUID(alice.id), name="careful", by="test")
    sit_and_bet(alice, euros, "EUR", "900.00", "20.00")
    deal_all()

    def deal(amount: str) -> Any:
        wager = {"stakes": [{"spot": "banker", "amount": amount}], "currency": "EUR"}
        return alice.post(f"tables/{euros}/deal", wager)

    assert refusal(deal("25.00")) == "over_group_maximum"
    assert refusal(deal("301.00")) == "over_maximum"
    assert refusal(deal("5.00")) == "under_group_minimum"
    assert refusal(deal("15.00")) == "play_limit_reached"
    assert deal("10.00").status_code == 200


def test_a_brands_key_neither_sees_nor_uses_players_of_another_brand(house: Tenant) -> None:
    operator = uuid.UUID(house.id)
    keys = {}
    for slug in ("red", "blue"):
        brand = brands.create_brand(operator=operator, slug=slug, name=slug, shares_players=False, by="test")
        keys[slug] = Caller(".".join(issue_key(operator=operator, brand=brand.id)))
    red = keys["red"].do("players", {"reference": "7"})["id"]
    blue = keys["blue"].do("players", {"reference": "7"})["id"]
    mine = house.do("players", {"reference": "7"})["id"]
    assert len({red, blue, mine}) == 3  # a reference is unique among the players of a brand
    assert [item["id"] for item in keys["blue"].read("players")["items"]] == [blue]
    before = whole_database()
    for stranger in (red, mine):
        assert refusal(keys["blue"].get(f"players/{stranger}")) == "unknown_player"
        assert refusal(keys["blue"].get(f"players/{stranger}/balances")) == "unknown_player"
        assert refusal(keys["blue"].post(f"players/{stranger}/sessions", {})) == "unknown_player"
    assert refusal(keys["blue"].get("deposits")) == "key_is_of_a_brand"
    assert refusal(keys["blue"].post("players", {"reference": "8", "brand": "red"})) == "unknown_brand"
    assert whole_database() == before
    assert {item["id"] for item in house.read("players")["items"]} == {red, blue, mine}


def test_a_table_of_a_brand_is_neither_listed_nor_open_to_others(house: Tenant) -> None:
    brands.create_brand(operator=uuid.UUID(house.id), slug="gold", name="Gold", shares_players=True, by="test")
    alice = house.player("Alice")
    table = house.table("mini", brands=["gold"], rules=LONG_TURN)
    seat = {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "real"}
    assert alice.read("lobby")["items"] == []
    assert alice.read("tables")["items"] == []
    assert refusal(alice.get(f"tables/{table}")) == "unknown_table"
    assert refusal(alice.get("stream", table=table)) == "unknown_table"
    assert refusal(alice.post(f"tables/{table}/seat", seat)) == "unknown_table"
    session = house.do(f"players/{alice.id}/sessions", {"brand": "gold"})
    golden = Gambler(session["token"], alice.id)
    assert [each["id"] for each in golden.read("lobby")["items"]] == [table]
    assert [each["id"] for each in golden.read("tables")["items"]] == [table]
    assert golden.read(f"tables/{table}")["id"] == table
    golden.do(f"tables/{table}/seat", seat)
    again = Gambler(house.do(f"players/{alice.id}/sessions", {})["token"], alice.id)  # under no brand, but seated
    assert again.read(f"tables/{table}")["you"]["seat"] == 1
    brands.create_brand(operator=uuid.UUID(house.id), slug="red", name="Red", shares_players=True, by="test")
    operator = uuid.UUID(house.id)
    for slug, visible in (("gold", [table]), ("red", [])):
        scope = brands.find_scope(operator=operator, slug=slug)
        key = Caller(".".join(issue_key(operator=operator, brand=scope.id)))
        assert [each["id"] for each in key.read("lobby")["items"]] == visible
        assert [each["id"] for each in key.read("tables")["items"]] == visible
        assert key.get(f"tables/{table}").status_code == (200 if visible else 404)
    assert [each["id"] for each in house.read("tables")["items"]] == [table]


def test_deposits_are_offered_and_repeated_in_the_currency_that_is_named(
    house: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_provider(monkeypatch)
    alice = house.player("Alice", funds="")
    for currency in ("EUR", "KWD"):
        method(uuid.UUID(house.id), name=currency, currency=currency, fee_fixed=0, fee_ppm=0)

    def offered(caller: Caller, **query: str) -> list[tuple[str, str | None]]:
        items = caller.read("deposit-methods", **query)["items"]
        return [(each["name"], each["quote"] and each["quote"]["amount"]["amount"]) for each in items]

    assert offered(alice) == [("EUR", None)]
    assert offered(alice, currency="KWD", amount="2.5") == [("KWD", "2.500")]
    assert offered(house) == [("EUR", None), ("KWD", None)]
    assert offered(house, amount="20") == [("EUR", "20.00"), ("KWD", None)]
    assert refusal(alice.get("deposit-methods", currency="USD")) == "currency_not_offered"
    assert refusal(alice.post("me/deposits/quick", {"currency": "KWD"})) == "no_earlier_deposit"
    assert refusal(alice.post("me/deposits/quick", {"currency": "USD"})) == "currency_not_offered"


def test_currencies_and_brands_are_asked_for_by_command_and_groups_set(house: Tenant) -> None:
    call_command("operator", "currencies", house.slug, "JPY,EUR,KWD")
    call_command("operator", "brand", house.slug, "red", name="Red")
    for asked in Change.objects.filter(operator_id=house.id, status=ChangeStatus.REQUESTED):
        changes.confirm(asked.pk, by="staff:1")
    call_command("operator", "limits", house.slug, "careful", "KWD", maximum="1.250")
    own = house.read("operator")
    assert (own["currency"], own["currencies"]) == ("JPY", ["JPY", "EUR", "KWD"])
    assert [brand.slug for brand in brands.list_brands(operator=uuid.UUID(house.id))] == ["red"]


@pytest.mark.parametrize(
    ("currency", "stakes", "returns"),
    [
        ("EUR", "5.00,6.00,7.00,11.00", ["98.94%", "97.41%", "97.96%", "98.11%"]),
        ("JPY", "500,600", ["98.94%", "97.41%"]),
    ],
)
def test_the_return_of_a_stake_is_that_of_the_commission_as_it_is_rounded(
    house: Tenant, currency: str, stakes: str, returns: list[str]
) -> None:
    table = house.table("overview", currency=currency)
    alice = house.player("Alice")

    spots = {each["spot"]: each for each in alice.read(f"tables/{table}/odds", stakes=stakes)["spots"]}

    asked = spots["banker"]["at_stakes"]
    assert [each["stake"] for each in asked] == stakes.split(",")
    assert [f"{Decimal(each['return']['decimal']):.2%}" for each in asked] == returns
    assert {each["return"]["fraction"] for each in spots["player"]["at_stakes"]} == {
        spots["player"]["exact"]["return"]["fraction"]
    }
    assert alice.read(f"tables/{table}/odds")["spots"][0]["at_stakes"] == []


@pytest.mark.parametrize(
    ("stakes", "code"),
    [
        ("much", "amount_malformed"),
        ("5.00,", "amount_malformed"),
        ("0", "amount_not_positive"),
        ("5.50", "amount_not_in_chips"),
    ],
)
def test_a_return_is_told_only_of_stakes_that_the_tables_chips_make_up(house: Tenant, stakes: str, code: str) -> None:
    answer = house.player("Alice").get(f"tables/{house.table('overview')}/odds", stakes=stakes)
    assert (answer.status_code, refusal(answer)) == (422, code)
