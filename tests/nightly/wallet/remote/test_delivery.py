"""An operator's wallet is down for an hour and gets ten thousand credits, each once."""

from collections import Counter
from datetime import timedelta

import pytest

from baccarat.services import wagering
from casino.events.sql import database_now, execute, fetch
from tests.baccarat.api.people import bet, deal_all
from tests.conftest import Database
from tests.wallet.remote.operators import (
    WalletServer,
    audited,
    code,
    ledger,
    post_bet,
    running_wallet,
    seamless_house,
    seated,
    statuses,
)
from tests.wallet.remote.test_delivery import Clock, courier, owe
from wallet.remote import debits, protection
from wallet.remote.delivery import PER_SECOND
from wallet.remote.protection import MOST_LOST


def waiting() -> int:
    return int(fetch("SELECT count(*) FROM wallet_remote_due")[0][0])


def test_an_operator_down_for_an_hour_takes_no_wager_and_gets_ten_thousand_credits_in_five_minutes_each_once(
    database: Database,
    server: WalletServer,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert database
    clock, played = Clock(), 0
    guarded = protection.Protection(8, clock.seconds)
    for module in (protection, debits, wagering):
        monkeypatch.setattr(module, "PROTECTION", guarded)
    with running_wallet(tmp_path_factory.mktemp("other")) as other_server, courier(clock) as driver:
        down, up = seamless_house(server), seamless_house(other_server, "other")
        (ann, table), (bob, others) = seated(down, server), seated(up, other_server, "Bob")
        bet(ann, table, banker="10.00")
        owe(down, ann, server, 10_000)
        server.control(always={"*": "fail"})
        deal_all()  # what is confirmed is settled, whoever can be paid
        lost, refused = [(409, "wallet_did_not_answer")], [(503, "wallet_unavailable")]
        assert [code(post_bet(ann, table)) for _ in range(MOST_LOST + 1)] == lost * MOST_LOST + refused
        clock.now, returns = database_now(), clock.now + timedelta(hours=1)
        while clock.now < returns:
            for _ in range(10):
                clock.now += timedelta(minutes=1)
                driver.step()
            assert [code(post_bet(ann, table))] == refused
            bet(bob, others, banker="10.00")
            deal_all()
            driver.step()
            played += 1
            assert other_server.made("credit") == played  # it does not wait for the other
        assert (statuses("credit").count("requested"), server.made("credit"), played) == (10_001, 0, 6)
        # The longest gaps that tries may have.
        execute(
            "UPDATE wallet_remote_due SET attempts = 20, due_at = %s + random() * interval '250 seconds'",
            [clock.now],
        )
        server.control(always={})
        returns = clock.now
        while left := waiting():
            clock.now += timedelta(seconds=2)
            driver.step()
            assert left - waiting() <= 2 * PER_SECOND
    assert clock.now - returns <= timedelta(minutes=5)
    ((returned,),) = fetch("SELECT returned FROM baccarat_wager WHERE player_id = %s", [ann.id])
    assert (server.made("credit"), server.balance(ann) * 100) == (10_001, 50_000 - 1000 + returned + 1_000_000)
    assert (set(statuses("credit")), ledger("returning")) == ({"accepted"}, 0)
    assert post_bet(ann, table).status_code == 200
    # Nobody played the ten thousand rounds.
    findings = Counter(each.partition(" wallet ")[0] for each in audited())
    assert findings == {"debit without its wager": 10_000, "payment without its round": 10_000}
