"""The sandbox operator's wallet keeps to what wallets must do: each id once, tombstones, and nothing unsigned."""

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx
import msgspec
import pytest

from tests.wallet.remote.operators import WalletServer, running_wallet
from wallet.remote import messages, signing
from wallet.remote.events import RollbackReason, TransactionKind
from wallet.remote.messages import WalletOrder

PLAYER, TABLE, ROUND = (UUID(int=number) for number in (1, 2, 3))


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Generator[WalletServer]:
    with running_wallet(tmp_path_factory.mktemp("wallet")) as server:
        yield server


@pytest.fixture
def server(running: WalletServer) -> WalletServer:
    running.forget()
    register(running, "500.00")
    return running


def register(server: WalletServer, balance: str) -> None:
    server.control(players=[{"player": str(PLAYER), "reference": "ann", "currency": "EUR", "balance": balance}])


def order(kind: TransactionKind = TransactionKind.DEBIT, amount: int = 1000, **more: Any) -> WalletOrder:
    values = {"transaction": uuid4(), "concerns": None, **more}
    return WalletOrder(
        kind=kind, player=PLAYER, wager=uuid4(), round=ROUND, table=TABLE, amount=amount, currency="EUR",
        at=datetime.now(UTC), **values,
    )  # fmt: skip


def rollback(debit: WalletOrder) -> WalletOrder:
    return order(concerns=debit.transaction, reason=RollbackReason.NO_ANSWER)


def post(server: WalletServer, path: str, document: dict[str, Any]) -> dict[str, Any]:
    url, body = f"{server.url}/v1/{path}", msgspec.json.encode(document)
    answer = httpx.post(url, content=body, headers=dict(signing.signed_headers("POST", url, body)), timeout=30)
    assert answer.status_code == 200
    return dict(answer.json())


def ask(server: WalletServer, wanted: WalletOrder) -> tuple[Any, ...]:
    path = messages.ROLLBACK if wanted.reason is not None else messages.PATHS[wanted.kind]
    answer = post(server, path, messages.single(wanted, uuid4()))
    return tuple(answer.get(name) for name in ("status", "code", "reference", "found") if name in answer)


def credit(server: WalletServer, *wanted: WalletOrder) -> list[tuple[Any, ...]]:
    answer = post(server, "credits", messages.batch(wanted, uuid4()))
    return [(item["status"], item.get("reference")) for item in answer["items"]]


def balance(server: WalletServer) -> str:
    return str(server.control()["balances"][str(PLAYER)])


def test_a_debit_that_comes_again_has_the_first_answer_and_is_made_once(server: WalletServer) -> None:
    debit = order()
    first = ask(server, debit)
    assert (first[0], ask(server, debit), balance(server), server.made("debit")) == ("accepted", first, "490.00", 1)


def test_an_id_that_comes_with_another_amount_is_refused(server: WalletServer) -> None:
    debit = order()
    ask(server, debit)
    assert ask(server, order(amount=2000, transaction=debit.transaction)) == ("refused", "reference_differs")
    assert balance(server) == "490.00"


def test_a_rollback_before_its_debit_keeps_that_from_being_made_for_ever(server: WalletServer) -> None:
    debit = order()
    assert ask(server, rollback(debit))[::2] == ("accepted", False)
    assert [ask(server, debit) for _ in range(2)] == [("refused", "transaction_cancelled")] * 2
    server.stop()
    server.start()
    assert ask(server, debit) == ("refused", "transaction_cancelled")
    assert (balance(server), server.made("debit")) == ("500.00", 0)


def test_a_rollback_that_comes_again_has_the_first_answer_and_returns_the_money_once(server: WalletServer) -> None:
    debit = order()
    ask(server, debit)
    assert balance(server) == "490.00"
    back = rollback(debit)
    first = ask(server, back)
    assert first[::2] == ("accepted", True)
    assert (ask(server, back), ask(server, rollback(debit)), balance(server)) == (first, first, "500.00")


def test_a_credit_that_comes_again_is_paid_once(server: WalletServer) -> None:
    debit = order()
    ask(server, debit)
    won = order(TransactionKind.CREDIT, 1950, concerns=debit.transaction)
    first = credit(server, won)
    assert (credit(server, won), credit(server, won, won), balance(server)) == (first, first * 2, "509.50")
    assert server.made("credit") == 1


def test_a_credit_of_a_debit_that_was_never_made_is_refused_and_others_in_its_batch_are_not(
    server: WalletServer,
) -> None:
    debit = order()
    ask(server, debit)
    items = [order(TransactionKind.CREDIT, 500, concerns=key) for key in (uuid4(), debit.transaction)]
    assert [status for status, _ in credit(server, *items)] == ["refused", "accepted"]


def test_fifty_equal_debits_at_once_are_one(server: WalletServer) -> None:
    debit = order()
    with ThreadPoolExecutor(50) as threads:
        answers = set(threads.map(lambda _: ask(server, debit), range(50)))
    assert (len(answers), balance(server), server.made("debit")) == (1, "490.00", 1)


def test_of_fifty_debits_at_once_on_a_balance_for_ten_ten_are_made(server: WalletServer) -> None:
    register(server, "100.00")
    with ThreadPoolExecutor(50) as threads:
        answers = list(threads.map(lambda _: ask(server, order())[:2], range(50)))
    assert sum(answer[0] == "accepted" for answer in answers) == 10
    assert answers.count(("refused", "insufficient_funds")) == 40
    assert (balance(server), server.made("debit")) == ("0.00", 10)


@pytest.mark.parametrize("change", ["body", "path", "none"])
def test_what_nobody_signed_changes_nothing(server: WalletServer, change: str) -> None:
    url, body = f"{server.url}/v1/debit", msgspec.json.encode(messages.single(order(), uuid4()))
    headers = dict(signing.signed_headers("POST", url, body))
    match change:
        case "body":
            body += b" "
        case "path":
            url = url.replace("debit", "correction")
        case _:
            headers = {}
    answer = httpx.post(url, content=body, headers=headers, timeout=30)
    assert (answer.status_code, balance(server)) == (401, "500.00")
