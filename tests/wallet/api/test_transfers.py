"""Transfers and funding over HTTP: an operator's server moves its players' money in and out, by references."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from baccarat.compliance import subscriber
from casino.events import sealer
from casino.events.sql import execute, fetch
from casino.feed import writer
from casino.kernel.money import MoneyType
from casino.operators import brands, key_limits
from casino.operators.key_limits import KeyLimits, Movement
from casino.operators.models import Operator
from casino.operators.principals import Scope
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import Gambler, Tenant, bet, deal_all, sit, tenant
from tests.support.keys import issue_key
from tests.wallet.payments.counter import method as method_of
from tests.wallet.payments.counter import use_provider
from tests.wallet.remote.operators import proven
from wallet.ledger import store
from wallet.ledger.accounts import AccountKind, operator_account

pytestmark = pytest.mark.django_db
HOUSE = {"funding": "house", "wallet_url": None, "wallet_profile": None}


def new_house() -> Tenant:
    house = tenant("lucky")
    house.agree("operator/funding", {"funding": "transfer"})
    return house


@pytest.fixture
def house() -> Tenant:
    return new_house()


def order(**changes: Any) -> dict[str, Any]:
    return {"reference": "tx-1", "direction": "in", "amount": "100.00", "currency": "EUR", **changes}


def move(house: Tenant, player: Gambler, **changes: Any) -> Any:
    return house.post(f"players/{player.id}/transfers", order(**changes))


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json().get("code", "")


def wallet(house: Tenant, money_type: MoneyType = MoneyType.REAL) -> int:
    name = operator_account(kind=AccountKind.WALLET, operator=UUID(house.id), money_type=money_type, currency="EUR")
    return store.balances([name])[name]


def test_money_moves_in_is_played_with_and_moves_out_again(house: Tenant) -> None:
    alice = house.player("Alice", funds="1.00")
    done = move(house, alice).json()
    assert (done["amount"]["amount"], done["balance"]["amount"]) == ("100.00", "101.00")
    assert (alice.balances()["account", "real"], wallet(house)) == ("101.00", -10_000)

    table = house.table("mini")
    sit(alice, table, buy_in="50.00")
    bet(alice, table, player="5.00")
    deal_all()
    alice.do(f"tables/{table}/leave")
    left = alice.balances()["account", "real"]
    out = move(house, alice, reference="tx-2", direction="out", amount="all").json()
    assert (out["amount"]["amount"], out["balance"]["amount"]) == (left, "0.00")
    assert wallet(house) == -10_000 + int(left.replace(".", ""))
    lines = alice.read("me/statement", kind="transfer_out")["items"]
    assert [line["amount"]["amount"] for line in lines] == [f"-{left}"]


def test_a_reference_moves_money_once_whatever_the_idempotency_key(house: Tenant) -> None:
    alice, bob = house.player("Alice", funds="1.00"), house.player("Bob", funds="1.00")
    first = move(house, alice)
    again = move(house, alice)
    assert (again.status_code, again.content) == (first.status_code, first.content) == (201, first.content)
    others = [
        {"amount": "100.01"}, {"amount": "all", "direction": "out"}, {"direction": "out"}, {"money_type": "play"},
    ]  # fmt: skip
    assert {code(move(house, alice, **other)) for other in others} == {(409, "reference_differs")}
    assert code(move(house, bob)) == (409, "reference_differs")
    assert (alice.balances()["account", "real"], wallet(house)) == ("101.00", -10_000)

    everything = move(house, alice, reference="tx-2", direction="out", amount="all")
    move(house, alice, reference="tx-3")
    assert move(house, alice, reference="tx-2", direction="out", amount="all").content == everything.content
    assert code(move(house, alice, reference="tx-2", direction="out", amount="101.00")) == (409, "reference_differs")


def test_all_of_nothing_is_a_transfer_of_nothing(house: Tenant) -> None:
    alice = house.player("Alice", funds="1.00")
    move(house, alice, direction="out", amount="all")
    done = move(house, alice, reference="tx-2", direction="out", amount="all").json()
    assert (done["amount"]["amount"], done["balance"]["amount"]) == ("0.00", "0.00")
    assert wallet(house) == 100


def test_money_of_each_type_and_currency_moves_apart() -> None:
    house = tenant("lucky")
    Operator.objects.filter(pk=house.id).update(currencies=["EUR", "JPY"])
    house = replace(house, credential=".".join(issue_key(operator=UUID(house.id))))
    house.agree("operator/funding", {"funding": "transfer"})
    alice = house.player("Alice", funds="1.00")
    play = move(house, alice, money_type="play").json()
    assert (play["money_type"], wallet(house), wallet(house, MoneyType.PLAY)) == ("play", 0, -10_000)
    yen = move(house, alice, reference="tx-2", amount="500", currency="JPY").json()
    assert yen["balance"] == {"amount": "500", "currency": "JPY"}


def test_the_excluded_get_money_out_and_none_in(house: Tenant) -> None:
    alice = house.player("Alice", funds="30.00")
    house.do(f"players/{alice.id}/exclusions", {"kind": "self_exclusion", "months": 6, "set_by": "operator"})
    for money_type in ("real", "play"):
        assert code(move(house, alice, money_type=money_type)) == (403, "player_excluded")
    assert move(house, alice, direction="out", amount="10.00").json()["balance"]["amount"] == "20.00"
    assert house.get("transfers/tx-1").status_code == 200


def test_while_deposits_are_stopped_money_comes_out_and_none_in_but_a_known_transfer_has_its_answer(
    house: Tenant,
) -> None:
    alice = house.player("Alice", funds="30.00")
    stop = {"scope": "operator", "reason": "A breach."}
    house.do("stops", stop)
    before = move(house, alice, reference="before").json()

    house.do("stops", {**stop, "deposits": True})
    for money_type in ("real", "play"):
        assert code(move(house, alice, money_type=money_type)) == (403, "deposits_are_stopped")
    assert move(house, alice, reference="before").json() == before
    assert move(house, alice, reference="out", direction="out", amount="10.00").json()["balance"]["amount"] == "120.00"
    house.agree("stops/resume", stop)
    assert move(house, alice).status_code == 201


def test_the_frozen_do_not_play_get_no_money_in_and_what_leaves_for_their_wallet_is_not_held(house: Tenant) -> None:
    alice, table = house.player("Alice", funds="30.00"), house.table("mini")
    sit(alice, table, buy_in="20.00")
    house.do(f"players/{alice.id}/freeze", {"reason": "An order"}, person="carla")
    alice = Gambler(house.do(f"players/{alice.id}/sessions", {})["token"], alice.id)
    assert alice.balances()["account", "real"] == "30.00"  # the seat is left
    seat = {"seat": 1, "buy_in": "10.00", "currency": "EUR", "money_type": "real"}
    assert code(alice.post(f"tables/{table}/seat", seat)) == (403, "player_blocked")
    assert code(move(house, alice, reference="in")) == (403, "player_blocked")
    assert move(house, alice, direction="out", amount="all").json()["balance"]["amount"] == "0.00"
    sealer.seal_all()
    while writer.write_new_items():
        pass
    (item,) = house.read("feed", types="wallet.player.frozen.v1")["items"]
    assert item["data"]["player"] == alice.id
    assert fetch("SELECT FROM wallet_hold") == []


def test_more_than_is_there_or_owed_money_does_not_move_out(house: Tenant) -> None:
    alice = house.player("Alice", funds="30.00")
    refused = move(house, alice, direction="out", amount="30.01")
    assert (*code(refused), refused.json()["balance"]) == (409, "insufficient_funds", "30.00")
    house.agree("adjustments", {
        "player": alice.id, "direction": "debit", "amount": "50.00", "currency": "EUR", "reason": "abuse",
        "note": "Two accounts.", "as_debt": True,
    })  # fmt: skip
    assert code(move(house, alice, direction="out", amount="all")) == (409, "debt_outstanding")
    paid = move(house, alice, amount="25.00").json()
    assert (paid["balance"]["amount"], alice.balances()["account", "real"]) == ("25.00", "5.00")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"reference": "a b"}, "field_invalid"),
        ({"reference": ""}, "field_blank"),
        ({"reference": "x" * 81}, "field_too_long"),
        ({"reference": 7}, "not_a_string"),
        ({"amount": "0.00"}, "amount_not_positive"),
        ({"amount": "10.005"}, "amount_malformed"),
        ({"amount": "all"}, "field_invalid"),
        ({"amount": None}, "field_null"),
        ({"currency": "USD"}, "currency_not_offered"),
        ({"direction": "back"}, "unknown_choice"),
        ({"tip": "1"}, "unknown_field"),
    ],
)
def test_bad_input_is_refused_and_moves_nothing(house: Tenant, changes: dict[str, Any], expected: str) -> None:
    answer = move(house, house.player("Alice"), **changes)
    assert code(answer) == (422, expected)
    assert house.read("transfers")["items"] == []


def test_lists_are_paged_and_filtered_and_a_reference_finds_its_transfer(house: Tenant) -> None:
    alice, bob = house.player("Alice"), house.player("Bob")
    for number, player in enumerate((alice, bob, alice), 1):
        move(house, player, reference=f"tx-{number}", direction="out" if number == 3 else "in")

    def references(**query: Any) -> list[str]:
        return [item["reference"] for item in house.pages("transfers", **query)]

    assert references() == ["tx-3", "tx-2", "tx-1"]
    assert references(player=alice.id) == ["tx-3", "tx-1"]
    assert references(direction="in") == ["tx-2", "tx-1"]
    at = house.read("transfers/tx-2")["at"]
    assert references(**{"from": at}) == ["tx-3", "tx-2"]
    assert references(to=at) == ["tx-1"]
    assert code(house.get("transfers", **{"from": at, "to": at})) == (422, "period_reversed")
    assert code(house.get("transfers/tx-4")) == (404, "unknown_transfer")


def test_another_operator_neither_sees_a_transfer_nor_is_hindered_by_its_reference(house: Tenant) -> None:
    alice, other = house.player("Alice"), new_house()
    move(house, alice)
    assert code(other.get("transfers/tx-1")) == (404, "unknown_transfer")
    assert other.read("transfers")["items"] == []
    assert code(move(other, alice)) == (404, "unknown_player")
    assert move(other, other.player("Carol")).status_code == 201


def test_a_key_needs_the_scope_and_a_key_of_a_brand_its_own_player(house: Tenant) -> None:
    operator = UUID(house.id)
    alice = house.player("Alice", funds="1.00")
    reader = Tenant(".".join(issue_key(operator=operator, scopes=[Scope.READ])), house.id, house.slug)
    assert code(move(reader, alice)) == (403, "scope_missing")
    assert reader.read("transfers")["items"] == []
    brand = brands.create_brand(operator=operator, slug="red", name="Red", shares_players=False, by="test")
    red = Tenant(".".join(issue_key(operator=operator, brand=brand.id)), house.id, house.slug)
    assert code(move(red, alice)) == (404, "unknown_player")
    assert code(red.get("transfers")) == (403, "key_is_of_a_brand")
    assert move(red, red.player("Ruby", funds="1.00")).status_code == 201


def test_transfers_count_to_the_limits_of_a_key_once(house: Tenant) -> None:
    alice, key = house.player("Alice", funds="1.00"), house.credential.split(".")[0]
    for movement in (Movement.CREDIT, Movement.DEBIT):
        key_limits.change(key=key, movement=movement, currency="EUR", limits=KeyLimits(None, 10_000), by="test")
    assert {move(house, alice).status_code for _ in range(3)} == {201}
    assert code(move(house, alice, reference="tx-2", amount="0.01")) == (403, "key_limit_reached")
    assert move(house, alice, reference="tx-3", direction="out", amount="100.00").status_code == 201
    assert code(move(house, alice, reference="tx-4", direction="out", amount="all")) == (403, "key_limit_reached")
    assert [item["reference"] for item in house.read("transfers")["items"]] == ["tx-3", "tx-1"]


def test_the_feed_and_the_record_of_significant_events_have_transfers(house: Tenant) -> None:
    alice = house.player("Alice", funds="1.00")
    move(house, alice, amount="25000.00")
    sealer.seal_all()
    while writer.write_new_items():
        pass
    (item,) = house.read("feed", types="wallet.transfer.completed.v1")["items"]
    assert item["subject"] == "transfers/tx-1"
    assert (item["data"]["amount"], item["data"]["direction"]) == ("25000.00", "in")
    subscriber.record_new_events()
    reasons = SignificantEvent.objects.filter(operator_id=house.id).values_list("kind", "reason")
    assert ("large_payment", "A large transfer") in set(reasons)
    assert ("config_changed", "The funding of the operator's players was changed") in set(reasons)


def test_funding_changes_only_while_no_payment_is_under_way(monkeypatch: pytest.MonkeyPatch) -> None:
    use_provider(monkeypatch)
    house = tenant("lucky")
    assert house.read("operator/funding") == HOUSE
    alice, method = house.player("Alice"), str(method_of(UUID(house.id)).id)
    assert code(move(house, alice)) == (409, "funding_differs")
    payment = {"method": method, "amount": "50.00", "currency": "EUR"}
    for path in ("me/deposits", "me/withdrawals"):
        alice.do(path, payment)
        refused = house.post("operator/funding", {"funding": "transfer"}, person="ann")
        assert (*code(refused), refused.json()["payments"]) == (409, "funding_in_use", 1)
        execute("UPDATE wallet_deposit SET status = 'failed'")
        execute("UPDATE wallet_withdrawal SET status = 'paid'")
    house.agree("operator/funding", {"funding": "house"})
    assert house.read("operator/funding") == HOUSE
    house.agree("operator/funding", {"funding": "transfer"})
    for wrong in ({"funding": "seamless"}, {"funding": "transfer", "wallet_url": "https://wallet.example"}):
        assert code(house.post("operator/funding", wrong, person="ann")) == (422, "wallet_address_invalid")
    seamless = proven({"funding": "seamless", "wallet_url": "https://wallet.example/"})
    refused = house.post("operator/funding", seamless, person="ann")
    assert (*code(refused), refused.json()["accounts"]) == (409, "funding_money_held", 2)
    assert code(tenant("empty").post("operator/funding", seamless, person="ann")) == (409, "wallet_key_missing")

    for path, body in (("me/deposits", payment), ("me/deposits/quick", {}), ("me/withdrawals", payment)):
        refused = alice.post(path, body)
        assert (*code(refused), refused.json()["needed"]) == (409, "funding_differs", "house")
    assert alice.read("deposit-methods")["items"] == []
    assert method in [each["id"] for each in house.read("deposit-methods")["items"]]
    house.agree("operator/funding", {"funding": "house"})
    assert alice.do("me/deposits", payment)["status"] == "pending"
    assert fetch("SELECT funding, version FROM wallet_funding") == [("house", 2)]


def test_a_poor_player_is_offered_no_deposit_where_money_is_transferred(house: Tenant) -> None:
    alice, table = house.player("Alice", funds="12.00"), house.table("mini")
    sit(alice, table, buy_in="10.00")
    bet(alice, table, player="10.00")
    low = alice.read(f"tables/{table}")["you"]["low_balance"]
    assert [option["type"] for option in low["funding_options"]] == ["rebuy"]


def test_a_live_operators_funding_takes_two_persons_and_no_delay() -> None:
    house = tenant("lucky")
    assert code(house.post("operator/funding", {"funding": "transfer"})) == (403, "assertion_required")
    refused = house.post("operator/funding", {"funding": "seamless"}, person="ann")
    assert code(refused) == (422, "wallet_address_invalid")
    change = house.post("operator/funding", {"funding": "transfer"}, person="ann")
    assert (change.status_code, change.json()["kind"]) == (202, "funding")
    path = f"changes/{change.json()['id']}/confirm"
    assert code(house.post(path, person="ann")) == (403, "change_needs_second_person")
    assert house.do(path, person="ben")["status"] == "effective"
    assert house.read("operator/funding") == {**HOUSE, "funding": "transfer"}


def test_a_confirmation_waits_for_a_moment_without_payments(monkeypatch: pytest.MonkeyPatch) -> None:
    use_provider(monkeypatch)
    house = tenant("lucky")
    alice, method = house.player("Alice"), str(method_of(UUID(house.id)).id)
    change = house.do("operator/funding", {"funding": "transfer"}, person="ann")["id"]
    alice.do("me/deposits", {"method": method, "amount": "50.00", "currency": "EUR"})
    assert code(house.post(f"changes/{change}/confirm", person="ben")) == (409, "funding_in_use")
    execute("UPDATE wallet_deposit SET status = 'failed'")
    assert house.do(f"changes/{change}/confirm", person="ben")["status"] == "effective"
