"""Money waits for the compliance desk over HTTP, and whatever the cause, the player reads the same bytes."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from baccarat.queries.staked import staked_between
from baccarat.risk import detection, players
from baccarat.risk.models import KycStatus, Screening
from baccarat.services import absent_seats
from casino.compliance import cases
from casino.compliance.models import CaseKind
from casino.events import sealer
from casino.events.sql import database_now
from casino.events.store import Metadata
from casino.operators import daily_caps, sessions
from casino.operators.daily_caps import CapEffect, CapKind
from casino.operators.models import DailyCap
from tests.baccarat.api.people import Caller, Gambler, Tenant, bet, deal_all, sit, tenant
from tests.support.acts import agreed
from tests.support.keys import issue_key
from tests.wallet.payments.counter import offer, use_provider
from wallet.models import Hold, Withdrawal
from wallet.payments import deposits, holds, methods, processor, withdrawal_state, withdrawals
from wallet.payments.gate import CauseKind, HoldTerms, kind_of
from wallet.payments.provider_reports import PaymentKind, ProviderReport, ProviderStatus

pytestmark = pytest.mark.django_db
SMALL = {"amount": "20.00", "currency": "EUR"}


@pytest.fixture
def lucky(monkeypatch: pytest.MonkeyPatch) -> Tenant:
    use_provider(monkeypatch)
    return tenant("lucky")


def set_policy(lucky: Tenant, **terms: Any) -> None:
    """Let the operator pay up to 2,000.00 without any person, and two release above 1,000.00."""
    with agreed():
        methods.set_policy(
            operator=UUID(lucky.id), currency="EUR", auto_approve_up_to=200_000, second_approval_above=200_000,
            actor="staff:1", holds=HoldTerms(**terms),
        )  # fmt: skip


def review_all(lucky: Tenant, **terms: Any) -> None:
    """Let a cashier approve every withdrawal."""
    with agreed():
        methods.set_policy(
            operator=UUID(lucky.id), currency="EUR", auto_approve_up_to=0, second_approval_above=100_000,
            actor="staff:1", holds=HoldTerms(**terms),
        )  # fmt: skip


def method_of(lucky: Tenant) -> str:
    with agreed():
        card = offer(fee_fixed=0, fee_ppm=0, minimum=1)
        return str(methods.create(operator=UUID(lucky.id), offer=card, actor="staff:1").id)


def pay_in(player: Gambler, method: str, amount: str) -> None:
    paid = player.do("me/deposits", {"method": method, "amount": amount, "currency": "EUR"})["id"]
    minor = int(amount.replace(".", ""))
    done = ProviderReport(PaymentKind.DEPOSIT, UUID(paid), f"tx-{paid}", ProviderStatus.COMPLETED, minor, "EUR")
    assert deposits.apply(done, provider="sandbox") == deposits.APPLIED


def withdraw(player: Gambler, method: str, amount: str = "20.00") -> dict[str, Any]:
    made: dict[str, Any] = player.do("me/withdrawals", {"method": method, "amount": amount, "currency": "EUR"})
    return made


def open_case(lucky: Tenant, player: Gambler) -> UUID:
    case = cases.open_case(
        operator=UUID(lucky.id), kind=CaseKind.SUSPICIOUS_ACTIVITY, subject=f"player:{player.id}", details={}
    )
    assert case is not None
    return case


def test_money_of_an_open_case_waits_for_compliance_although_policy_would_pay_it_at_once(lucky: Tenant) -> None:
    set_policy(lucky, played_ppm=0)
    method, olga = method_of(lucky), lucky.player("Olga", funds="")
    pay_in(olga, method, "1500.00")
    withdrawal = withdraw(olga, method, "1450.00")
    assert withdrawal["status"] == "approved"
    sealer.seal_all()
    detection.watch()
    (case,) = lucky.read("cases", player=olga.id)["items"]
    processor.poll_due_payments()
    assert olga.read(f"me/withdrawals/{withdrawal['id']}")["status"] == "in_review"
    (hold,) = lucky.read("holds", status="open")["items"]
    assert (hold["causes"], hold["amount"]["amount"]) == ([f"open_case:{case['id']}"], "1450.00")

    lucky.do(f"holds/{hold['id']}/assign", {"owner": "carla"}, person="carla")
    assert lucky.do(f"holds/{hold['id']}/release", person="carla")["status"] == "released"
    assert withdrawals.send(UUID(withdrawal["id"]))
    assert lucky.read(f"holds/{hold['id']}")["decided_by"] == [lucky.actor("carla")]


def test_compliance_rejects_and_two_release_a_large_payment(lucky: Tenant) -> None:
    set_policy(lucky)
    with agreed():
        methods.set_policy(
            operator=UUID(lucky.id), currency="EUR", auto_approve_up_to=0, second_approval_above=1000, actor="staff:1"
        )
    method, olga = method_of(lucky), lucky.player("Olga", funds="")
    pay_in(olga, method, "100.00")
    large, small = withdraw(olga, method, "20.00"), withdraw(olga, method, "10.00")
    ids = {item["withdrawal"]: item["id"] for item in lucky.read("holds")["items"]}
    refused = lucky.post(f"holds/{ids[small['id']]}/reject", {"reason": " "}, person="carla")
    assert refused.json()["code"] == "field_blank"
    rejected = lucky.do(f"holds/{ids[small['id']]}/reject", {"reason": "Not hers."}, person="carla")
    assert (rejected["status"], rejected["reason"]) == ("rejected", "Not hers.")
    assert olga.read(f"me/withdrawals/{small['id']}")["reason"] == withdrawal_state.REJECTED
    assert olga.balances()["account", "real"] == "80.00"
    change = lucky.do(f"holds/{ids[large['id']]}/release", person="carla")
    assert (change["kind"], change["status"]) == ("release_payment", "requested")
    assert lucky.post(f"changes/{change['id']}/confirm", person="carla").status_code == 403
    lucky.do(f"changes/{change['id']}/confirm", person="carl")
    assert lucky.read(f"holds/{ids[large['id']]}")["status"] == "released"


def test_only_keys_of_compliance_read_causes(lucky: Tenant) -> None:
    set_policy(lucky)
    method, olga = method_of(lucky), lucky.player("Olga", funds="")
    pay_in(olga, method, "100.00")
    withdraw(olga, method)
    with agreed():
        others = ".".join(issue_key(operator=UUID(lucky.id), scopes=["read", "play", "money", "stop", "configure"]))
    reader = Caller(others)
    (hold,) = lucky.read("holds")["items"]
    for path in ("holds", f"holds/{hold['id']}", f"players/{olga.id}/screening", f"players/{olga.id}/freeze"):
        assert lucky.get(path).status_code == 200
        assert reader.get(path).json()["code"] == "scope_missing"
    (shown,) = reader.read("withdrawals")["items"]
    assert shown["status"] == "in_review"
    assert not re.search("held|hold|unplayed", str(shown))
    stranger = tenant("other")
    assert stranger.read("holds")["items"] == []
    assert stranger.get(f"holds/{hold['id']}").json()["code"] == "unknown_hold"


AWAY = {"kind": "self_exclusion", "months": 6}


def _cap(lucky: Tenant, kind: CapKind, effect: CapEffect) -> None:
    daily_caps.change(operator=UUID(lucky.id), kind=kind, currency="EUR", amount=1, effect=effect, by="staff:1")


def _send_beyond_cap(lucky: Tenant, player: Gambler) -> None:
    """Approve a withdrawal that is then not sent."""
    _cap(lucky, CapKind.PAYOUTS, CapEffect.HOLD)
    payment = Withdrawal.objects.get(player_id=player.id).pk
    withdrawals.approve(payment, staff="staff:1", metadata=Metadata(lucky.id, actor="staff:1", causation=""))
    assert not withdrawals.send(payment)


def _win_beyond_cap(lucky: Tenant, _player: Gambler) -> None:
    _cap(lucky, CapKind.WINS, CapEffect.HOLD_PAYOUTS)
    DailyCap.objects.update(moved=2)


CAUSES: dict[str, Callable[[Tenant, Gambler], object]] = {
    "open_case": open_case,
    "kyc_failed": lambda lucky, player: players.set_status(**_who(lucky, player), kyc=KycStatus.FAILED),
    "kyc_missing": lambda lucky, player: review_all(lucky, played_ppm=0, kyc_above=100),
    "sanctions": lambda lucky, player: _screen(lucky, player, Screening.SANCTIONS),
    "pep": lambda lucky, player: _screen(lucky, player, Screening.PEP),
    "tag": lambda lucky, player: players.set_status(**_who(lucky, player), tags=["watch"]),
    "excluded_by_house": lambda lucky, player: lucky.do(
        f"players/{player.id}/exclusions", {**AWAY, "set_by": "operator"}
    ),
    "excluded_by_house:ban": lambda lucky, player: _ban(player),
    "frozen": lambda lucky, player: lucky.do(f"players/{player.id}/freeze", {"reason": "Order"}, person="carla"),
    "unplayed": lambda lucky, player: review_all(lucky),
    "daily_cap": _send_beyond_cap,
    "daily_wins": _win_beyond_cap,
}


CONTROLS: dict[str, Callable[[Tenant, Gambler], object]] = {
    "excluded_by_house": lambda _, player: player.do("me/exclusions", AWAY),
    "excluded_by_house:ban": lambda _, player: _ban(player),
    "frozen": lambda lucky, player: lucky.do("stops", {"scope": "player", "subject": player.id, "reason": "Quarrel"}),
}
"""What keeps another player from playing in the same way, without a word about money; others play on."""


def _ban(player: Gambler) -> None:
    sessions.save_ban(player=UUID(player.id), until=database_now() + timedelta(days=1))


def _who(lucky: Tenant, player: Gambler) -> dict[str, Any]:
    return {"operator": UUID(lucky.id), "player": UUID(player.id), "by": "staff:8"}


def _screen(lucky: Tenant, player: Gambler, found: Screening) -> None:
    day = database_now().date()
    players.set_screening(**_who(lucky, player), found=found, listed=True, on=day, source="UN list")


def reads(player: Gambler, withdrawal: str) -> list[str]:
    """Return all that a player reads about a withdrawal and money, without ids and times."""
    paths = ("me/withdrawals", f"me/withdrawals/{withdrawal}", "me/balances", "me/statement?account=hold",
             "me/limits", "notices", "me/withdrawals?status=in_review", "me/withdrawals?status=approved",
             "me/withdrawal-quote?amount=1.00")  # fmt: skip
    return [_plain(player.get(path)) for path in paths]


def _plain(answer: Any) -> str:
    text = f"{answer.status_code} {answer.content.decode()}"
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "id", text)
    text = re.sub(r'"(entry|request_id)":"[^"]+"', r'"\1":"id"', text)
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "time", text)


def waiting(lucky: Tenant, method: str, name: str) -> tuple[Gambler, str]:
    """Return a player whose withdrawal waits for a cashier."""
    player = lucky.player(name, funds="")
    pay_in(player, method, "100.00")
    return player, withdraw(player, method)["id"]


def again(lucky: Tenant, player: Gambler) -> Gambler:
    """Begin another session of a player if the last one has ended."""
    if player.get("me/balances").status_code == 200:
        return player
    return Gambler(lucky.do(f"players/{player.id}/sessions", {})["token"], player.id)


def plays(player: Gambler, table: str) -> list[str]:
    """Return all refusals that a player reads who tries to sit down, to bet and to rebuy for too much or too little."""
    asked = {"seat": 1, "currency": "EUR", "money_type": "real"}
    wager = {"stakes": [{"spot": "banker", "amount": "0.01"}], "currency": "EUR"}
    answers = [
        player.post(f"tables/{table}/seat", {**asked, "buy_in": "99999.00"}),
        player.post(f"tables/{table}/deal", wager),
        player.post(f"tables/{table}/seat", {**asked, "buy_in": "80.00"}),
        player.post(f"tables/{table}/deal", wager),
        player.post(f"tables/{table}/rebuy", {"amount": "99999.00", "currency": "EUR"}),
    ]
    return [_plain(answer) for answer in answers if answer.status_code >= 400]


def test_each_kind_of_cause_is_compared() -> None:
    assert {kind_of(cause) for cause in CAUSES} == set(CauseKind)


@pytest.mark.parametrize("cause", CAUSES)
def test_a_player_reads_the_same_bytes_whatever_holds_the_money_or_nothing_does(lucky: Tenant, cause: str) -> None:
    review_all(lucky, played_ppm=0, tags=("watch",))
    method = method_of(lucky)
    bob, bobs = waiting(lucky, method, "Bob")
    alice, hers = waiting(lucky, method, "Alice")
    expected, cancelled = reads(bob, bobs), _plain(bob.post(f"me/withdrawals/{bobs}/cancel"))
    CAUSES[cause](lucky, alice)
    holds.watch()
    hold = holds.open_hold_of(UUID(hers))
    assert hold is not None
    assert kind_of(cause) in hold.causes
    alice = again(lucky, alice)
    told = 4 if cause == "excluded_by_house" else 6  # the exclusion itself is told, by limits and notices
    assert reads(alice, hers)[:told] == expected[:told]
    assert reads(alice, hers)[6:] == expected[6:]
    answer = alice.post(f"me/withdrawals/{hers}/cancel")
    if cause in {"open_case", "frozen"}:
        facts = answer.json()
        assert (answer.status_code, facts["code"], facts["current_status"]) == (409, "too_late_to_cancel", "in_review")
        assert not re.search("case|froz|freez|hold|compliance", answer.content.decode())
    else:
        assert _plain(answer) == cancelled


@pytest.mark.parametrize("cause", CAUSES)
def test_a_player_who_plays_is_refused_by_the_same_bytes_whatever_holds_the_money(lucky: Tenant, cause: str) -> None:
    review_all(lucky, played_ppm=0, tags=("watch",))
    method, tables = method_of(lucky), [lucky.table("mini", rules={"turn_seconds": 3600}) for _ in range(2)]
    (bob, _), (alice, hers) = waiting(lucky, method, "Bob"), waiting(lucky, method, "Alice")
    if cause in CONTROLS:
        CONTROLS[cause](lucky, bob)
    CAUSES[cause](lucky, alice)
    holds.watch()
    assert holds.open_hold_of(UUID(hers)) is not None

    expected = plays(bob, tables[0])
    assert plays(again(lucky, alice), tables[1]) == expected
    assert len(expected) == (5 if cause in {"excluded_by_house", "frozen"} else 4)


def test_a_self_exclusion_holds_nothing_whoever_records_it_and_one_by_the_house_does(lucky: Tenant) -> None:
    set_policy(lucky, played_ppm=0)
    method = method_of(lucky)
    alice, bob, carol = (lucky.player(name, funds="") for name in ("Alice", "Bob", "Carol"))
    for player in (alice, bob, carol):
        pay_in(player, method, "100.00")
    before = withdraw(carol, method)["id"]
    alice.do("me/exclusions", AWAY)
    lucky.do(f"players/{bob.id}/exclusions", {**AWAY, "set_by": "player", "note": "By telephone"})
    missing = lucky.post(f"players/{carol.id}/exclusions", AWAY)
    assert (missing.status_code, missing.json()["code"]) == (422, "field_required")
    lucky.do(f"players/{carol.id}/exclusions", {**AWAY, "set_by": "operator"})
    statuses = [withdraw(player, method)["status"] for player in (alice, bob, carol)]
    assert statuses == ["approved", "approved", "in_review"]
    assert carol.read(f"me/withdrawals/{before}")["status"] == "in_review"  # at once, although it was approved
    notices = [[each["kind"] for each in player.read("notices")["items"]] for player in (alice, bob, carol)]
    assert notices[:2] == [[], []]
    assert notices[2] == ["in_review", "in_review", "excluded"]

    carol.do("me/exclusions", {"kind": "self_exclusion", "permanent": True})  # does not end the house's
    assert withdraw(carol, method, "5.00")["status"] == "in_review"
    causes = [hold["causes"] for hold in lucky.read("holds")["items"]]
    assert causes == [["excluded_by_house"]] * 3


def test_a_frozen_player_leaves_after_the_round_and_keeps_the_money(lucky: Tenant) -> None:
    set_policy(lucky, played_ppm=0)
    method, table = method_of(lucky), lucky.table("mini", rules={"turn_seconds": 3600})
    alice = lucky.player("Alice", funds="")
    pay_in(alice, method, "100.00")
    sit(alice, table, buy_in="60.00")
    bet(alice, table, banker="10.00")
    frozen = lucky.do(f"players/{alice.id}/freeze", {"reason": "Order"}, person="carla")
    assert frozen["frozen_at"] is not None
    assert alice.get("me/balances").status_code == 401
    alice = again(lucky, alice)
    deal_all()
    assert absent_seats.release_absent_seats() == 1
    money = alice.balances()
    assert money["game", "real"] == "0.00"
    assert money["account", "real"] in {"90.00", "100.00", "109.50"}
    seat = {"seat": 1, "buy_in": "10.00", "currency": "EUR", "money_type": "real"}
    refusals = [
        alice.post(f"tables/{table}/seat", seat), alice.post("me/deposits", {"method": method, **SMALL}),
    ]  # fmt: skip
    assert [(answer.status_code, answer.json()["code"]) for answer in refusals] == [(403, "player_blocked")] * 2
    assert {answer.json()["detail"] for answer in refusals} == {"You can't play for now."}
    assert withdraw(alice, method)["status"] == "in_review"

    assert lucky.post(f"players/{alice.id}/freeze", {"reason": "x"}, person="carla").json()["code"] == (
        "player_already_frozen"
    )
    change = lucky.do(f"players/{alice.id}/unfreeze", person="carla")
    assert alice.post(f"tables/{table}/seat", seat).status_code == 403
    assert lucky.post(f"changes/{change['id']}/confirm", person="carla").status_code == 403
    lucky.do(f"changes/{change['id']}/confirm", person="carl")
    assert alice.post(f"tables/{table}/seat", seat).status_code == 200
    assert Hold.objects.get().status == "open"


def test_play_before_a_withdrawal_counts_without_pushes_and_voids(lucky: Tenant) -> None:
    set_policy(lucky)
    method, table = method_of(lucky), lucky.table("mini")
    alice = lucky.player("Alice", funds="")
    earlier = database_now()
    pay_in(alice, method, "300.00")
    since = database_now()
    sit(alice, table, buy_in="200.00")
    counted = 0
    for _ in range(4):
        bet(alice, table, player="10.00", tie="5.00")
        deal_all()
        outcome = alice.read(f"tables/{table}")["last_round"]["outcome"]
        counted += 500 if outcome == "tie" else 1500
    staked = staked_between(UUID(alice.id), "EUR", [earlier, since])
    assert list(staked) == [0, counted]
    assert list(staked_between(UUID(alice.id), "USD", [since])) == [0]
    round_ = alice.read(f"tables/{table}")["last_round"]
    change = lucky.do(f"rounds/{round_['id']}/void", {"reason": "malfunction", "note": "x"}, person="ann")
    lucky.do(f"changes/{change['id']}/confirm", person="ben")
    voided = 500 if round_["outcome"] == "tie" else 1500
    assert list(staked_between(UUID(alice.id), "EUR", [since])) == [counted - voided]
    assert withdraw(alice, method)["status"] == "in_review"  # 60.00 of 300.00 at most
