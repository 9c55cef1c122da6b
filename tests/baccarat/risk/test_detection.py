"""Planted patterns are found, once, with their case; ordinary players are left alone; a replay finds the same."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import RequestFactory

from baccarat.domain.rules.table_rules import SpotKind
from baccarat.risk import activity, detection, networks, rule_changes, rules
from baccarat.risk.activity import SUBSCRIBER
from baccarat.risk.models import Activity, PlayerNetwork, PlayerPair, RiskAlert
from baccarat.risk.rules import NewRule, RuleKind, RuleTerms
from casino.compliance import case_entries, cases
from casino.compliance.models import Case, CaseEntry
from casino.events import sealer, store, subscriptions
from casino.events.sql import execute, fetch
from casino.events.store import Append, Metadata
from casino.operators import services
from casino.operators.models import Operator, Player
from tests.support.house import House, deal_all
from tests.support.spots import lucky_nine
from wallet.events import CATALOGUE
from wallet.models import Deposit
from wallet.payments import events as payments

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Till:
    """Writes payments into the log as the wallet does, at any time."""

    operator: UUID
    currency: str = "EUR"

    def write(self, stream: str, *events: Any) -> None:
        metadata = Metadata(operator=str(self.operator), actor="system", causation="", correlation="")
        store.append([Append(stream, 0, [CATALOGUE.encode(event) for event in events], metadata)])

    def deposit(self, player: UUID, amount: int, at: datetime = NOON, method: UUID | None = None) -> None:
        deposit, method = uuid4(), method or UUID(int=1)
        common: dict[str, Any] = {
            "deposit": deposit, "operator": self.operator, "player": player, "currency": self.currency,
            "amount": amount, "fee": 0, "at": at,
        }  # fmt: skip
        self.write(
            f"deposit-{deposit}",
            payments.DepositRequested(method=method, method_version=1, provider="sandbox", **common),
            payments.DepositCompleted(reference="r", **common),
        )
        Deposit.objects.create(
            id=deposit, operator_id=self.operator, player_id=player, method_id=method, method_version=1,
            provider="sandbox", currency=self.currency, amount=amount, fee=0, debt_created=0, status="completed",
            reason="", requested_at=at, ended_at=at, version=2,
        )  # fmt: skip

    def withdraw(self, player: UUID, amount: int, at: datetime = NOON, *, rejected: bool = False) -> None:
        withdrawal = uuid4()
        common: dict[str, Any] = {
            "withdrawal": withdrawal, "operator": self.operator, "player": player, "currency": self.currency,
            "amount": amount, "at": at,
        }  # fmt: skip
        request = payments.WithdrawalRequested(
            method=UUID(int=1), method_version=1, provider="sandbox", approvals_required=1, fee=0, **common
        )
        answer = (
            [payments.WithdrawalRejected(rejected_by="staff:1", reason="no", note="", **common)] if rejected else []
        )
        self.write(f"withdrawal-{withdrawal}", request, *answer)


@pytest.fixture
def operator() -> Operator:
    return services.create_operator(slug="lucky", name="Lucky", currencies=["EUR", "JPY"], sandbox=False)


@pytest.fixture
def till(operator: Operator) -> Till:
    return Till(operator.pk)


def found() -> dict[str, list[UUID]]:
    """Read what was sealed, and return the players of each kind of alert."""
    sealer.seal_all()
    detection.watch()
    kinds: dict[str, list[UUID]] = {}
    for alert in RiskAlert.objects.order_by("pk"):
        kinds.setdefault(alert.kind, []).append(alert.player_id)
    return kinds


def keep_only(operator: Operator, kind: RuleKind, terms: RuleTerms) -> None:
    rule = NewRule(kind=kind, terms=terms, reason="A test.", currency="EUR", operator=operator.pk)
    rules.change_rule(rule, by="staff:1")


def test_deposits_that_only_together_are_much_are_found_once_with_a_case_and_its_deadline(
    till: Till, operator: Operator
) -> None:
    alice, bob, carol = uuid4(), uuid4(), uuid4()
    for hour in range(3):
        till.deposit(alice, 70_000, NOON + timedelta(hours=hour))
        till.deposit(bob, 60_000, NOON + timedelta(hours=hour))
        till.deposit(carol, 70_000, NOON + timedelta(hours=13 * hour))
    assert found() == {"deposit_sum": [alice]}
    (alert,), (case,) = RiskAlert.objects.all(), Case.objects.all()
    assert (alert.amount, alert.count, alert.case_id) == (210_000, 3, case.pk)
    assert (case.kind, case.subject, case.operator_id) == ("suspicious_activity", f"player:{alice}", operator.pk)
    (deadline,) = CaseEntry.objects.all()
    assert deadline.due_at is not None
    assert timedelta(hours=71) < deadline.due_at - case.opened_at < timedelta(hours=73)

    till.deposit(alice, 100, NOON + timedelta(hours=4))
    assert found() == {"deposit_sum": [alice]}


def test_a_second_alert_joins_the_open_case_and_a_later_one_opens_another(till: Till, operator: Operator) -> None:
    alice = uuid4()
    till.deposit(alice, 200_000)
    till.withdraw(alice, 150_000, NOON + timedelta(hours=1))
    assert found() == {"deposit_sum": [alice], "without_play": [alice]}
    (case,) = Case.objects.all()
    assert set(RiskAlert.objects.values_list("case_id", flat=True)) == {case.pk}

    cases.resolve_case(case.pk, operator=operator.pk, resolution="A gift.", by="staff:1")
    till.deposit(alice, 200_000, NOON + timedelta(days=2))
    found()
    assert Case.objects.count() == 2


def test_deposits_just_below_an_amount_are_structuring_and_ordinary_ones_are_not(till: Till) -> None:
    alice, bob = uuid4(), uuid4()
    for minute in range(3):
        till.deposit(alice, 90_000, NOON + timedelta(minutes=minute * 20))
        till.deposit(bob, 40_000, NOON + timedelta(minutes=minute * 20))
    kinds = found()
    assert kinds["structuring"] == [alice]
    (alert,) = RiskAlert.objects.filter(kind="structuring")
    assert (alert.count, alert.amount) == (3, 270_000)
    assert len(alert.details["deposits"].split(", ")) == 3


def test_money_that_goes_out_again_is_found_unless_it_was_played_or_given_back(till: Till) -> None:
    alice, bob = uuid4(), uuid4()
    till.deposit(alice, 100_000)
    till.deposit(bob, 100_000)
    till.withdraw(alice, 100_000, NOON + timedelta(hours=5))
    till.withdraw(bob, 100_000, NOON + timedelta(hours=5), rejected=True)
    assert found() == {"without_play": [alice]}


def test_many_methods_and_many_deposits_are_found(till: Till) -> None:
    alice, bob = uuid4(), uuid4()
    for number in range(10):
        till.deposit(alice, 1_000, NOON + timedelta(minutes=number))
    for number in range(3):
        till.deposit(bob, 1_000, NOON + timedelta(days=number), method=UUID(int=number + 1))
    assert found() == {"deposit_count": [alice], "many_methods": [bob]}


def test_a_rule_of_the_operator_comes_before_that_of_its_jurisdiction_and_both_before_the_default(
    till: Till, operator: Operator
) -> None:
    kind, terms = RuleKind.DEPOSIT_SUM, RuleTerms(hours=24, amount=1_000)
    assert rules.rules_for(operator.pk, "EUR")[kind].amount == 200_000
    assert rules.rules_for(operator.pk, "JPY")[kind].amount == 2_000
    law = NewRule(kind=kind, terms=terms, reason="Law.", currency="EUR", jurisdiction="MT")
    rules.change_rule(law, by="staff:1")
    assert rules.rules_for(operator.pk, "EUR")[kind].amount == 200_000
    rules.set_jurisdiction(operator, jurisdiction="mt", by="staff:1")
    assert rules.rules_for(operator.pk, "EUR")[kind] == terms
    keep_only(operator, kind, RuleTerms(hours=24, amount=900, enabled=False))
    assert not rules.rules_for(operator.pk, "EUR")[kind].enabled
    till.deposit(uuid4(), 500_000)
    assert found() == {}


@pytest.mark.parametrize(
    ("kind", "terms", "more"),
    [
        (RuleKind.DEPOSIT_SUM, RuleTerms(hours=24, amount=1), {"currency": ""}),
        (RuleKind.DEPOSIT_SUM, RuleTerms(hours=24, amount=0), {}),
        (RuleKind.DEPOSIT_SUM, RuleTerms(hours=24, count=1), {}),
        (RuleKind.DEPOSIT_SUM, RuleTerms(hours=10_000, amount=1), {}),
        (RuleKind.DEPOSIT_SUM, RuleTerms(hours=24, amount=1), {"reason": " "}),
        (RuleKind.DEPOSIT_SUM, RuleTerms(hours=24, amount=1), {"jurisdiction": "MT"}),
        (RuleKind.DEPOSIT_SUM, RuleTerms(hours=24, amount=1), {"allowed": [UUID(int=9)]}),
        (RuleKind.STRUCTURING, RuleTerms(hours=24, amount=1, count=1, share=101), {}),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(
    operator: Operator, kind: RuleKind, terms: RuleTerms, more: dict[str, Any]
) -> None:
    allowed = more.pop("allowed", None)
    values: dict[str, Any] = {"reason": "A test.", "currency": "EUR", "operator": operator.pk, **more}
    with pytest.raises(rules.InvalidRiskRule):
        rule_changes.change_rule(NewRule(kind=kind, terms=terms, **values), by="staff:1", allowed=allowed)


def play(
    house: House, sides: Sequence[str], rounds: int, stakes: Sequence[int] = (10_000,), **rules: Any
) -> list[UUID]:
    """Let players bet on these spots, each of one seat of a table, `stakes` in turn."""
    company = house.company(house.table("big_table", **rules), len(sides))
    for _ in range(rounds):
        for at, side, stake in zip(company, sides, cycle(stakes)):
            at.deal({side: stake})
        deal_all()
    return [at.player for at in company]


def test_players_against_each_other_and_both_sides_of_one_network_are_found(operator: Operator) -> None:
    keep_only(operator, RuleKind.CHIP_DUMPING, RuleTerms(hours=24, count=3, share=80))
    keep_only(operator, RuleKind.SHARED_NETWORK, RuleTerms(hours=24, count=2))
    one, other, third = play(House(operator=operator.pk), ["player", "banker", "tie"], 3)
    kinds = found()
    assert kinds == {"chip_dumping": [min(one, other)]}
    (alert,) = RiskAlert.objects.all()
    assert (alert.other_id, alert.count, alert.amount) == (max(one, other), 3, 30_000)
    assert [each.pk for each in detection.alerts_about(max(one, other))] == [alert.pk]
    assert sum(pair.opposed for pair in PlayerPair.objects.filter(player_id=third)) == 0

    for player in (one, other):
        execute("INSERT INTO risk_playernetwork (player_id, network) VALUES (%s, %s)", [player, networks.digest("::1")])
        Player.objects.create(id=player, operator=operator, reference=str(player), reference_index=player.bytes)
    for operators in (None, {operator.pk}):
        assert networks.players_nearby(one, operators=operators, limit=5) == [(other, operator.pk)]
    assert networks.players_nearby(one, operators={uuid4()}, limit=5) == []
    activity.forget()
    assert set(found()) == {"chip_dumping", "shared_network"}


def test_players_who_prefer_opposite_sides_but_stake_differently_are_no_chip_dumpers(operator: Operator) -> None:
    keep_only(operator, RuleKind.CHIP_DUMPING, RuleTerms(hours=24, count=3, share=80))
    play(House(operator=operator.pk), ["player", "banker"], 3, stakes=(10_000, 20_000))
    assert found() == {}
    alike = play(House(operator=operator.pk), ["player", "banker"], 3, stakes=(10_000, 12_500))
    assert found() == {"chip_dumping": [min(alike)]}


def test_a_side_bet_takes_no_side_and_other_main_spots_that_win_with_a_hand_do(operator: Operator) -> None:
    keep_only(operator, RuleKind.CHIP_DUMPING, RuleTerms(hours=24, count=3, share=80))
    spots = [replace(spot, needs=(), minimum=None, maximum=None) for spot in lucky_nine()]
    house = House(operator=operator.pk)
    play(house, ["lucky_nine", "banker"], 3, spots=tuple(spots))
    assert found() == {}
    spots[-1] = replace(spots[-1], kind=SpotKind.MAIN)
    opposed = play(house, ["lucky_nine", "banker"], 3, spots=tuple(spots))
    assert found() == {"chip_dumping": [min(opposed)]}


def test_a_network_is_remembered_once_and_by_its_digest_alone() -> None:
    player, requests = uuid4(), RequestFactory()
    for address in ("192.0.2.7", "192.0.2.7", "2001:db8::1", "2001:db8::2", ""):
        networks.remember(player=player, request=requests.get("/", REMOTE_ADDR=address))
    rows = PlayerNetwork.objects.filter(player_id=player)
    assert {bytes(row.network) for row in rows} == {networks.digest("192.0.2.7"), networks.digest("2001:db8::")}


def test_sums_follow_play_voids_and_payments_and_are_the_same_when_derived_again(
    operator: Operator, till: Till
) -> None:
    (player,) = play(House(operator=operator.pk), ["banker"], 2)
    now = subscriptions_time()
    till.deposit(player, 5_000, now)
    found()
    sums = activity.sums_of(player, now)["EUR"]
    assert (sums["1 h"].rounds, sums["30 d"].staked, sums["24 h"].deposited) == (2, 20_000, 5_000)
    staked, returned = fetch("SELECT sum(staked)::bigint, sum(returned)::bigint FROM baccarat_wager")[0]
    assert (sums["7 d"].staked, sums["7 d"].returned, sums["7 d"].net) == (staked, returned, returned - staked)
    top = activity.top_players(
        operators=[operator.pk], currency="EUR", since=now - timedelta(hours=1), measure="staked", least=1, limit=5
    )
    assert top == [(player, sums["1 h"])]

    before = list(Activity.objects.order_by("slot").values())
    activity.forget()
    assert subscriptions.subscriber_position(SUBSCRIBER) == 0
    found()
    assert list(Activity.objects.order_by("slot").values()) == before


def subscriptions_time() -> datetime:
    now: datetime = fetch("SELECT clock_timestamp()")[0][0]
    return now


def test_what_is_written_down_in_a_players_case_is_encrypted_and_read_again(till: Till, operator: Operator) -> None:
    alice = uuid4()
    till.deposit(alice, 200_000)
    found()
    case = Case.objects.get()
    entry: dict[str, Any] = {"operator": operator.pk, "by": "staff:1"}
    case_entries.add_entry(case.pk, kind=case_entries.CaseEntryKind.NOTE, text="Called her.", **entry)
    stored = CaseEntry.objects.get(kind="note")
    assert "Called" not in stored.text
    assert [each.text for each in case_entries.list_entries(case.pk)][-1] == "Called her."
    cases.resolve_case(case.pk, operator=operator.pk, resolution="Fine.", by="staff:1")
    with pytest.raises(cases.CaseAlreadyResolved):
        case_entries.add_entry(
            case.pk, kind=case_entries.CaseEntryKind.DEADLINE, text="Report.", due_at=NOON + timedelta(9999), **entry
        )
    with pytest.raises(case_entries.CaseEntryInvalid):
        case_entries.add_entry(case.pk, kind=case_entries.CaseEntryKind.NOTE, text=" ", **entry)
