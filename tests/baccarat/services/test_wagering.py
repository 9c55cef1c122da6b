"""Wagers in money of the operator's own wallet: what happens to them whatever that wallet answers, and when."""

import sqlite3
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from baccarat.services import wagering
from baccarat.services.seats import TableActor
from baccarat.services.wagering import Confirming, WantedWager
from casino.events.sql import database_now, execute, fetch
from casino.events.store import Metadata
from tests.baccarat.api.people import bet, deal_all, sit
from tests.conftest import Database
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
from wallet.reconciliation.services import compare_day
from wallet.reconciliation.sources import ReconciliationDay
from wallet.remote import debits, protection
from wallet.remote.state import AcceptedAnswer
from wallet.remote.statements import PROVIDER


def test_a_wager_is_taken_once_and_its_win_is_paid_back(database: Database, server: WalletServer) -> None:
    assert database
    house = seamless_house(server)
    ann, table = seated(house, server)
    state = bet(ann, table, banker="10.00")
    assert (state["you"]["game_balance"]["amount"], state["you"]["balance_told_at"] is not None) == ("490.00", True)
    assert (server.balance(ann), statuses(), ledger("wallet"), ledger("stakes")) == (490, ["accepted"], -1000, 1000)
    deal_all()
    returned = Decimal(fetch("SELECT returned FROM baccarat_wager")[0][0]) / 100
    assert (statuses("credit"), ledger("returning")) == (["requested"], int(returned * 100))
    assert deliver() == 1
    assert (server.balance(ann), statuses("credit"), ledger("returning")) == (490 + returned, ["accepted"], 0)
    assert (ledger("game"), ledger("account")) == (0, 0)
    assert ann.balances()["account", "real"] == f"{490 + returned:.2f}"
    assert audited() == []


def test_a_loss_is_told_by_a_credit_of_zero(database: Database, server: WalletServer) -> None:
    assert database
    ann, table = seated(seamless_house(server), server)
    for _ in range(40):
        bet(ann, table, tie="5.00")
        deal_all()
        if fetch("SELECT 1 FROM wallet_remote WHERE kind = 'credit' AND amount = 0"):
            break
    deliver()
    assert (set(statuses("credit")), server.made("credit")) == ({"accepted"}, len(statuses()))
    assert ledger("returning") == 0


@pytest.mark.parametrize(
    "behaviour", ["refuse", "temporary", "fail", "apply_then_fail", "garbage", "cut", "huge", "bomb"]
)
def test_a_stake_that_is_not_surely_taken_is_in_no_round_and_goes_back(
    database: Database, server: WalletServer, behaviour: str
) -> None:
    assert database
    ann, table = seated(seamless_house(server), server, behaviour=behaviour)
    refusal = (409, "wallet_refused") if behaviour == "refuse" else (409, "wallet_did_not_answer")
    assert code(post_bet(ann, table)) == refusal
    assert fetch("SELECT count(*) FROM baccarat_wager")[0][0] == 0
    deliver()
    assert statuses() == ["refused" if behaviour == "refuse" else "rolled_back"]
    assert (server.balance(ann), ledger("wallet"), ledger("returning")) == (500, 0, 0)
    found = fetch("SELECT found FROM wallet_remote")[0][0]
    assert found is {"refuse": None, "temporary": False, "fail": False}.get(behaviour, True)


@pytest.mark.parametrize("behaviour", ["bad_signature", "unsigned", "other_request", "other_transaction"])
def test_an_answer_that_nobody_signed_or_that_answers_something_else_is_none(
    database: Database, server: WalletServer, behaviour: str
) -> None:
    assert database
    ann, table = seated(seamless_house(server), server, behaviour=behaviour)
    assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
    deliver()
    assert (statuses(), server.balance(ann)) == (["rolled_back"], 500)


def test_a_time_out_after_the_debit_was_applied_gives_the_money_back(database: Database, server: WalletServer) -> None:
    assert database
    ann, table = seated(seamless_house(server), server, behaviour="apply_then_hang")
    assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
    assert (server.balance(ann), statuses()) == (490, ["rolling_back"])
    deliver()
    assert (server.balance(ann), statuses()) == (500, ["rolled_back"])
    assert fetch("SELECT found, reason FROM wallet_remote") == [(True, "no_answer")]
    assert audited() == []


def test_a_repeated_request_takes_the_stakes_once_and_gets_the_same_answer(
    database: Database, server: WalletServer
) -> None:
    assert database
    ann, table = seated(seamless_house(server), server)
    first = post_bet(ann, table, key="one")
    again = post_bet(ann, table, key="one")
    assert (first.status_code, again.status_code, again.content) == (200, 200, first.content)
    assert (again["Idempotent-Replayed"], server.balance(ann), len(statuses())) == ("true", 490, 1)

    assert code(post_bet(ann, table, key="two")) == (409, "already_confirmed")
    assert (server.balance(ann), statuses()) == (490, ["accepted"])


def test_a_repeat_of_a_request_that_failed_gets_its_end_and_asks_nothing(
    database: Database, server: WalletServer
) -> None:
    assert database
    ann, table = seated(seamless_house(server), server)
    server.next("debit", "refuse")
    refused = [code(post_bet(ann, table, key="refused")) for _ in range(2)]
    server.next("debit", "apply_then_fail")
    lost = [code(post_bet(ann, table, key="lost")) for _ in range(2)]
    assert (refused, lost) == ([(409, "wallet_refused")] * 2, [(409, "wallet_did_not_answer")] * 2)
    assert (statuses(), server.made("debit")) == (["refused", "rolling_back"], 1)
    assert post_bet(ann, table, key="new").status_code == 200  # another request is another debit


def test_a_debit_whose_process_died_is_rolled_back_by_the_queue(database: Database, server: WalletServer) -> None:
    assert database
    ann, table = seated(seamless_house(server), server)
    for number, died in enumerate(("between commit and call", "between answer and second transaction")):
        wanted = WantedWager(UUID(int=number + 1), {"banker": 1000}, "EUR")
        actor = TableActor(UUID(table), _operator(), UUID(ann.id), Metadata(str(_operator()), "player", "test"))
        debit, _ = wagering._reserve(wanted, actor)  # type: ignore[misc]
        assert isinstance(wagering.take_stakes(wanted, actor=actor), Confirming)  # the page asks again
        if died == "between answer and second transaction":
            assert isinstance(debits.ask(debit).answer, AcceptedAnswer)
        assert code(post_bet(ann, table)) == (409, "wager_confirming")
        deliver()
        assert statuses()[-1] == "requested"  # its process may still live
        expire()
        deliver()
        assert (statuses()[-1], server.balance(ann)) == ("rolled_back", 500)
    assert fetch("SELECT found FROM wallet_remote ORDER BY requested_at") == [(False,), (True,)]
    assert fetch("SELECT count(*) FROM baccarat_wager")[0][0] == 0
    assert audited() == []


def _operator() -> UUID:
    return UUID(str(fetch("SELECT id FROM operators_operator")[0][0]))


def test_an_answer_after_the_grace_takes_the_wager_out_and_gives_the_money_back(
    database: Database, server: WalletServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    ann, table = seated(seamless_house(server), server)
    monkeypatch.setattr(debits, "LONGEST", timedelta(milliseconds=600))
    monkeypatch.setattr(debits, "_MARGIN", -5.0)
    server.next("debit", "slow", seconds=0.65)
    assert code(post_bet(ann, table)) == (409, "betting_is_closed")
    assert fetch("SELECT status, reason FROM wallet_remote") == [("rolling_back", "too_late")]
    assert (ledger("wallet"), ledger("returning")) == (-1000, 1000)
    deliver()
    assert (statuses(), server.balance(ann), ledger("wallet"), ledger("returning")) == (["rolled_back"], 500, 0, 0)
    assert audited() == []


def test_cards_wait_for_an_answer_within_the_grace_and_no_longer(database: Database, server: WalletServer) -> None:
    assert database
    house = seamless_house(server)
    table = house.table("atlantic_city", rules={"turn_seconds": 3600})
    ann, bob = (join(house, server, name) for name in ("Ann", "Bob"))
    sit(ann, table, 1)
    sit(bob, table, 2)
    ann.do(f"tables/{table}/pass")
    deal_all()
    actor = TableActor(UUID(table), _operator(), UUID(ann.id), Metadata(str(_operator()), "player", "test"))
    wanted = WantedWager(UUID(int=9), {"player": 1000}, "EUR")
    reserved = wagering._reserve(wanted, actor)
    assert isinstance(reserved, tuple)
    bet(bob, table, banker="10.00")
    ann.do(f"tables/{table}/pass")  # all have acted, but Ann's stakes are asked for
    assert deal_all() == 0
    execute("UPDATE wallet_remote SET answer_by = clock_timestamp()")
    assert deal_all() == 1
    assert fetch("SELECT count(*) FROM baccarat_wager") == [(1,)]


def test_credits_are_paid_to_players_who_have_left_and_whose_session_has_ended(
    database: Database, server: WalletServer
) -> None:
    assert database
    house = seamless_house(server)
    ann, table = seated(house, server)
    bet(ann, table, player="10.00", banker="10.00")
    deal_all()
    ann.do(f"tables/{table}/leave")
    execute("UPDATE operators_playersession SET expires_at = now() - interval '1 hour'")
    deliver()
    assert (statuses("credit"), ledger("returning"), ledger("game")) == (["accepted"], 0, 0)


def test_of_a_partial_batch_only_the_rest_is_sent_again(database: Database, server: WalletServer) -> None:
    assert database
    house = seamless_house(server)
    for number in range(4):
        player, table = seated(house, server, f"P{number}")
        bet(player, table, banker="10.00")
    deal_all()
    server.next("credits", "partial")
    deliver()
    assert sorted(statuses("credit")) == ["accepted"] * 2 + ["requested"] * 2
    assert server.made("credit") == 2
    expire()
    deliver()
    assert (set(statuses("credit")), server.made("credit"), ledger("returning")) == ({"accepted"}, 4, 0)


def test_a_credit_that_was_sent_before_its_worker_died_is_paid_once(database: Database, server: WalletServer) -> None:
    assert database
    ann, table = seated(seamless_house(server), server)
    bet(ann, table, player="10.00", banker="10.00")
    deal_all()
    server.next("credits", "apply_then_fail")
    deliver()
    paid = server.balance(ann)
    assert (statuses("credit"), server.made("credit")) == (["requested"], 1)
    expire()
    deliver()
    assert (statuses("credit"), server.made("credit"), server.balance(ann)) == (["accepted"], 1, paid)


def test_a_void_before_the_settlement_takes_debits_back(database: Database, server: WalletServer) -> None:
    assert database
    house = seamless_house(server)
    table = house.table("atlantic_city", rules={"turn_seconds": 3600})
    ann, bob = (join(house, server, name) for name in ("Ann", "Bob"))
    sit(ann, table, 1)
    sit(bob, table, 2)
    ann.do(f"tables/{table}/pass")
    deal_all()
    bet(ann, table, banker="10.00")
    round_ = house.read(f"tables/{table}")["round"]["id"]
    house.do(f"rounds/{round_}/void", {"reason": "malfunction", "note": "test"}, person="ann")
    assert (statuses(), ledger("returning"), ledger("stakes")) == (["rolling_back"], 1000, 0)
    deliver()
    assert (statuses(), server.balance(ann), ledger("wallet"), ledger("returning")) == (["rolled_back"], 500, 0, 0)
    assert audited() == []


@pytest.mark.parametrize("refused", [False, True])
def test_a_void_after_the_settlement_is_corrected_and_a_refused_correction_is_a_debt(
    database: Database, server: WalletServer, refused: bool
) -> None:
    assert database
    house = seamless_house(server)
    ann, table = seated(house, server)
    for _ in range(60):
        bet(ann, table, player="10.00")
        deal_all()
        (round_, returned), *_ = fetch("SELECT round_id, returned FROM baccarat_wager ORDER BY confirmed_at DESC")
        if returned > 1000:
            break
    deliver()
    before = server.balance(ann)
    if refused:
        server.next("correction", "refuse")
    change = house.do(f"rounds/{round_}/void", {"reason": "malfunction", "note": "test"}, person="ann")
    house.do(f"changes/{change['id']}/confirm", person="bert")
    assert ledger("debt") == -1000
    deliver()
    assert (statuses("correction"), ledger("debt")) == ((["refused"], -1000) if refused else (["accepted"], 0))
    assert server.balance(ann) == before - (0 if refused else 10)
    if refused:
        assert code(post_bet(ann, table)) == (409, "debt_outstanding")
    assert audited() == []


def test_a_dead_wallet_is_left_alone_and_asked_again_by_a_probe(
    database: Database, server: WalletServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    ann, table = seated(seamless_house(server), server)
    server.control(always={"*": "fail"})
    answers = [code(post_bet(ann, table))[1] for _ in range(protection.MOST_LOST + 2)]
    assert answers == ["wallet_did_not_answer"] * protection.MOST_LOST + ["wallet_unavailable"] * 2
    server.control(always={})
    assert code(post_bet(ann, table))[1] == "wallet_unavailable"  # it is too early for a probe
    monkeypatch.setattr(protection.PROTECTION.circuit(_operator()), "_probe_at", 0.0)
    assert post_bet(ann, table).status_code == 200
    deliver()
    assert server.balance(ann) == 490


def test_a_table_that_collects_commission_later_takes_no_money_of_another_wallet(
    database: Database, server: WalletServer
) -> None:
    assert database
    house = seamless_house(server)
    ann, table = join(house, server, "Ann"), house.table("big_table")
    body = {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "real"}
    assert code(ann.post(f"tables/{table}/seat", body)) == (409, "deferred_commission_unavailable")


def test_the_funding_stays_while_a_debit_is_being_recorded(database: Database) -> None:
    operator = uuid4()
    change = "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 8))"
    with database.owner() as other:
        with transaction.atomic():
            assert debits.find(uuid4(), None, operator=operator) is None
            assert other.execute(change, [str(operator)]).fetchall() == [(False,)]
        assert other.execute(change, [str(operator)]).fetchall() == [(True,)]


def test_an_exclusion_while_the_wallet_is_asked_leaves_no_wager(
    database: Database, server: WalletServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database
    house = seamless_house(server)
    ann, table = seated(house, server)
    take = debits.take

    def excluded_meanwhile(debit: Any, **options: Any) -> Any:
        taken = take(debit, **options)
        house.do(f"players/{ann.id}/exclusions", {"kind": "cooling_off", "hours": 24, "set_by": "operator"})
        return taken

    monkeypatch.setattr(debits, "take", excluded_meanwhile)
    assert code(post_bet(ann, table)) == (403, "player_excluded")
    deliver()
    assert (statuses(), server.balance(ann)) == (["rolled_back"], 500)
    assert audited() == []


def test_reconciliation_finds_what_the_wallet_says_differently_and_only_that(
    database: Database, server: WalletServer, tmp_path: Path
) -> None:
    assert database
    with running_wallet(tmp_path) as own:
        ann, table = seated(seamless_house(own), own)
        for spot in ("banker", "player", "banker"):
            assert post_bet(ann, table, spot=spot).status_code == 200
            deal_all()
        own.next("debit", "apply_then_fail")
        post_bet(ann, table)
        own.next("debit", "fail")
        post_bet(ann, table)
        deliver()
        assert compare_today() == {}
        debits_, credits_ = (made(kind) for kind in ("debit", "credit"))
        ((rolled_back,),) = fetch("SELECT id::text FROM wallet_remote WHERE status = 'rolled_back' AND found")
        copy = (
            "INSERT INTO movement (id, kind, player, amount, currency, at) SELECT ?, kind, player, amount, currency, at"
        )
        planted = {
            ("DELETE FROM movement WHERE id = ?", (debits_[0],)): (debits_[0], "missing_theirs"),
            ("DELETE FROM movement WHERE id = ?", (credits_[0],)): (credits_[0], "missing_theirs"),
            ("UPDATE movement SET amount = -999 WHERE id = ?", (debits_[1],)): (debits_[1], "amount_mismatch"),
            ("UPDATE movement SET currency = 'SEK' WHERE id = ?", (credits_[1],)): (credits_[1], "amount_mismatch"),
            ("INSERT INTO cancelled SELECT ?, 'R', player, amount, currency, 1, at FROM movement WHERE id = ?",
             (debits_[2], debits_[2])): (debits_[2], "status_mismatch"),
            ("DELETE FROM cancelled WHERE debit = ?", (rolled_back,)): (rolled_back, "status_mismatch"),
            (f"{copy} FROM movement WHERE id = ?", ("invented", credits_[2])): ("invented", "missing_ours"),
        }  # fmt: skip
        with sqlite3.connect(tmp_path / "wallet.sqlite3") as theirs:
            for statement, values in planted:
                assert theirs.execute(statement, values).rowcount == 1
        assert compare_today() == dict(planted.values())


def made(kind: str) -> list[str]:
    query = "SELECT id::text FROM wallet_remote WHERE kind = %s AND status = 'accepted' ORDER BY requested_at"
    return [key for (key,) in fetch(query, [kind])]


def compare_today() -> dict[str, str]:
    now = database_now()
    day = ReconciliationDay(_operator(), PROVIDER, now.date(), now - timedelta(hours=1), now + timedelta(hours=1))
    compare_day(day)
    return dict(fetch("SELECT payment, type FROM wallet_discrepancy WHERE status = 'open'"))
