"""Limits on the real money that an API key moves, by request and by day."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from django.core.management import call_command

from casino.operators import key_limits
from casino.operators.key_limits import KeyLimits, Movement
from casino.operators.key_models import KeyLimit
from casino.operators.refusals import InvalidKeyLimit, KeyLimitReached, UnknownKey
from casino.significant.models import SignificantEvent
from tests.baccarat.api.people import Gambler, Tenant, sandbox_tenant
from tests.support.keys import issue_key

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def lucky() -> Tenant:
    return sandbox_tenant("lucky")


def key_of(house: Tenant) -> str:
    return house.credential.partition(".")[0]


def limit(house: Tenant, movement: Movement, *amounts: int | None, currency: str = "EUR") -> None:
    limits = KeyLimits(*amounts) if amounts else None
    key_limits.change(key=key_of(house), movement=movement, currency=currency, limits=limits, by="command")


def credit(house: Tenant, player: Gambler, amount: str, **more: str) -> Any:
    body = {"amount": amount, "currency": "EUR", "money_type": "real", **more}
    answer = house.post(f"players/{player.id}/sandbox-credits", body)
    return answer.json().get("period", answer.status_code)


def test_a_key_credits_up_to_its_limits_and_a_refused_credit_counts_nothing(lucky: Tenant) -> None:
    ann = lucky.player("Ann", funds="1.00")
    limit(lucky, Movement.CREDIT, 50_00, 120_00)

    assert [credit(lucky, ann, amount) for amount in ("50.01", "50.00", "50.00", "20.01", "20.00", "0.01")] == [
        "request", 201, 201, "day", 201, "day",
    ]  # fmt: skip

    assert ann.balances()["account", "real"] == "121.00"
    (line,) = lucky.read("operator/key")["limits"]
    assert (line["per_request"], line["per_day"], line["moved_today"]) == ("50.00", "120.00", "120.00")


def test_play_money_is_not_limited(lucky: Tenant) -> None:
    ann = lucky.player("Ann", funds="1.00")
    limit(lucky, Movement.CREDIT, 0)

    assert credit(lucky, ann, "5.00") == "request"
    assert credit(lucky, ann, "5.00", money_type="play") == 201


def test_a_key_with_a_limit_moves_nothing_that_it_has_no_limit_for(lucky: Tenant) -> None:
    ann = lucky.player("Ann", funds="1.00")
    limit(lucky, Movement.DEPOSIT, 50_00)
    assert credit(lucky, ann, "0.01") == "request"

    limit(lucky, Movement.CREDIT, None, 10_00)
    assert [credit(lucky, ann, "10.00"), credit(lucky, ann, "0.01")] == [201, "day"]

    for movement in (Movement.DEPOSIT, Movement.CREDIT):
        limit(lucky, movement)
    assert credit(lucky, ann, "1000.00") == 201


def test_a_repeated_request_counts_once(lucky: Tenant) -> None:
    ann = lucky.player("Ann", funds="1.00")
    limit(lucky, Movement.CREDIT, None, 10_00)
    body = {"amount": "6.00", "currency": "EUR", "money_type": "real"}

    answers = [lucky.post(f"players/{ann.id}/sandbox-credits", body, key="the-same") for _ in range(3)]

    assert {answer.status_code for answer in answers} == {201}
    assert lucky.read("operator/key")["limits"][0]["moved_today"] == "6.00"


def test_an_adjustment_counts_for_the_key_by_which_it_is_confirmed(lucky: Tenant) -> None:
    ann = lucky.player("Ann", funds="100.00")
    limit(lucky, Movement.CREDIT, 20_00)
    limit(lucky, Movement.DEBIT, 5_00)

    def adjust(direction: str, amount: str) -> Any:
        body = {"player": ann.id, "direction": direction, "amount": amount, "currency": "EUR", "reason": "complaint"}
        adjustment = lucky.do("adjustments", {**body, "money_type": "real", "note": "Error."}, person="alice")["id"]
        answer = lucky.post(f"changes/{adjustment}/confirm", person="bert").json()
        return answer.get("code", answer["status"])

    assert [adjust("credit", "20.01"), adjust("credit", "20.00")] == ["key_limit_reached", "effective"]
    assert [adjust("debit", "5.01"), adjust("debit", "5.00")] == ["key_limit_reached", "effective"]


def test_a_day_ends_at_midnight_utc_and_never_begins_twice(lucky: Tenant) -> None:
    limit(lucky, Movement.DEPOSIT, None, 10_00)

    def count(amount: int, now: datetime) -> None:
        key_limits.count(key_of(lucky), Movement.DEPOSIT, amount, "EUR", now=now)

    count(10_00, NOON.replace(year=2027, hour=23, minute=59, second=59))
    with pytest.raises(KeyLimitReached):
        count(1, NOON.replace(year=2027, hour=23, minute=59, second=59))
    count(4_00, NOON.replace(year=2027, day=2, hour=0))
    with pytest.raises(KeyLimitReached):  # waited for the row since before midnight
        count(7_00, NOON.replace(year=2027, hour=23))
    count(6_00, NOON.replace(year=2027, hour=23))

    assert KeyLimit.objects.get().moved == 10_00


def test_what_cannot_be_a_limit_is_refused(lucky: Tenant) -> None:
    for amounts in ((None, None), (-1,), (10**18,)):
        with pytest.raises(InvalidKeyLimit):
            limit(lucky, Movement.CREDIT, *amounts)
    with pytest.raises(UnknownKey):
        key_limits.change(key="op_x", movement=Movement.CREDIT, currency="EUR", limits=KeyLimits(1), by="command")
    assert not KeyLimit.objects.exists()


def test_each_change_of_a_limit_is_recorded_and_keeps_what_was_moved(lucky: Tenant) -> None:
    ann = lucky.player("Ann", funds="1.00")
    call_command("operator", "key-limit", key_of(lucky), "credit", "EUR", "--per-day", "10.00")
    credit(lucky, ann, "7.00")
    call_command("operator", "key-limit", key_of(lucky), "credit", "EUR", "--per-day", "8.00")

    assert [credit(lucky, ann, "1.01"), credit(lucky, ann, "1.00")] == ["day", 201]
    newest = SignificantEvent.objects.filter(kind="access_changed").latest("id")
    assert [each["per_day"] for each in (newest.before, newest.after)] == [1000, 800]

    call_command("operator", "key-limit", key_of(lucky), "credit", "EUR")
    assert lucky.read("operator/key")["limits"] == []


def test_another_keys_limit_is_its_own(lucky: Tenant) -> None:
    ann = lucky.player("Ann", funds="1.00")
    limit(lucky, Movement.CREDIT, 0)
    second = ".".join(issue_key(operator=UUID(lucky.id)))

    assert credit(lucky, ann, "1.00") == "request"
    assert credit(Tenant(second, lucky.id, lucky.slug), ann, "1.00") == 201
