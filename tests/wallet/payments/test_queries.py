"""A player's funding options, and open payments."""

import pytest

from casino.kernel.money import MoneyType
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR, account
from tests.wallet.payments.counter import deposit, method, offer, open_alice
from wallet.payments import methods
from wallet.payments.funding_options import FundingOptions, LastDeposit
from wallet.payments.queries import load_funding_options, open_or_ended_since
from wallet.responsible_gaming import services as responsible_gaming
from wallet.responsible_gaming.events import Initiator
from wallet.responsible_gaming.services import PlayerContext

pytestmark = pytest.mark.django_db


def test_the_last_deposit_has_the_current_name_and_state_of_its_method() -> None:
    open_alice()
    assert load_funding_options(account()) == FundingOptions(0)
    card = method(name="Card")
    deposit(card, 5000)
    deposit(method(name="Bank"), 7000)
    deposit(card, 6000)

    assert load_funding_options(account()) == FundingOptions(
        0, 0, LastDeposit(card.id, "Card", 6000, method_available=True)
    )

    methods.change(operator=OPERATOR, method=card.id, offer=offer(name="Old card", enabled=False), actor="test")
    assert load_funding_options(account()).last_deposit == LastDeposit(
        card.id, "Old card", 6000, method_available=False
    )


def test_play_money_has_no_deposits_and_no_debts() -> None:
    open_alice()
    deposit(method(), 5000)

    assert load_funding_options(account(money_type=MoneyType.PLAY)) == FundingOptions(0)


@pytest.mark.parametrize("money_type", MoneyType)
def test_funding_options_contain_the_active_exclusion(money_type: MoneyType) -> None:
    open_alice()
    on = PlayerContext(operator=OPERATOR, player=ALICE, currency="EUR", metadata=METADATA)
    exclusion = responsible_gaming.cool_off(context=on, by=Initiator.PLAYER, hours=24).exclusion

    assert load_funding_options(account(money_type=money_type)) == FundingOptions(0, exclusion=exclusion)


def test_open_payments_are_those_that_have_not_ended() -> None:
    open_alice()
    deposit_id = deposit(method(), 5000)

    deposits, withdrawals = open_or_ended_since(operator=OPERATOR, player=ALICE, since=None)

    assert ([each.id for each in deposits], withdrawals) == ([deposit_id], [])
