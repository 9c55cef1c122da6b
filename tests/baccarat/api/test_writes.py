"""Every write, done at a live operator: it has one effect, and takes and leaves behind what its row says."""

import json
import time
import uuid
from collections import defaultdict
from collections.abc import Generator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from baccarat.compliance import subscriber
from baccarat.storage.models import ShoeSecret
from casino.events import sealer
from casino.events.sql import execute, fetch
from casino.feed import writer
from casino.operators import limits_groups
from casino.operators.assertions import HEADER
from casino.operators.limits_groups import GroupLimits
from tests.baccarat.api import contract
from tests.baccarat.api.people import LONG_TURN, Caller, Gambler, Tenant, bet, deal_all, sit, tenant, whole_database
from tests.casino.operators.test_request_signatures import KEY, jwk_of
from tests.conftest import Database
from tests.operations import AREAS, ROWS
from tests.support.protection import age_wishes
from tests.wallet.api.test_reconciliation import record_discrepancies
from tests.wallet.payments.counter import SECRET, use_provider
from tests.wallet.payments.counter import method as method_of
from wallet.payments import callbacks, signatures

CHIPS = {"spot": "banker", "amount": "5.00", "currency": "EUR"}
WAGER = {"stakes": [{"spot": "banker", "amount": "5.00"}], "currency": "EUR"}
MONEY = {"amount": "5.00", "currency": "EUR"}
SEAT = {"seat": 1, "buy_in": "100.00", "currency": "EUR", "money_type": "real"}
OPENING = {"name": "T", "preset": "big_table", "currency": "EUR", "money_types": ["real"]}
TABLE = {
    **OPENING,
    "rules": {"chips": ["5.00"], "minimum": "5.00", "maximum": "50.00", "seats": 3, **LONG_TURN},
}  # fmt: skip
CARD = {
    "name": "Card", "provider": "sandbox", "currency": "EUR", "minimum": "10.00", "maximum": "2000.00",
    "fee_fixed": "0.25", "fee_percent": "1.5", "processing_seconds": 60, "supports_withdrawals": True,
}  # fmt: skip
POLICY = {"auto_approve_up_to": "100.00", "second_approval_above": "1000.00"}
LOSS = {"limit_type": "loss", "period": "day", "currency": "EUR"}
PIN = "482913"


class Doing:
    """Does writes, each by its row, and keeps what it left behind."""

    def __init__(self) -> None:
        self.events: defaultdict[str, set[str]] = defaultdict(set)
        """The kinds of significant events that each operation wrote."""
        self.agreed: set[str] = set()
        """What one person asked for and could not decide, and another decided."""
        self._last = 0

    def __call__(
        self, caller: Any, path: str, body: Any = None, *, method: str = "post", person: str = "", asked: str = ""
    ) -> Any:
        """Do a write, as a person if its row asks for one, and return the answer. Who `asked` can not decide."""
        operation, body = contract.operation_of(method, f"/api/v1/{path}"), body or {}
        row = ROWS[operation.name]
        assert bool(row.persons) is bool(person), operation.name
        self.new_kinds()
        if asked:
            alone = caller.post(path, body, person=asked)
            assert (alone.status_code, "second_person" in alone.json()["code"]) == (403, True), operation.name
        if method != "post":
            text = json.dumps(body)
            signed = {HEADER: caller.assertion(person, method.upper(), path, text.encode())} if person else {}
            address, content_type = f"/api/v1/{path}", "application/json"
            answer = caller.send(method, address, data=text, content_type=content_type, headers=signed)
        elif operation.keyed and operation.name not in SHOWN_ANEW:
            answer = twice(caller, path, body, person)
        else:
            answer = caller.post(path, body)
        assert answer.status_code < 300, answer.content.decode()
        told = answer.json() if answer.content else None
        self.events[operation.name] |= self.new_kinds()
        if asked:
            self.agreed.add(row.matter or told["kind"])
        return told

    def new_kinds(self) -> set[str]:
        """Record the significant events of the log, and return the kinds of those that are new since the last call."""
        sealer.seal_all()
        subscriber.record_new_events()
        new = fetch("SELECT kind, number FROM significant_significantevent WHERE number > %s", [self._last])
        self._last = max((number for _, number in new), default=self._last)
        return {kind for kind, _ in new}

    def change(self, house: Tenant, path: str, body: Any = None, *, method: str = "post") -> Any:
        """Have one person ask for a change and another confirm it, and return what was asked for."""
        change = self(house, path, body, person="ann", method=method)
        assert change["status"] == "requested"
        self(house, f"changes/{change['id']}/confirm", person="ben", asked="ann")
        return change


SHOWN_ANEW = {"lookAtCards", "redeemLaunch"}
"""An answer that holds a secret is stored nowhere."""


def twice(caller: Caller, path: str, body: dict[str, Any], person: str) -> Any:
    """Send a POST twice with one key: the second changes nothing and answers the same, byte for byte."""
    key = uuid.uuid4().hex
    signed = {"person": person} if person else {}
    first = caller.post(path, body, key=key, **signed)
    assert first.status_code < 300, first.content.decode()
    assert "Idempotent-Replayed" not in first
    after = whole_database()
    again = caller.post(path, body, key=key, **signed)
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again["Idempotent-Replayed"] == "true"
    other = caller.post(path, {**body, "other": 1}, key=key, **signed)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    assert whole_database() == after
    return first


@pytest.fixture(scope="module")
def done(module_database: Database) -> Generator[Doing]:
    """Do everything once."""
    doing = Doing()
    with pytest.MonkeyPatch.context() as patch:
        use_provider(patch)
        for scene in SCENES:
            scene(doing, tenant("lucky"))
        yield doing


def play(do: Doing, lucky: Tenant) -> None:
    alice, bob = lucky.player("Alice"), lucky.player("Bob")
    do(lucky, "tables", OPENING)
    table = lucky.open_table(TABLE)
    at = f"tables/{table}"
    do(alice, f"{at}/seat", SEAT)
    for act, body in (("place", CHIPS), ("undo", {}), ("place", CHIPS), ("clear", {}), ("deal", WAGER)):
        do(alice, f"{at}/{act}", body)
    deal_all()
    do(alice, f"{at}/rebet")
    do(alice, f"{at}/double")
    alice.do(f"{at}/deal")
    deal_all()
    do(alice, f"{at}/rebet-and-deal")
    deal_all()
    bet(alice, table, player="5.00")
    deal_all()
    do(alice, f"{at}/cut", {"contribution": "9f2c5e7a"})
    do(alice, f"{at}/look")
    do(alice, f"{at}/hand-back")
    deal_all()
    do(alice, f"{at}/skip-show")
    do(alice, f"{at}/pass")
    deal_all()
    do(alice, f"{at}/rebuy", MONEY)
    do(alice, f"{at}/change-seat", {"seat": 2})
    do(alice, f"{at}/leave")
    do(lucky, f"rounds/{alice.read(at)['last_round']['id']}/dispute-pack")
    for scope, subject in (("table", table), ("player", bob.id), ("operator", lucky.id)):
        stop = {"scope": scope, "subject": subject, "reason": "Looked at"}
        do(lucky, "stops", stop)
        if scope == "operator":
            lucky.agree("stops/resume", stop)
        else:
            do(lucky, "stops/resume", stop)
    do(lucky, f"{at}/close", {"reason": "Worn out"})
    do(alice, "preferences", contract.named("setPreferences").request_examples()[0], method="put")


def voids(do: Doing, lucky: Tenant) -> None:
    alice, table = lucky.player("Alice"), lucky.table("mini")
    at = f"tables/{table}"
    alice.do(f"{at}/seat", SEAT)
    do(alice, f"{at}/new-game")
    bet(alice, table, banker="5.00")
    running = lucky.read(at)["round"]
    seed = ShoeSecret.objects.get(shoe_id=running["shoe"])
    ShoeSecret.objects.filter(pk=seed.pk).delete()
    deal_all()
    seed.save(force_insert=True)
    do(lucky, f"rounds/{running['id']}/resume", person="ann")
    deal_all()
    bet(alice, table, banker="5.00")
    deal_all()
    why = {"reason": "malfunction", "note": "The camera failed."}
    settled = alice.read("rounds", status="settled")["items"]
    do.change(lucky, f"rounds/{settled[0]['id']}/void", why)
    declined = do(lucky, f"rounds/{settled[1]['id']}/void", why, person="ann")
    do(lucky, f"changes/{declined['id']}/decline")
    bet(alice, table, banker="5.00")
    do(lucky, f"rounds/{lucky.read(at)['round']['id']}/void", why, person="ann")
    do.change(lucky, "void-policy", {"spent": "forgive"})


def rules(do: Doing, lucky: Tenant) -> None:
    at = f"tables/{lucky.table('mini')}/versions"
    do.change(lucky, at, {"rules": {"maximum": "200.00"}})
    do(lucky, f"{at}/1/retire", {"reason": "Printed wrong."})


def chat(do: Doing, lucky: Tenant) -> None:
    alice, bob, table = lucky.player("Alice"), lucky.player("Bob"), lucky.table("big_table", rules=LONG_TURN)
    sit(alice, table, 2)
    at = f"tables/{table}/chat"
    said = do(alice, at, {"text": "Good evening"})["id"]
    do(bob, f"{at}/{said}/report", {"reason": "Rude"})
    report = do(bob, f"{at}/report-player", {"seat": 2})["id"]
    do(bob, f"{at}/open", {"open": False}, method="put")
    do(lucky, f"chat/reports/{report}/close", {"outcome": "dismissed"})
    ban = {"reason": "spam", "minutes": 5}
    for act, body in (("mute", ban), ("unmute", {}), ("ban", ban), ("unban", {})):
        do(lucky, f"players/{bob.id}/{act}", body)
    for address in ("chat/filter-words", "chat/filter-words/remove"):
        do(lucky, address, {"word": "darn"})


def exclusions(do: Doing, lucky: Tenant) -> None:
    alice = lucky.player("Alice")
    do(lucky, f"players/{alice.id}/pin", {"pin": "730164"})
    do(alice, "me/pin", {"old_pin": "730164", "new_pin": PIN})
    do(lucky, f"players/{alice.id}/pin/unlock")
    lucky.do(f"players/{alice.id}/pin", {"pin": "730164"})
    do(alice, "me/pin/keep", {"pin": PIN})
    for most in ("50.00", "60.00"):
        do(alice, "me/limits", {**LOSS, "amount": most})
    do(alice, "me/limits/cancel", LOSS)
    alice.do("me/limits", {**LOSS, "amount": "60.00"})
    age_wishes(uuid.UUID(alice.id), timedelta(days=2))
    do(alice, "me/limits/confirm", LOSS)
    do(alice, "me/table-limit", {"limit": "50.00", "currency": "EUR", "pin": PIN})
    do(alice, "me/reality-check", {"minutes": 30})
    do(lucky, f"players/{alice.id}/limits", {**LOSS, "amount": "70.00"})
    do(lucky, "operator/limits", {**LOSS, "amount": "80.00"})
    do(alice, "me/exclusions", {"kind": "cooling_off", "hours": 24, "pin": PIN})
    do(lucky, f"players/{alice.id}/exclusions", {"kind": "self_exclusion", "months": 6, "set_by": "operator"})
    age_wishes(uuid.UUID(alice.id), timedelta(days=200))
    do.change(lucky, f"players/{alice.id}/exclusions/end")


def sessions(do: Doing, lucky: Tenant) -> None:
    player = do(lucky, "players", {"reference": "alice-1", "nickname": "Alice"})["id"]
    opened = do(lucky, f"players/{player}/sessions", {"ttl_seconds": 600})
    alice = Gambler(opened["token"], player)
    do(lucky, f"players/{player}/sessions/renew", {"ttl_seconds": 1200})
    do(alice, "stream/tickets")
    do(alice, "me/data-exports")
    limits_groups.change(
        operator=uuid.UUID(lucky.id), name="careful", currency="EUR", limits=GroupLimits(maximum=2000), by="test"
    )
    launch = {"player": {"reference": "alice-1"}}
    codes = [
        do(lucky, "launches", {**launch, **more})["url"].rpartition("=")[2]
        for more in ({}, {"limits_group": "careful"})
    ]
    do(alice, "sessions/renew", {"code": codes[0]})
    again = Gambler(do(Caller(""), "sessions/launch", {"code": codes[1]})["token"], player)
    do(again, "sessions/current", method="delete")


def money(do: Doing, lucky: Tenant) -> None:
    alice = lucky.player("Alice", funds="")
    do(alice, "me/play-money")
    adjustment = {
        "player": alice.id, "direction": "credit", "money_type": "real", "amount": "5.00", "currency": "EUR",
        "reason": "goodwill", "note": "A long wait.",
    }  # fmt: skip
    do.change(lucky, "adjustments", adjustment)
    do(alice, f"notices/{alice.read('notices')['items'][0]['id']}/read")
    do.change(lucky, "operator/funding", {"funding": "transfer"})
    do(lucky, f"players/{alice.id}/transfers", {"reference": "tx-1", "direction": "in", **MONEY})
    do.change(lucky, "play-money-policy", {"cap": "100.00", "currency": "EUR"})


def payments(do: Doing, lucky: Tenant) -> None:
    alice, method = lucky.player("Alice"), str(method_of(uuid.UUID(lucky.id)).id)
    payment = {"method": method, "amount": "50.00", "currency": "EUR"}
    deposit = do(alice, "me/deposits", payment)["id"]
    do(alice, "me/deposits/quick", {"currency": "EUR"})
    call_back(do, {"kind": "deposit", "payment": deposit, "reference": "tx-1", "status": "completed", **payment})
    withdrawal = do(alice, "me/withdrawals", payment)["id"]
    do(alice, f"me/withdrawals/{withdrawal}/cancel")
    for decision in ("release", "reject"):
        do(alice, "me/withdrawals", {**payment, "amount": "10.00"})
        hold = f"holds/{lucky.read('holds', status='open')['items'][0]['id']}"
        do(lucky, f"{hold}/assign", {"owner": "agent-9"}, person="agent-9")
        if decision == "release":
            do.change(lucky, f"{hold}/release")
        else:
            do(lucky, f"{hold}/reject", {"reason": "Not hers."}, person="agent-9")
    call_back(do, {"kind": "deposit", "payment": deposit, "reference": "tx-2", "status": "reversed", **payment})
    callbacks.apply_waiting()
    (unapplied,) = lucky.read("discrepancies")["items"]
    do(lucky, f"discrepancies/{unapplied['id']}/apply-again")
    (discrepancy,) = record_discrepancies(lucky, "p1")
    do(lucky, f"discrepancies/{discrepancy}/assign", {"owner": "agent-9", "note": "Ask."})
    resolution = {"resolution": "provider_corrected", "note": "Sent again."}
    do(lucky, f"discrepancies/{discrepancy}/resolve", resolution, person="agent-9")
    do.change(lucky, "withdrawal-policy", POLICY)
    do.change(lucky, "deposit-methods", CARD)
    do.change(lucky, f"deposit-methods/{method}/versions", CARD)
    for decision in ("decline", "cancel"):
        do(lucky, f"changes/{lucky.do('withdrawal-policy', POLICY, person='ann')['id']}/{decision}")


def call_back(do: Doing, report: dict[str, Any]) -> None:
    """Report on a payment as the provider does."""
    del report["method"]
    path, body = "providers/sandbox/callbacks", json.dumps(report).encode()
    signed = signatures.headers(
        secret=SECRET,
        timestamp=str(int(time.time())),
        nonce=uuid.uuid4().hex,
        subject=f"POST /api/v1/{path}",
        body=body,
    )
    do.new_kinds()
    assert Caller("").raw(path, body, **signed).status_code == 202
    do.events["receivePaymentCallback"] |= do.new_kinds()


def cases(do: Doing, lucky: Tenant) -> None:
    player = lucky.player("Alice").id
    do(lucky, f"players/{player}/status", {"kyc": "pending"})
    do(lucky, f"players/{player}/notes", {"text": "Asked for a payslip."})
    listing = {"status": "pep", "listed": True, "on": "2026-11-01", "list_name": "UN"}
    do(lucky, f"players/{player}/screening", listing)
    do(lucky, f"players/{player}/freeze", {"reason": "An order."}, person="ann")
    do.change(lucky, f"players/{player}/unfreeze")
    complaint = do(lucky, f"players/{player}/complaints", {"text": "Late."})["id"]
    do(lucky, f"cases/{complaint}/entries", {"kind": "note", "text": "Looked at."})
    do(lucky, f"cases/{complaint}/assign", {"owner": "ben"})
    do(lucky, f"cases/{complaint}/resolve", {"resolution": "Explained.", "outcome": "rejected"}, person="ann")
    do(lucky, f"cases/{complaint}/reopen", {"reason": "A new paper."}, person="ann")
    do(lucky, "reports", {"name": "revenue", "period": "lifetime"})


def house_and_keys(do: Doing, lucky: Tenant) -> None:
    do.change(lucky, "operator/origins", {"origins": ["https://play.lucky.example"]}, method="put")
    do(lucky, "skins/night", contract.named("setSkin").request_examples()[0], method="put")
    do(lucky, "skins/night", method="delete")
    signing = do.change(lucky, "operator/key/signing-keys", {"jwk": jwk_of(KEY)})["keyid"]
    do(lucky, f"operator/key/signing-keys/{signing}", method="delete")
    renewed = replace(lucky, credential=do(lucky, "operator/key/rotate", {"overlap_seconds": 3600})["credential"])
    execute("UPDATE operators_apikey SET secret_since = secret_since - interval '1 hour'")
    do(renewed, "operator/key/end-rotation")


def webhooks(do: Doing, lucky: Tenant) -> None:
    lucky.player("Alice")
    sealer.seal_all()
    while writer.write_new_items():
        pass
    made = do(lucky, "webhooks", {"url": "https://lucky.example/webhooks"}, person="ann")
    do(lucky, f"changes/{made['change']}/confirm", person="ben", asked="ann")
    webhook = f"webhooks/{made['id']}"
    for act, body in (
        ("pause", {}),
        ("resume", {}),
        ("replay", {"after": 0, "until": 1}),
        ("rotate-secret", {}),
        ("test", {}),
    ):
        do(lucky, f"{webhook}/{act}", body)
    do(lucky, webhook, method="delete")


SCENES = (play, voids, rules, chat, exclusions, sessions, money, payments, cases, house_and_keys, webhooks)


def test_every_write_is_done_here(done: Doing) -> None:
    writes = {operation.name for operation in contract.operations() if operation.method != "get"}
    assert done.events.keys() == {name for name in writes if not ROWS[name].sandbox}


@pytest.mark.parametrize("area", AREAS)
def test_a_write_leaves_the_significant_events_of_its_row_and_no_other(done: Doing, area: str) -> None:
    written = {name: done.events[name] for name in AREAS[area] if name in done.events}
    assert written == {name: set(ROWS[name].event) for name in written}


def test_what_two_persons_agree_on_is_decided_by_none_of_them_alone(done: Doing) -> None:
    assert done.agreed == {row.matter for row in ROWS.values() if row.persons == 2 and row.matter}
