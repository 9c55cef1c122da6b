"""Payments that nobody told us about, over real HTTP: the provider is a process, its callbacks reach nobody."""

from collections.abc import Generator
from typing import Any
from uuid import UUID

import pytest

from casino.events.sql import execute, fetch
from tests.conftest import Database
from tests.dying import KILLED, dying
from tests.processes import wait_until
from tests.wallet.payments.counter import (
    SECRET,
    agree,
    call_back,
    deposit,
    funded,
    holds,
    method,
    names,
    open_alice,
    report,
    status,
    use_provider,
    withdraw,
)
from tests.wallet.payments.sandbox import running_provider
from wallet.ledger.accounts import AccountKind
from wallet.payments import methods, processor, withdrawals
from wallet.payments.providers import provider
from wallet.payments.queries import load_last_errors

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """The provider's address."""
    with running_provider(tmp_path_factory.mktemp("provider")) as (url, _):
        yield url


@pytest.fixture
def card(database: Database, sandbox: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A method without fees, of that provider; and Alice."""
    use_provider(monkeypatch, sandbox)
    open_alice()
    return method(fee_fixed=0, fee_ppm=0)


def advance_until(payment: UUID, wanted: str, table: str = "wallet_deposit") -> bool:
    """Polls as if time passed quickly: every back-off is over at once."""

    def look() -> bool:
        execute("UPDATE wallet_payment_due SET next_try_at = clock_timestamp()")
        processor.process_payments()
        return status(payment, table) == wanted

    return wait_until(look, seconds=20)


def due() -> list[Any]:
    return fetch("SELECT payment_id FROM wallet_payment_due")


@pytest.mark.parametrize("cents", [0, 12, 13, 14, 15, 16, 17])
def test_the_poll_finds_what_callbacks_never_told(card: Any, cents: int) -> None:
    made = deposit(card, 5000 + cents)
    assert advance_until(made, "completed")
    assert holds(AccountKind.ACCOUNT) == 5000 + cents
    assert due() == []
    agree()


@pytest.mark.parametrize("cents", [11, 22])
def test_a_deposit_that_fails_or_is_refused_at_once_credits_nothing(card: Any, cents: int) -> None:
    made = deposit(card, 5000 + cents)
    assert advance_until(made, "failed")
    assert (holds(AccountKind.ACCOUNT), due()) == (0, [])
    agree()


@pytest.mark.parametrize("cents", [18, 19])
def test_a_start_that_fails_or_is_answered_too_late_leaves_the_deposit_pending_and_starts_one_only(
    card: Any, sandbox: str, cents: int
) -> None:
    made = deposit(card, 5000 + cents)
    processor.process_payments()
    assert status(made) == "pending"
    assert load_last_errors([made])[made].startswith("no answer")
    assert advance_until(made, "completed")
    assert holds(AccountKind.ACCOUNT) == 5000 + cents
    assert names(f"deposit-{made}") == ["DepositRequested", "DepositSent", "DepositCompleted"]
    agree()


def test_a_provider_that_is_away_is_asked_once_in_a_pass_and_again_later(
    card: Any, sandbox: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [deposit(card, 5000) for _ in range(3)]
    use_provider(monkeypatch)
    assert processor.poll_due_payments() == 3
    assert [status(each) for each in made] == ["pending"] * 3
    assert len(load_last_errors(made)) == 1
    assert processor.poll_due_payments() == 0  # the back-off has begun
    use_provider(monkeypatch, sandbox)
    assert all(advance_until(each, "completed") for each in made)
    assert holds(AccountKind.ACCOUNT) == 15_000
    agree()


def test_whoever_dies_between_asking_and_recording_doubles_and_loses_nothing(card: Any) -> None:
    made = deposit(card, 5000)
    leased = processor._lease(10)
    assert [each.payment for each in leased] == [made]
    first = provider("sandbox").start_deposit(payment=made, amount=5000, currency="EUR")  # and dies
    again = provider("sandbox").start_deposit(payment=made, amount=5000, currency="EUR")
    assert again.reference == first.reference
    assert advance_until(made, "completed")
    assert holds(AccountKind.ACCOUNT) == 5000
    agree()


def test_many_polls_at_once_send_each_payout_once(card: Any, in_threads: Any) -> None:
    funded(card, 10_000)
    methods.set_policy(operator=_operator(), auto_approve_up_to=10_000, second_approval_above=10_000, actor="test")
    made = [withdraw(card, 1000) for _ in range(4)]
    in_threads(4, lambda _: processor.process_payments())
    assert all(advance_until(each, "paid", "wallet_withdrawal") for each in made)
    kinds = (AccountKind.ACCOUNT, AccountKind.HOLD, AccountKind.WITHDRAWALS)
    assert [holds(kind) for kind in kinds] == [6000, 0, 4000]
    for each in made:
        assert names(f"withdrawal-{each}") == ["WithdrawalRequested", "WithdrawalSent", "WithdrawalPaid"]
    agree()


@pytest.mark.parametrize("cents", [11, 22])
def test_a_payout_that_fails_comes_back(card: Any, cents: int) -> None:
    funded(card, 10_000)
    methods.set_policy(operator=_operator(), auto_approve_up_to=10_000, second_approval_above=10_000, actor="test")
    made = withdraw(card, 1000 + cents)
    assert advance_until(made, "returned", "wallet_withdrawal")
    assert [holds(AccountKind.ACCOUNT), holds(AccountKind.HOLD)] == [10_000, 0]
    agree()


def test_whoever_dies_after_saying_that_a_payout_goes_out_leaves_it_to_be_started(card: Any) -> None:
    funded(card, 10_000)
    methods.set_policy(operator=_operator(), auto_approve_up_to=10_000, second_approval_above=10_000, actor="test")
    made = withdraw(card, 1000)
    assert withdrawals.send(made)  # and dies: the provider was never asked
    assert advance_until(made, "paid", "wallet_withdrawal")
    agree()


def test_a_payer_killed_at_any_statement_loses_nothing_and_doubles_nothing(
    card: Any, sandbox: str, database: Database
) -> None:
    funded(card, 10_000)
    methods.set_policy(operator=_operator(), auto_approve_up_to=10_000, second_approval_above=10_000, actor="test")
    environment = {
        **database.environment,
        "PAYMENT_PROVIDERS": f"sandbox={sandbox}",
        "PAYMENT_SECRETS": f"sandbox={SECRET}",
    }
    ends = []
    with dying("wallet.payments.processor:process_payments", environment) as dies_at:
        for moment in range(1, 50, 4):
            paid_in, paid_out = deposit(card, 2000), withdraw(card, 500)
            call_back(report(funded(card, 1000), "reversed", amount=1000))
            ends.append(dies_at(moment))
            assert advance_until(paid_in, "completed")
            assert advance_until(paid_out, "paid", "wallet_withdrawal")
            agree()
    assert ends.count(KILLED) > 8
    assert holds(AccountKind.ACCOUNT) == 10_000 + len(ends) * (2000 - 500)


def test_what_waits_for_staff_is_not_sent(card: Any) -> None:
    funded(card, 10_000)
    made = withdraw(card, 1000)
    processor.process_payments()
    assert (status(made, "wallet_withdrawal"), due()) == ("requested", [])


def test_a_provider_that_we_no_longer_know_is_named_as_the_trouble(card: Any, settings: Any) -> None:
    made = deposit(card, 5000)
    settings.PAYMENT_PROVIDERS = {}
    processor.process_payments()
    assert load_last_errors([made]) == {made: "unknown_provider"}


def _operator() -> UUID:
    found: UUID = fetch("SELECT operator_id FROM wallet_deposit_method LIMIT 1")[0][0]
    return found
