"""A player's whole wallet life against the real database: any moves in any order, and what always holds.

The provider's reports are delivered as its signed callbacks are: in any order, twice, or never.
"""

from collections.abc import Callable, Generator
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import Phase as Do
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from pytest_django import DjangoDbBlocker

from baccarat.audit import engine
from baccarat.services import exclusion, voiding
from casino.events.sealer import seal_all
from casino.events.sql import fetch
from casino.events.store import Metadata
from casino.kernel.errors import Refusal
from casino.kernel.money import MoneyType
from casino.operators import changes, pins
from casino.operators import services as operators
from tests.conftest import Database
from tests.services import Services
from tests.support.acts import agreed
from tests.support.depth import examples
from tests.support.house import At, House, deal_all, fresh_database
from tests.support.payouts import UNPLAYED
from tests.support.spots import SPOTS
from tests.wallet.payments.counter import call_back, offer, report, use_provider
from wallet.adjustments import services as adjustments
from wallet.adjustments.events import AdjustmentDirection, AdjustmentReason
from wallet.funding import services as funding
from wallet.funding.events import Funding
from wallet.ledger import player_accounts as wallet
from wallet.payments import callbacks, deposits, methods, withdrawals
from wallet.payments.provider_reports import PaymentKind
from wallet.responsible_gaming import play_money
from wallet.responsible_gaming import services as protection
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.state import ExclusionKind
from wallet.responsible_gaming.table_limit_services import set_table_limit
from wallet.transfers import services as transfers
from wallet.transfers.events import TransferDirection
from wallet.transfers.services import TransferOrder

pytestmark = pytest.mark.hypothesis

SAID = st.sampled_from(("pending", "failed", "completed", "reversed"))
AMOUNTS = st.sampled_from((100, 500, 2_500, 10_000, 40_000))
MOST = st.sampled_from((0, 1_000, 5_000, 50_000))
MONEY = (LimitType.DEPOSIT, LimitType.STAKE, LimitType.LOSS)
WHICH = st.integers(0, 5)
PIN = "482913"
PLAY = 90_000
"""What there is of play money at first, in cents: a little less than it is topped up to."""
MANY = 1
"""Rounds of a life beyond which the player may stay away, which ends play and deposits in it."""
COOLING = ExclusionKind.COOLING_OFF
STAFF = st.sampled_from(("staff:mary", "staff:paul"))
BALANCES = """
SELECT sum(balance)::bigint, coalesce(min(balance) FILTER (WHERE player_id IS NOT NULL AND kind <> 'debt'), 0)
  FROM wallet_account a JOIN wallet_balance b ON b.account_id = a.id
 WHERE a.operator_id = %s GROUP BY currency, money_type
"""
HELD = """
SELECT coalesce(sum(balance), 0)::bigint FROM wallet_account a JOIN wallet_balance b ON b.account_id = a.id
 WHERE a.operator_id = %s AND money_type = %s AND (player_id IS NOT NULL OR kind = 'stakes')
"""
CAME_IN = """
SELECT (SELECT coalesce(sum(amount - fee), 0) FROM wallet_deposit WHERE player_id = %(player)s AND status = 'completed')
     - (SELECT coalesce(sum(amount), 0) FROM wallet_withdrawal WHERE player_id = %(player)s AND status = 'paid')
     + (SELECT coalesce(sum(CASE direction WHEN 'credit' THEN amount ELSE -amount END), 0)
          FROM wallet_adjustment WHERE player_id = %(player)s)
     + (SELECT coalesce(sum(CASE direction WHEN 'in' THEN amount ELSE -amount END), 0)
          FROM wallet_transfer WHERE player_id = %(player)s AND money_type = 'real')
"""


@pytest.fixture(scope="module")
def module_database(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Database]:
    """Provide a migrated database; each life in it is that of another operator."""
    with fresh_database(services, django_db_blocker) as database:
        yield database


class WalletLife(RuleBasedStateMachine):
    """Ann without money, two tables, a deposit method, and staff who may approve or not."""

    def __init__(self) -> None:
        super().__init__()
        self.deposits: list[tuple[UUID, int]] = []
        self.withdrawals: list[tuple[UUID, int]] = []
        self.adjustments: list[UUID] = []
        self.rounds: list[UUID] = []
        self.topped = 0

    @initialize(forgive=st.booleans(), way=st.sampled_from((Funding.HOUSE, Funding.TRANSFER)))
    def open(self, forgive: bool, way: Funding) -> None:
        self.house = House(operator=new_operator())
        self.player = self.newcomer()
        self.tables = [self.house.table("mini"), self.house.table("atlantic_city")]
        with agreed():
            self.method = methods.create(operator=self.house.operator, offer=offer(minimum=100), actor="staff:1").id
            methods.set_policy(
                operator=self.house.operator,
                currency="EUR",
                auto_approve_up_to=500,
                second_approval_above=2_500,
                actor="staff:1",
                holds=UNPLAYED,
            )
            voiding.set_policy(operator=self.house.operator, forgive=forgive, actor="staff:1")
        self.pay_in(40_000)
        self.tell(0, "completed")
        self.change_funding(way)
        self.sit(0, 10_000, MoneyType.REAL)
        self.sit(1, 10_000, MoneyType.PLAY)

    def newcomer(self) -> UUID:
        """Ann, with a PIN and play money."""
        house = self.house
        player = wallet.register_player(
            operator=house.operator, reference="ann", nickname="Ann", currency="EUR", metadata=house.metadata
        ).id
        pins.set_pin(operator=house.operator, player=player, pin=pins.hash_pin(PIN))
        house.credit(player, PLAY, MoneyType.PLAY)
        return player

    def at(self, table: int) -> At:
        return self.house.guest(self.tables[table % 2], self.player)

    def attempt(self, act: Callable[[], Any]) -> Any:
        """Return the result, or None for a refusal, which leaves no trace."""
        before = traces()
        try:
            return act()
        except Refusal:
            assert traces() == before
            return None

    def by(self, actor: str) -> Metadata:
        return Metadata(operator=str(self.house.operator), actor=actor, causation="test", correlation="test")

    @property
    def me(self) -> dict[str, Any]:
        return {"operator": self.house.operator, "player": self.player, "currency": "EUR"}

    # -- the provider -------------------------------------------------------------------------------------------------

    @rule(amount=AMOUNTS)
    def pay_in(self, amount: int) -> None:
        method, metadata = self.method, self.house.metadata
        made = self.attempt(lambda: deposits.request(**self.me, method=method, amount=amount, metadata=metadata))
        self.deposits += [(made, amount)] if made else []

    @rule(which=WHICH, said=SAID)
    def tell(self, which: int, said: str) -> None:
        if self.deposits:
            made, amount = self.deposits[which % len(self.deposits)]
            call_back(report(made, said, amount=amount))
            callbacks.apply_waiting()

    @rule(which=WHICH, said=SAID)
    def tell_of_a_payout(self, which: int, said: str) -> None:
        if self.withdrawals:
            made, amount = self.withdrawals[which % len(self.withdrawals)]
            call_back(report(made, said, kind=PaymentKind.PAYOUT, amount=amount))
            callbacks.apply_waiting()

    # -- the operator's own wallet ------------------------------------------------------------------------------------

    @rule(way=st.sampled_from((Funding.HOUSE, Funding.TRANSFER)))
    def change_funding(self, way: Funding) -> None:
        operator, metadata = self.house.operator, self.house.metadata
        choice = funding.FundingChoice(way)
        self.attempt(lambda: funding.change(operator=operator, choice=choice, metadata=metadata))

    @rule(number=st.integers(0, 30), direction=st.sampled_from(TransferDirection), amount=AMOUNTS | st.none())
    def move(self, number: int, direction: TransferDirection, amount: int | None) -> None:
        amount = 500 if direction is TransferDirection.IN and amount is None else amount
        order = TransferOrder(self.player, f"tx-{number}", direction, MoneyType.REAL, "EUR", amount)
        operator, metadata = self.house.operator, self.house.metadata
        self.attempt(lambda: transfers.transfer(order, operator=operator, metadata=metadata))

    # -- withdrawals --------------------------------------------------------------------------------------------------

    @rule(amount=AMOUNTS)
    def pay_out(self, amount: int) -> None:
        method, metadata = self.method, self.house.metadata
        made = self.attempt(lambda: withdrawals.request(**self.me, method=method, amount=amount, metadata=metadata))
        self.withdrawals += [(made, amount)] if made else []

    @rule(which=WHICH, staff=STAFF, word=st.sampled_from(("approve", "confirm", "reject", "cancel", "send")))
    def decide_a_payout(self, which: int, staff: str, word: str) -> None:
        if not self.withdrawals:
            return
        made, metadata = self.withdrawals[which % len(self.withdrawals)][0], self.by(staff)
        player = {"operator": self.house.operator, "player": self.player}
        waits = changes.waiting(withdrawals.KIND, f"withdrawal:{made}")
        acts: dict[str, Callable[[], Any]] = {
            "approve": lambda: withdrawals.approve(made, staff=staff, metadata=metadata),
            "confirm": lambda: waits and changes.confirm(waits.pk, by=staff),
            "reject": lambda: withdrawals.reject(made, staff=staff, reason="no", metadata=metadata),
            "cancel": lambda: withdrawals.cancel(made, **player, metadata=metadata),
            "send": lambda: withdrawals.send(made),
        }
        self.attempt(acts[word])

    # -- at the tables ------------------------------------------------------------------------------------------------

    @rule(table=WHICH, amount=AMOUNTS, money_type=st.sampled_from(MoneyType))
    def sit(self, table: int, amount: int, money_type: MoneyType) -> None:
        self.attempt(lambda: self.at(table).sit(1, buy_in=amount, money_type=money_type))

    @rule(table=WHICH, amount=AMOUNTS)
    def rebuy(self, table: int, amount: int) -> None:
        self.attempt(lambda: self.at(table).rebuy(amount))

    @rule(table=WHICH)
    def leave(self, table: int) -> None:
        self.attempt(lambda: self.at(table).leave())

    @rule(table=WHICH, spot=st.sampled_from(SPOTS), amount=st.sampled_from((200, 500, 2_500, 30_000, 40_000)))
    def bet(self, table: int, spot: str, amount: int) -> None:
        drawn = self.attempt(lambda: self.at(table).deal({spot: amount}))
        self.rounds += [UUID(drawn["round"]["id"])] if drawn else []

    @rule(table=WHICH, spot=st.sampled_from(SPOTS), amount=st.sampled_from((200, 500, 2_500)))
    def bet_and_see(self, table: int, spot: str, amount: int) -> None:
        self.bet(table, spot, amount)
        deal_all()

    @rule()
    def deal(self) -> None:
        deal_all()

    @rule()
    def top_up_play_money(self) -> None:
        came = self.attempt(lambda: play_money.top_up(**self.me, metadata=self.house.metadata))
        self.topped += 0 if came is None else came[0]

    # -- staff --------------------------------------------------------------------------------------------------------

    @rule(which=WHICH, staff=STAFF)
    def ask_for_a_void(self, which: int, staff: str) -> None:
        if self.rounds:
            round_, operator = self.rounds[which % len(self.rounds)], self.house.operator
            why = {"reason": "malfunction", "note": "x", "metadata": self.by(staff)}
            self.attempt(lambda: voiding.void(round_=round_, operator=operator, **why))  # type: ignore[arg-type]

    @rule(which=WHICH, staff=STAFF)
    def approve_a_void(self, which: int, staff: str) -> None:
        if self.rounds:
            waits = changes.waiting(voiding.KIND, f"round:{self.rounds[which % len(self.rounds)]}")
            if waits is not None:
                self.attempt(lambda: changes.confirm(waits.pk, by=self.by(staff).actor))

    @rule(amount=AMOUNTS, direction=st.sampled_from(AdjustmentDirection), staff=STAFF, as_debt=st.booleans())
    def ask_for_an_adjustment(self, amount: int, direction: AdjustmentDirection, staff: str, as_debt: bool) -> None:
        made = self.attempt(
            lambda: adjustments.request(
                **self.me,
                money_type=MoneyType.REAL,
                direction=direction,
                amount=amount,
                reason=next(iter(AdjustmentReason)),
                note="x",
                as_debt=as_debt,
                metadata=self.by(staff),
            )
        )
        self.adjustments += [made.pk] if made else []

    @rule(which=WHICH, staff=STAFF, decide=st.sampled_from([changes.confirm, changes.decline]))
    def decide_an_adjustment(self, which: int, staff: str, decide: Any) -> None:
        if self.adjustments:
            self.attempt(lambda: decide(self.adjustments[which % len(self.adjustments)], by=staff))

    # -- limits -------------------------------------------------------------------------------------------------------

    @rule(
        measure=st.sampled_from((LimitType.DEPOSIT, LimitType.STAKE, LimitType.LOSS)),
        period=st.sampled_from(LimitPeriod),
        most=MOST,
    )
    def limit(self, measure: LimitType, period: LimitPeriod, most: int) -> None:
        on = protection.PlayerContext(**self.me, metadata=self.house.metadata)
        self.attempt(
            lambda: protection.set_limit(context=on, by=Initiator.PLAYER, limit_type=measure, period=period, limit=most)
        )

    @rule(measure=st.sampled_from(LimitType), period=st.sampled_from(LimitPeriod))
    def confirm_a_raise_too_early(self, measure: LimitType, period: LimitPeriod) -> None:
        on = protection.PlayerContext(**self.me, metadata=self.house.metadata)
        assert self.attempt(lambda: protection.confirm_increase(context=on, limit_type=measure, period=period)) is None

    @rule(amount=st.sampled_from((None, 200, 2_500, 30_000)))
    def limit_every_wager(self, amount: int | None) -> None:
        asked = {**self.me, "amount": amount, "pin": self.entered_pin(), "metadata": self.house.metadata}
        del asked["player"]
        self.attempt(lambda: set_table_limit(**asked))

    @precondition(lambda self: len(self.rounds) > MANY)
    @rule(by=st.sampled_from(Initiator))
    def stay_away(self, by: Initiator) -> None:
        on = protection.PlayerContext(**self.me, metadata=self.house.metadata)
        self.attempt(lambda: exclusion.exclude(subject=on, by=by, kind=COOLING, length=24, pin=self.entered_pin()))

    def entered_pin(self) -> pins.ComparedPin:
        return pins.compare_pin(player=self.me["player"], pin=PIN)

    # -- what always holds --------------------------------------------------------------------------------------------

    @invariant()
    def all_accounts_sum_to_zero_and_no_player_is_below_zero(self) -> None:
        for total, least in fetch(BALANCES, [self.house.operator]):
            assert total == 0
            assert least >= 0

    @invariant()
    def the_player_has_what_came_in_and_what_the_tables_paid(self) -> None:
        came_in = int(fetch(CAME_IN, {"player": self.player})[0][0])
        assert self.held(MoneyType.REAL) == came_in + self.won_in_all(MoneyType.REAL)

    @invariant()
    def play_money_is_what_was_given_and_what_the_tables_paid_in_it(self) -> None:
        assert self.held(MoneyType.PLAY) == PLAY + self.topped + self.won_in_all(MoneyType.PLAY)

    def held(self, money_type: MoneyType) -> int:
        return int(fetch(HELD, [self.house.operator, money_type])[0][0])

    def won_in_all(self, money_type: MoneyType) -> int:
        return sum(self.won(round_, money_type) for round_ in dict.fromkeys(self.rounds))

    def won(self, identity: UUID, money_type: MoneyType) -> int:
        """Return what a round brought the player in one kind of money; a void leaves what the house forgave."""
        round_ = self.house.round(identity)
        seat, undone = round_.seats[0], round_.void_of(1)
        if seat.money_type is not money_type:
            return 0
        if round_.voided is not None:
            return 0 if undone is None else undone.forgiven
        return 0 if seat.settlement is None else seat.settlement.returned - seat.settlement.staked

    def teardown(self) -> None:
        deal_all()
        seal_all()
        assert engine.run_audit().findings == ()


def new_operator() -> UUID:
    return operators.create_operator(slug=f"life-{uuid4().hex[:8]}", name="L", currencies=["EUR"], sandbox=True).id


def traces() -> tuple[Any, ...]:
    """Return how much has been written so far, by anybody."""
    return fetch(
        "SELECT (SELECT max(id) FROM events_event), (SELECT max(cause) FROM wallet_entry), "
        "(SELECT count(*) FROM wallet_deposit), (SELECT count(*) FROM wallet_withdrawal), "
        "(SELECT count(*) FROM baccarat_round), (SELECT sum(version) FROM baccarat_table)"
    )[0]


def test_whatever_a_player_lives_through_the_books_and_the_log_agree(
    module_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_provider(monkeypatch)
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        WalletLife,
        settings=settings(
            max_examples=examples(5),
            stateful_step_count=40,
            phases=(Do.explicit, Do.reuse, Do.generate),
            suppress_health_check=list(HealthCheck),
        ),
    )
