"""Further courses of wagers in money of the operator's own wallet: funds, ties, order, batches, flapping."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connections

from baccarat.domain.rounds import betting
from baccarat.domain.rounds.refusals import BettingIsClosed
from baccarat.domain.rules.deal import Outcome
from baccarat.domain.rules.presets import rules_for
from baccarat.services import absent_seats
from baccarat.services.turns import TakenStakes
from casino.events import sealer
from casino.events.sql import database_now, fetch
from casino.feed import writer
from casino.kernel import money
from casino.kernel.errors import Refusal
from casino.operators import currencies
from casino.operators.models import Operator
from tests.baccarat.api.people import Gambler, bet, deal_all, sit
from tests.casino.feed.play import publish, read_all
from tests.conftest import Database
from tests.processes import wait_until
from tests.support import chance
from tests.wallet.remote.operators import (
    WalletServer,
    audited,
    code,
    deliver,
    expire,
    join,
    ledger,
    post_bet,
    running_wallet,
    seamless_house,
    seated,
    statuses,
)
from wallet.remote import client, debits, delivery, messages, protection
from wallet.remote.debits import Debit
from wallet.remote.events import Party, TransactionKind, TransactionRequested
from wallet.remote.messages import WalletOrder
from wallet.remote.state import AcceptedAnswer
from wallet.responsible_gaming.allowance import Allowance


def opened(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no circuit open."""
    monkeypatch.setattr(protection, "MOST_LOST", 10**6)
    monkeypatch.setattr(protection, "LEAST_JUDGED", 10**6)


def last_answer(payment: UUID) -> Any:
    ((operator, player, wager, round_, table, amount, at),) = fetch(
        "SELECT operator_id, player_id, wager_id, round_id, table_id, amount, requested_at"
        "  FROM wallet_remote WHERE id = %s",
        [payment],
    )
    order = WalletOrder(payment, TransactionKind.DEBIT, player, wager, round_, table, amount, "EUR", None, at)
    request, wallet = uuid4(), client.endpoint(operator)
    answer = client.call_and_wait(wallet, "debit", messages.single(order, request), seconds=10)
    return messages.read_single(client.verified(answer, wallet), order, request).answer


def test_a_tie_returns_the_stake_of_banker(
    database: Database, server: WalletServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    chance.fix(monkeypatch, Outcome.TIE)
    ann, table = seated(seamless_house(server), server)
    bet(ann, table, banker="10.00")
    deal_all()
    deliver()
    assert fetch("SELECT amount, status FROM wallet_remote WHERE kind = 'credit'") == [(1000, "accepted")]
    assert (server.balance(ann), ledger("wallet"), ledger("returning")) == (500, 0, 0)


def test_too_little_money_is_refused_once_and_nothing_is_taken_back(database: Database, server: WalletServer) -> None:
    assert database
    ann, table = seated(seamless_house(server), server, funds="30.00")
    server.control(players=[{"player": ann.id, "reference": "Ann", "currency": "EUR", "balance": "5.00"}])
    ann.do(f"tables/{table}/place", {"spot": "banker", "amount": "10.00", "currency": "EUR"})
    answer = ann.post(f"tables/{table}/deal", {"currency": "EUR"})
    assert (code(answer), answer.json()["reason"]) == ((409, "wallet_refused"), "insufficient_funds")
    (seat,) = ann.read(f"tables/{table}")["round"]["seats"]
    assert seat["placed"] == [{"spot": "banker", "amount": "10.00"}]  # still there, and not at stake
    assert (deliver(), statuses(), fetch("SELECT rollback_id FROM wallet_remote")) == (0, ["refused"], [(None,)])
    assert (server.balance(ann), ledger("wallet")) == (5, 0)


def test_a_debit_that_arrives_after_its_rollback_is_refused(
    database: Database, server: WalletServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    ann, table = seated(seamless_house(server), server)
    server.next("debit", "hang")
    assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
    deliver()
    ((debit, found),) = fetch("SELECT id, found FROM wallet_remote")
    assert found is False
    refused = last_answer(debit)
    assert getattr(refused, "code", "") == "transaction_cancelled"
    assert (server.balance(ann), statuses()) == (500, ["rolled_back"])


def test_an_answer_that_is_repeated_for_another_debit_counts_for_none(database: Database, server: WalletServer) -> None:
    assert database
    ann, table = seated(seamless_house(server), server)
    bet(ann, table, player="10.00", banker="10.00")
    server.next("debit", "replay")
    deal_all()
    assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
    deliver()
    assert (statuses(), fetch("SELECT count(*) FROM baccarat_wager")) == (["accepted", "rolled_back"], [(1,)])
    assert server.balance(ann) * 100 == 50_000 + ledger("wallet")


@pytest.mark.parametrize(("late", "in_time"), [(-1, True), (0, False), (1, False)])
def test_a_millisecond_decides_whether_stakes_were_taken_in_time(late: int, in_time: bool) -> None:
    asked, key = datetime.now(UTC), uuid4()
    answer_by, party = asked + debits.GRACE, Party(key, key, key, "EUR")
    request = TransactionRequested(key, TransactionKind.DEBIT, party, key, key, 1000, None, key, answer_by, asked)
    debit = Debit(request, client.Endpoint(key, "https://wallet.example"), ask_until=0.0)
    taken, rules = TakenStakes(debit, {"banker": 1000}), rules_for("mini", currency="EUR")
    now = answer_by + timedelta(milliseconds=late)
    command = partial(betting.confirm_wager, player=key, allowance=Allowance(0), rules=rules, at=now)
    if in_time:
        assert taken.confirm(command, key, allowance=Allowance(0), now=now).keywords == {
            "player": key, "allowance": Allowance(1000), "rules": rules, "at": asked, "debit": key,
        }  # fmt: skip
    else:
        with pytest.raises(BettingIsClosed):
            taken.confirm(command, key, allowance=Allowance(0), now=now)
    with pytest.raises(BettingIsClosed):
        taken.confirm(command, uuid4(), allowance=Allowance(0), now=asked)  # another round has begun


def test_two_players_of_a_round_are_paid_by_one_message(database: Database, server: WalletServer) -> None:
    assert database
    house = seamless_house(server)
    table = house.table("atlantic_city", rules={"turn_seconds": 3600})
    ann, bob = (join(house, server, name) for name in ("Ann", "Bob"))
    sit(ann, table, 1)
    sit(bob, table, 2)
    ann.do(f"tables/{table}/pass")
    deal_all()
    for player in (ann, bob):
        bet(player, table, player="10.00", banker="10.00")
    deal_all()
    server.next("credits", "partial")  # the second of a batch is left
    deliver()
    assert sorted(statuses("credit")) == ["accepted", "requested"]
    expire()
    deliver()
    assert (set(statuses("credit")), server.made("credit"), ledger("returning")) == ({"accepted"}, 2, 0)


def test_credits_of_two_rounds_that_arrive_in_another_order_are_both_paid(
    database: Database, server: WalletServer
) -> None:
    assert database
    ann, table = seated(seamless_house(server), server)
    bet(ann, table, player="10.00", banker="10.00")
    deal_all()
    server.next("credits", "fail")
    deliver()
    bet(ann, table, player="20.00", banker="20.00")
    deal_all()
    deliver()
    assert statuses("credit") == ["requested", "accepted"]
    expire()
    deliver()
    assert (statuses("credit"), server.made("credit"), ledger("returning")) == (["accepted"] * 2, 2, 0)
    assert server.balance(ann) * 100 == 50_000 + ledger("wallet")


def test_a_player_who_is_excluded_or_whose_table_is_closed_is_still_paid(
    database: Database, server: WalletServer
) -> None:
    assert database
    house = seamless_house(server)
    ann, table = seated(house, server)
    bet(ann, table, player="10.00", banker="10.00")
    deal_all()
    house.do(f"players/{ann.id}/exclusions", {"kind": "self_exclusion", "months": 6, "set_by": "operator"})
    ann.do(f"tables/{table}/leave")
    house.do(f"tables/{table}/close", {"reason": "Worn out"})
    deliver()
    assert (statuses("credit"), ledger("returning"), ledger("game")) == (["accepted"], 0, 0)


def test_a_frozen_player_neither_sits_nor_bets_is_paid_and_the_operator_is_told(
    database: Database, server: WalletServer
) -> None:
    assert database
    house = seamless_house(server)
    ann, table = seated(house, server)
    bet(ann, table, player="10.00", banker="10.00")
    house.do(f"players/{ann.id}/freeze", {"reason": "An order"}, person="carla")
    deal_all()
    absent_seats.release_absent_seats()
    deliver()
    assert (statuses("credit"), ledger("returning"), ledger("game")) == (["accepted"], 0, 0)  # left, and not held
    balance = server.balance(ann)

    again = Gambler(house.do(f"players/{ann.id}/sessions", {})["token"], ann.id)
    seat = {"seat": 1, "buy_in": "10.00", "currency": "EUR", "money_type": "real"}
    assert code(again.post(f"tables/{table}/seat", seat)) == (403, "player_blocked")
    assert code(post_bet(again, table))[0] == 409
    assert (deliver(), server.balance(ann)) == (0, balance)
    sealer.seal_all()
    while writer.write_new_items():
        pass
    (item,) = house.read("feed", types="wallet.player.frozen.v1")["items"]
    assert item["data"]["player"] == ann.id
    assert "order" not in str(item).lower()
    assert fetch("SELECT FROM wallet_hold") == []


def test_a_wallet_that_answers_too_late_each_time_loses_no_stake(
    database: Database, server: WalletServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    monkeypatch.setattr(delivery, "CALL_SECONDS", 0.7)
    ann, table = seated(seamless_house(server), server)
    server.control(always={"*": "apply_then_hang"})
    for _ in range(2):
        assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
        deliver()
    assert (statuses(), fetch("SELECT count(*) FROM baccarat_wager")) == (["rolling_back"] * 2, [(0,)])
    server.control(always={})
    expire()
    deliver()
    assert (statuses(), server.balance(ann), ledger("wallet")) == (["rolled_back"] * 2, 500, 0)
    assert audited() == []


def test_of_a_wallet_that_flaps_every_second_no_wager_is_both_confirmed_and_taken_back(
    database: Database, server: WalletServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    opened(monkeypatch)
    ann, table = seated(seamless_house(server), server)
    server.control(always={"*": "flap"})
    until, answers = database_now() + timedelta(seconds=6), set()
    while database_now() < until or not answers >= {200, 409}:
        answers.add(post_bet(ann, table).status_code)
        deal_all()
        deliver()
        time.sleep(0.1)
    server.control(always={})
    expire()
    deliver()
    assert fetch("SELECT wager_id FROM wallet_remote WHERE kind = 'debit' AND status = 'accepted' ORDER BY 1") == fetch(
        "SELECT id FROM baccarat_wager ORDER BY 1"
    )
    assert set(statuses()) == {"accepted", "rolled_back"}
    assert (server.balance(ann) * 100, ledger("returning")) == (50_000 + ledger("wallet"), 0)
    assert audited() == []


@pytest.mark.parametrize(
    ("currency", "amount", "text"), [("JPY", 500, "500"), ("KWD", 1250, "1.250"), ("EUR", 1000, "10.00")]
)
def test_amounts_have_the_decimals_of_their_currency_both_ways(currency: str, amount: int, text: str) -> None:
    key = uuid4()
    order = WalletOrder(key, TransactionKind.DEBIT, key, key, key, key, amount, currency, None, datetime.now(UTC))
    assert messages.single(order, key)["amount"] == text
    answer = {"request": str(key), "transaction": str(key), "status": "accepted", "reference": "T-1"}
    for told, balance in ((text, amount), (f"{text}{'.' if currency == 'JPY' else ''}5", None)):
        document = {**answer, "balance": {"amount": told, "currency": currency}}
        reply = messages.read_single(document, order, key)
        assert (reply.answer, reply.balance) == (AcceptedAnswer("T-1"), balance)
    with pytest.raises(Refusal):
        money.parse("10.005", "EUR")


@pytest.mark.usefixtures("database")
@pytest.mark.parametrize(
    ("currency", "stake", "malformed", "rules"),
    [
        ("JPY", "500", "500.5", {"chips": ["100", "500"], "minimum": "100", "maximum": "50000"}),
        ("KWD", "1.250", "1.2505", {"chips": ["0.250", "1.000"], "minimum": "0.250", "maximum": "50.000"}),
        ("EUR", "10.00", "10.005", {}),
    ],
)
def test_stakes_and_wins_keep_the_decimals_of_their_currency_on_their_way(
    server: WalletServer, currency: str, stake: str, malformed: str, rules: dict[str, Any]
) -> None:
    house, funds = seamless_house(server), Decimal(stake) * 10
    currencies.change(operator=Operator.objects.get(pk=house.id), currencies=["EUR", "JPY", "KWD"], by="test")
    ann = join(house, server, "Ann", funds=str(funds), currency=currency)
    table = house.table("mini", currency=currency, rules=rules)
    ann.do(f"tables/{table}/seat", {"seat": 1, "currency": currency, "money_type": "real"})
    for amount, answer in ((malformed, (422, "amount_malformed")), (stake, (200, ""))):
        wager = {"stakes": [{"spot": "banker", "amount": amount}], "currency": currency}
        assert code(ann.post(f"tables/{table}/deal", wager)) == answer
    assert (server.made("debit"), server.balance(ann)) == (1, funds - Decimal(stake))
    deal_all()
    deliver()
    returned = Decimal(fetch("SELECT returned FROM baccarat_wager")[0][0]).scaleb(-money.exponent(currency))
    assert server.balance(ann) == funds - Decimal(stake) + returned
    assert audited() == []


def test_while_stakes_wait_for_one_operator_those_of_another_are_taken(
    database: Database, server: WalletServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    monkeypatch.setattr(debits, "CALL_SECONDS", 60.0)
    monkeypatch.setattr(debits, "LONGEST", timedelta(seconds=70))
    with running_wallet(tmp_path) as slow, ThreadPoolExecutor(8) as web:
        slow_house, quick_house = seamless_house(slow, "slow"), seamless_house(server)
        waiting = [seated(slow_house, slow, f"Slow {number}") for number in range(8)]
        quick = [seated(quick_house, server, f"Quick {number}") for number in range(8)]
        slow.control(always={"debit": "hang"})

        def answered(place: tuple[Gambler, str]) -> str:
            try:
                return code(post_bet(*place))[1]
            finally:
                connections.close_all()

        held = [web.submit(answered, place) for place in waiting]
        places = protection.PROTECTION.places_each
        assert wait_until(lambda: sum(each.done() for each in held) == len(held) - places)
        assert [post_bet(*place).status_code for place in quick] == [200] * len(quick)
        assert sum(not each.done() for each in held) == places
        slow.stop()
        answers = sorted(each.result(60) for each in held)
        assert answers == ["wallet_did_not_answer"] * places + ["wallet_unavailable"] * (len(held) - places)


def test_play_money_is_bet_beside_a_dead_wallet_that_paid_the_last_wager(
    database: Database, server: WalletServer
) -> None:
    assert database
    house = seamless_house(server)
    ann, table = seated(house, server)
    bob, other = join(house, server, "Bob"), house.table("mini")
    bob.do("me/play-money", {"currency": "EUR"})
    sit(bob, other, buy_in="100.00", money_type="play")
    bet(ann, table, banker="10.00")
    deal_all()
    server.control(always={"*": "fail"})
    answers = []
    for _ in range(protection.MOST_LOST + 1):
        bet(bob, other, banker="5.00")
        answers.append(code(post_bet(ann, table))[1])
        deal_all()
    assert answers == ["wallet_did_not_answer"] * protection.MOST_LOST + ["wallet_unavailable"]
    assert (len(statuses()), statuses().count("accepted")) == (protection.MOST_LOST + 1, 1)


@pytest.mark.parametrize("behaviour", ["", "refuse", "apply_then_fail"])
def test_all_that_an_operators_own_wallet_is_asked_and_says_names_the_wager(
    database: Database, server: WalletServer, behaviour: str
) -> None:
    assert database
    house = seamless_house(server)
    ann, table = seated(house, server, behaviour=behaviour)
    post_bet(ann, table)
    deal_all()
    deliver()
    publish()

    items = [item for item in read_all(house) if item["type"].startswith("wallet.remote")]
    (wager,) = {item["data"]["wager"] for item in items}
    last = {"": "remote.accepted", "refuse": "remote.refused", "apply_then_fail": "remote.rolled_back"}[behaviour]
    assert items[-1]["type"] == f"wallet.{last}.v1"
    lines = house.read(f"players/{ann.id}/statement", account="game", table=table)["items"]
    assert {line["wager"] for line in lines} == (set() if behaviour else {wager})
