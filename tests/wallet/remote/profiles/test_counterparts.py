"""Wagers in money of wallets that are asked as Hub88 asks them, over HTTP."""

import json
from collections.abc import Generator
from typing import Any
from uuid import UUID

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from casino.devstack.person import Person
from casino.events.sql import execute, fetch
from casino.operators import signing_keys
from tests.baccarat.api.people import Gambler, Tenant, bet, deal_all, sit, tenant
from tests.conftest import Database
from tests.support.acts import agreed
from tests.support.rsa_keys import rsa_key
from tests.wallet.remote.operators import (
    audited,
    close_circuits,
    code,
    deliver,
    expire,
    ledger,
    post_bet,
    proven,
    statuses,
)
from tests.wallet.remote.profiles.counterparts import Hub88Wallet, as_setting, running
from wallet.conformance.cases import CASES
from wallet.conformance.kit import run_cases
from wallet.conformance.probe import Probe
from wallet.funding.events import WalletProfile
from wallet.payments.refusals import UnknownProvider
from wallet.reconciliation.schedule import list_due_days
from wallet.remote import client
from wallet.remote.statements import PROVIDER, statement_of

FUNDS = 500_00


@pytest.fixture
def wallet(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Generator[Hub88Wallet]:
    settings.WALLET_RSA_KEY = as_setting(rsa_key())
    close_circuits(monkeypatch)
    wallet = Hub88Wallet()
    with running(wallet):
        yield wallet


def choice(wallet: Hub88Wallet) -> dict[str, str]:
    return {"funding": "seamless", "wallet_url": wallet.url, "wallet_profile": "hub88"}


def ask(house: Tenant, choice: dict[str, str]) -> Any:
    return house.post("operator/funding", choice, person="ann")


def add_key(house: Tenant) -> None:
    jwk = json.dumps(Person("", "", Ed25519PrivateKey.generate()).jwk)
    with agreed():
        signing_keys.add_public(key_id=house.credential.split(".")[0], jwk=jwk, by="staff:1")


def house_of(wallet: Hub88Wallet) -> Tenant:
    """Create an operator whose wallet this is."""
    house = tenant("lucky")
    house.agree("operator/funding", proven(choice(wallet)))
    assert house.read("operator/funding") == choice(wallet)
    return house


def seated(wallet: Hub88Wallet, funds: int = FUNDS) -> tuple[Gambler, str, Tenant]:
    """Let a player with money in the wallet sit at a new table."""
    house = house_of(wallet)
    player = house.do("players", {"reference": "Ann", "nickname": "Ann"})["id"]
    wallet.balances[player] = funds
    ann = Gambler(house.do(f"players/{player}/sessions", {"ttl_seconds": 3600})["token"], player)
    table = house.table("mini")
    sit(ann, table)
    return ann, table, house


def is_at_rest(wallet: Hub88Wallet, player: Gambler) -> bool:
    """Return whether the operator's balance and ours are what they were together."""
    return ledger("returning") == 0 and wallet.balances[player.id] - ledger("wallet") == FUNDS


def test_a_wager_is_debited_once_and_credited_once(database: Database, wallet: Hub88Wallet) -> None:
    assert database
    ann, table, _ = seated(wallet)
    for number in range(1, 4):
        bet(ann, table, player="10.00")
        deal_all()
        assert deliver() == 1
        assert (statuses(), statuses("credit")) == (["accepted"] * number, ["accepted"] * number)
    assert len(wallet.done) == 6
    assert is_at_rest(wallet, ann)
    assert audited() == []


def test_a_wager_above_the_money_is_refused_and_nothing_is_taken_back(database: Database, wallet: Hub88Wallet) -> None:
    assert database
    ann, table, _ = seated(wallet)
    wallet.balances[ann.id] = 500
    answer = post_bet(ann, table)
    assert (code(answer), answer.json()["reason"]) == ((409, "wallet_refused"), "insufficient_funds")
    assert (deliver(), statuses(), wallet.balances[ann.id]) == (0, ["refused"], 500)


@pytest.mark.parametrize(
    "do", ["apply_then_hang", "hang", "apply_then_fail", "fail", "html", "other_request", "unknown"]
)
def test_a_debit_without_a_definite_answer_is_taken_back(database: Database, wallet: Hub88Wallet, do: str) -> None:
    assert database
    ann, table, _ = seated(wallet)
    wallet.next.append(f"bet:{do}")
    assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
    deliver()
    assert (statuses(), fetch("SELECT count(*) FROM baccarat_wager")) == (["rolled_back"], [(0,)])
    ((debit,),) = fetch("SELECT id::text FROM wallet_remote")
    assert list(wallet.marks) == [debit]
    assert is_at_rest(wallet, ann)
    assert audited() == []


def test_a_debit_that_arrives_after_its_rollback_moves_nothing(database: Database, wallet: Hub88Wallet) -> None:
    assert database
    ann, table, house = seated(wallet)
    wallet.next.append("bet:hang")
    assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
    deliver()
    late = [(path, body) for path, body in wallet.bodies if b'"amount"' in body]
    ((path, body),) = late
    headers = dict(client.endpoint(UUID(house.id)).headers("POST", wallet.url + path, body))
    answer = httpx.post(wallet.url + path, content=body, headers=headers)
    assert "RS_ERROR_TRANSACTION_ROLLED_BACK" in answer.text
    assert is_at_rest(wallet, ann)


def test_a_rollback_is_repeated_under_its_id_until_it_is_answered(database: Database, wallet: Hub88Wallet) -> None:
    assert database
    ann, table, _ = seated(wallet)
    wallet.next.append("bet:apply_then_fail")
    assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
    for do in ("apply_then_fail", "unknown", "html"):
        wallet.next.append(f"rollback:{do}")
        deliver()
        assert statuses() == ["rolling_back"]
        expire()
    deliver()
    ids = {body for path, body in wallet.bodies if path.endswith("rollback")}
    assert len({json.loads(body)["transaction_uuid"] for body in ids}) == 1
    assert (statuses(), is_at_rest(wallet, ann)) == (["rolled_back"], True)


def test_a_credit_is_repeated_under_its_id_and_paid_once(database: Database, wallet: Hub88Wallet) -> None:
    assert database
    ann, table, _ = seated(wallet)
    bet(ann, table, player="10.00", banker="10.00")
    deal_all()
    for do in ("apply_then_fail", "unknown", "other_request"):
        wallet.next.append(f"win:{do}")
        deliver()
        assert statuses("credit") == ["requested"]
        expire()
    deliver()
    assert (statuses("credit"), len(wallet.done), is_at_rest(wallet, ann)) == (["accepted"], 2, True)
    assert audited() == []


def test_a_wallet_that_does_not_know_our_key_does_nothing_and_leaves_the_end_open(
    database: Database, wallet: Hub88Wallet
) -> None:
    assert database
    ann, table, _ = seated(wallet)
    known = wallet.key
    wallet.key = rsa_key(2).public_key()
    assert code(post_bet(ann, table)) == (409, "wallet_did_not_answer")
    deliver()
    assert (statuses(), wallet.done) == (["rolling_back"], {})
    wallet.key = known
    expire()
    deliver()
    assert (statuses(), is_at_rest(wallet, ann)) == (["rolled_back"], True)


def test_what_a_void_takes_back_of_a_win_is_not_asked_for_and_a_debt(database: Database, wallet: Hub88Wallet) -> None:
    assert database
    ann, table, house = seated(wallet)
    for _ in range(60):
        bet(ann, table, player="10.00")
        deal_all()
        (round_, returned), *_ = fetch("SELECT round_id, returned FROM baccarat_wager ORDER BY confirmed_at DESC")
        if returned > 1000:
            break
    deliver()
    before, asked = wallet.balances[ann.id], len(wallet.bodies)
    change = house.do(f"rounds/{round_}/void", {"reason": "malfunction", "note": "test"}, person="ann")
    house.do(f"changes/{change['id']}/confirm", person="bert")
    deliver()
    assert (statuses("correction"), ledger("debt")) == (["refused"], -1000)
    assert fetch("SELECT code FROM wallet_remote WHERE kind = 'correction'") == [("not_in_profile",)]
    assert (wallet.balances[ann.id], len(wallet.bodies)) == (before, asked)
    assert audited() == []


def test_what_a_void_returns_of_a_loss_is_paid_as_a_win(database: Database, wallet: Hub88Wallet) -> None:
    assert database
    ann, table, house = seated(wallet)
    for _ in range(60):
        bet(ann, table, player="10.00")
        deal_all()
        (round_, returned), *_ = fetch("SELECT round_id, returned FROM baccarat_wager ORDER BY confirmed_at DESC")
        if returned == 0:
            break
    deliver()
    before = wallet.balances[ann.id]
    change = house.do(f"rounds/{round_}/void", {"reason": "malfunction", "note": "test"}, person="ann")
    house.do(f"changes/{change['id']}/confirm", person="bert")
    deliver()
    assert (statuses("correction"), wallet.balances[ann.id] - before) == (["accepted"], 1000)
    assert is_at_rest(wallet, ann)


def test_the_counterpart_passes_all_cases_of_its_profile(wallet: Hub88Wallet) -> None:
    player, profile = UUID("0192a1b2-0000-7000-8000-00000000000a"), WalletProfile.HUB88
    wallet.balances[str(player)] = FUNDS
    cases = [case for case in CASES if profile in case.profiles]
    with Probe(wallet.url, None, player, "EUR", profile) as probe:
        run = run_cases(probe, cases)
    assert [(each.name, each.failure) for each in run.failed] == []
    assert len(run.results) >= 22


@pytest.mark.parametrize(
    ("fault", "case"),
    [
        ({"marks"}, "a_debit_after_its_rollback_is_refused"),
        ({"done"}, "the_same_credit_again_is_paid_once"),
        ({"signature"}, "a_message_whose_body_was_changed_does_nothing"),
    ],
)
def test_a_counterpart_with_a_fault_fails_the_case_that_names_it(
    wallet: Hub88Wallet, monkeypatch: pytest.MonkeyPatch, fault: set[str], case: str
) -> None:
    player, profile = UUID("0192a1b2-0000-7000-8000-00000000000a"), WalletProfile.HUB88
    wallet.balances[str(player)] = FUNDS

    class Forgetful(dict[str, Any]):
        def __contains__(self, _: object) -> bool:
            return False

    if "signature" in fault:
        monkeypatch.setattr(wallet, "key", type("AnyKey", (), {"verify": lambda *_: None})())
    for name in fault - {"signature"}:
        setattr(wallet, name, Forgetful())
    with Probe(wallet.url, None, player, "EUR", profile) as probe:
        run = run_cases(probe, [each for each in CASES if each.name == case])
    assert [each.name for each in run.failed] == [case]


def test_without_a_list_there_is_nothing_to_reconcile(database: Database, wallet: Hub88Wallet) -> None:
    assert database
    _, _, house = seated(wallet)
    execute("UPDATE wallet_funding SET since = since - interval '3 days'")
    assert list_due_days(providers=[PROVIDER], limit=9) == []
    with pytest.raises(UnknownProvider, match="do not list"):
        statement_of(UUID(house.id))


def test_a_profile_is_changed_while_nothing_is_on_its_way(database: Database, wallet: Hub88Wallet) -> None:
    assert database
    ann, table, house = seated(wallet)
    bet(ann, table, player="10.00")
    standard = {**choice(wallet), "wallet_profile": "standard"}
    assert code(ask(house, proven(standard))) == (409, "funding_money_held")
    deal_all()
    deliver()
    assert code(ask(house, proven(standard))) == (409, "wallet_key_missing")
    add_key(house)
    house.agree("operator/funding", proven(standard))
    assert house.read("operator/funding") == standard
    assert audited() == []


def test_a_profile_needs_its_key_and_the_funding_that_has_one(
    database: Database, wallet: Hub88Wallet, settings: Any
) -> None:
    assert database
    house = tenant("lucky")
    settings.WALLET_RSA_KEY = ""
    assert code(ask(house, proven(choice(wallet)))) == (409, "wallet_profile_unavailable")
    without = {"funding": "transfer", "wallet_profile": choice(wallet)["wallet_profile"]}
    assert code(ask(house, without)) == (409, "wallet_profile_unavailable")
    assert code(ask(house, {**choice(wallet), "wallet_profile": "evolution"}))[0] == 422
    assert house.read("operator/funding")["funding"] == "house"
