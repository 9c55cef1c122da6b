"""A wallet with a fault fails the case that names the fault, and passes it without the fault."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server.embed import Server

from casino.devstack.operator.app import WalletServer
from casino.devstack.operator.ledger import Ledger
from casino.devstack.system import free_port, is_responding
from tests.processes import wait_until
from tests.wallet.conformance import faults
from tests.wallet.conformance.wallets import FUNDS, PLAYER, probe
from tests.wallet.remote.operators import KEY
from wallet.conformance.cases import CASES
from wallet.conformance.kit import run_cases
from wallet.conformance.probe import Probe
from wallet.remote import signing


@dataclass(frozen=True, slots=True)
class Fault:
    """A wrong wallet, and the case that must fail."""

    case: str
    ledger: type[Ledger] = Ledger
    server: Callable[..., WalletServer] = WalletServer

    @property
    def name(self) -> str:
        ledger = "" if self.ledger is Ledger else self.ledger.__name__
        server = "" if self.server is WalletServer else str(getattr(self.server, "__name__", ""))
        return f"{ledger}{server}-{self.case}"


FAULTS = (
    Fault("a_debit_takes_its_amount", faults.TakesOneMore),
    Fault("a_credit_pays_its_amount", faults.PaysOneLess),
    Fault("a_debit_of_the_smallest_amount_is_taken", faults.TakesNoCents),
    Fault("a_correction_takes_back_what_was_paid", faults.CorrectsUpwards),
    Fault("a_correction_pays_what_was_not_paid", faults.CorrectsDownwards),
    Fault("a_debit_is_listed_by_its_transaction", faults.ListsOtherReferences),
    Fault("the_same_debit_again_gets_the_first_answer", faults.again("debit")),
    Fault("the_same_credit_again_is_paid_once", faults.again("credit")),
    Fault("the_same_correction_again_moves_once", faults.again("correction")),
    Fault("a_credit_whose_answer_was_lost_is_paid_once", faults.again("credit")),
    Fault("the_same_bytes_again_move_nothing_more", faults.again("debit")),
    Fault("a_debit_with_another_amount_under_its_id_is_refused", faults.forgiving("debit")),
    Fault("a_credit_with_another_amount_under_its_id_is_refused", faults.forgiving("credit")),
    Fault("a_correction_with_another_amount_under_its_id_is_refused", faults.forgiving("correction")),
    Fault("a_credit_under_the_id_of_its_debit_is_refused", faults.forgiving("credit")),
    Fault("a_debit_after_its_rollback_is_refused", faults.NoMarkWithoutDebit),
    Fault("a_debit_whose_answer_was_lost_is_rolled_back", faults.MarksAreNotRead),
    Fault("a_debit_that_was_rolled_back_is_not_taken_again", faults.MarksAreNotRead),
    Fault("a_rollback_before_its_debit_finds_none", faults.UnknownRollbackIsRefused),
    Fault("a_rollback_for_an_unknown_player_is_accepted", faults.LooksForThePlayerAtRollbacks),
    Fault("a_rollback_returns_a_debit", faults.FoundIsAlwaysFalse),
    Fault("a_rollback_that_found_none_still_finds_none_after_its_debit_came", faults.FoundIsOfNow),
    Fault("the_same_rollback_again_gets_the_first_answer", faults.ReturnsAtEachRollback),
    Fault("another_rollback_of_a_debit_returns_no_more", faults.ReturnsAtEachNewRollback),
    Fault("a_rollback_goes_by_its_debit_alone", server=faults.RollsBackByWager),
    Fault("a_debit_above_the_balance_is_refused", faults.GoesBelowZero),
    Fault("a_debit_of_the_whole_balance_is_taken", faults.KeepsTheLastUnit),
    Fault("the_same_debit_again_is_accepted_when_the_money_is_gone", faults.LooksAtTheBalanceFirst),
    Fault("a_credit_without_its_debit_is_refused", faults.PaysWithoutDebit),
    Fault("a_credit_of_nothing_is_accepted", faults.RefusesNothing),
    Fault("a_debit_of_an_unknown_player_is_refused", faults.SaysOther),
    Fault("a_debit_in_another_currency_is_refused", faults.OneCurrencyForAll),
    Fault("a_debit_below_zero_moves_nothing", faults.TakesLessThanNothing),
    Fault("an_amount_with_more_decimals_moves_nothing", server=faults.CutsDecimals),
    Fault("a_debit_that_was_rolled_back_is_listed_as_such", faults.ListsNoRollbacks),
    Fault("what_happened_in_a_period_is_listed_once", faults.ListsAnyTime),
    Fault("what_happened_in_a_period_is_listed_once", faults.ListsOneLess),
    Fault("a_refused_credit_leaves_the_others_of_its_message_alone", server=faults.AllOrNothing),
    Fault("a_hundred_credits_in_one_message_are_each_answered", server=faults.AnswersFifty),
    Fault("a_credit_twice_in_one_message_is_paid_once", server=faults.PaysTwiceInOneMessage),
    Fault("a_member_that_is_new_is_ignored", server=faults.KnowsItsMembers),
    Fault("a_message_without_a_signature_does_nothing", server=faults.NeedsNoSignature),
    Fault("a_message_by_another_key_under_the_name_of_ours_does_nothing", server=faults.NeedsNoSignature),
    Fault("a_changed_body_with_a_digest_of_its_own_does_nothing", server=faults.NeedsNoSignature),
    Fault("a_message_signed_by_another_key_does_nothing", server=faults.TakesAnyKey),
    Fault("a_message_whose_body_was_changed_does_nothing", server=faults.verifying_by(faults.AnyBody)),
    Fault("a_signature_for_another_address_does_nothing", server=faults.TakesAnyAddress),
    Fault("a_signature_that_has_expired_does_nothing", server=faults.verifying_by(faults.AnyTime)),
    Fault("a_signature_of_the_future_does_nothing", server=faults.verifying_by(faults.AnyTime)),
    Fault("transactions_are_not_listed_without_a_signature", server=faults.ListsForAnyone),
    Fault("every_answer_is_signed", server=faults.SignsNoRefusals),
    Fault("every_answer_is_signed", server=faults.SignsLists),
    Fault("every_answer_repeats_the_id_of_its_request", server=faults.ForgetsTheRequestOfBatches),
    Fault("every_answer_repeats_its_transaction", server=faults.AnswersAsTheDebit),
    Fault("a_malformed_message_stops_nothing", server=faults.SaysYesToAnything),
    Fault("fifty_equal_debits_at_once_take_once", faults.Forgetful, faults.racing("debit")),
    Fault("fifty_equal_credits_at_once_are_paid_once", faults.Forgetful, faults.racing("credits")),
    Fault("fifty_equal_rollbacks_at_once_return_once", faults.Forgetful, faults.racing("rollback")),
    Fault("debits_and_their_rollbacks_at_once_leave_the_balance", faults.MarksAreNotRead),
    Fault("of_fifty_debits_at_once_on_money_for_ten_ten_are_taken", server=faults.LooksAtMoneyTooEarly),
)

BY_NAME = {case.name: case for case in CASES}


@contextlib.contextmanager
def serving(fault: Fault, file: Path) -> Generator[str]:
    """Serve a wallet in a thread of its own, over HTTP, and yield its address."""
    port, loop = free_port(0), asyncio.new_event_loop()
    started: list[Server] = []

    async def serve() -> None:
        ledger = fault.ledger(file)
        ledger.set_player(str(PLAYER), reference="ann", currency="EUR", balance=int(FUNDS.replace(".", "")))
        casino = [Ed25519PublicKey.from_public_bytes(key.public) for key in signing.published_keys()]
        wallet = fault.server(ledger=ledger, key=Ed25519PrivateKey.from_private_bytes(KEY), casino=casino)
        options = {"http": HTTPModes.http1, "websockets": False, "log_level": LogLevels.error}
        started.append(Server(wallet, port=port, interface=Interfaces.ASGI, **options))
        await started[0].serve()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    try:
        assert wait_until(lambda: is_responding(port=port, path="/livez"))
        yield f"http://127.0.0.1:{port}"
    finally:
        loop.call_soon_threadsafe(started[0].stop)
        thread.join(20)
        loop.close()


def failed(fault: Fault, file: Path) -> list[str]:
    """Return which of the fault's case fails: it, or nothing."""
    with serving(fault, file) as url, probe(url) as tried:
        return [result.name for result in run_cases(tried, [BY_NAME[fault.case]]).failed]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_wallet_fails_the_case_that_names_its_fault(fault: Fault, tmp_path: Path) -> None:
    assert failed(fault, tmp_path / "wallet.sqlite3") == [fault.case]


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> Generator[Probe]:
    """Yield the kit's way to a wallet without a fault."""
    file = tmp_path_factory.mktemp("right") / "wallet.sqlite3"
    with serving(Fault("", Ledger, WalletServer), file) as url, probe(url) as tried:
        yield tried


@pytest.mark.parametrize("case", sorted({fault.case for fault in FAULTS}))
def test_without_a_fault_a_wallet_passes_each_of_these_cases(right: Probe, case: str) -> None:
    assert run_cases(right, [BY_NAME[case]]).failed == ()


def test_nearly_every_case_is_failed_by_a_fault() -> None:
    untried = BY_NAME.keys() - {fault.case for fault in FAULTS}
    assert len(untried) <= 5, sorted(untried)
