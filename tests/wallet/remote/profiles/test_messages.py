"""The bytes of each message in each profile, and what each answer means."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest

from casino.kernel import money
from tests.support.rsa_keys import rsa_key
from tests.wallet.remote.profiles.counterparts import as_setting
from wallet.funding.events import WalletProfile
from wallet.remote import signing
from wallet.remote.events import RollbackReason, TransactionKind
from wallet.remote.messages import WalletOrder
from wallet.remote.profiles import PROFILES
from wallet.remote.refusals import WalletCode
from wallet.remote.state import AcceptedAnswer, NoAnswer, RefusedAnswer

HUB88 = PROFILES[WalletProfile.HUB88]
BET, WIN, ROLLBACK, PLAYER, WAGER, ROUND, TABLE, REQUEST = (
    UUID(f"0192a1b2-0000-7000-8000-00000000000{number}") for number in range(8)
)
AT = datetime(2026, 11, 22, 8, tzinfo=UTC)
DEBIT = WalletOrder(BET, TransactionKind.DEBIT, PLAYER, WAGER, ROUND, TABLE, 1000, "EUR", None, AT)
CREDIT = replace(DEBIT, transaction=WIN, kind=TransactionKind.CREDIT, amount=1950, concerns=BET)
UNDO = replace(DEBIT, transaction=ROLLBACK, concerns=BET, reason=RollbackReason.NO_ANSWER)
VOID = replace(UNDO, reason=RollbackReason.ROUND_VOID)
BACK = replace(CREDIT, kind=TransactionKind.CORRECTION, amount=1000)

COMMON = (
    '"user":"0192a1b2-0000-7000-8000-000000000003","token":"0192a1b2-0000-7000-8000-000000000003",'
    '"transaction_uuid":"{id}","supplier_transaction_id":"{id}","supplier_user":null,'
    '"round":"0192a1b2-0000-7000-8000-000000000005","round_closed":{closed},'
    '"request_uuid":"0192a1b2-0000-7000-8000-000000000007","game_code":"casino_tables",'
    '"meta":{{"table":"0192a1b2-0000-7000-8000-000000000006","wager":"0192a1b2-0000-7000-8000-000000000004"}}'
)
OF_BET = ',"reference_transaction_uuid":"0192a1b2-0000-7000-8000-000000000000"'
MONEY = ',"amount":{amount},"currency":"EUR","is_free":false,"is_aggregated":false,"bet":null,"reward_uuid":null'


def hub88(order: WalletOrder, closed: str, rest: str) -> str:
    return "{" + COMMON.format(id=order.transaction, closed=closed) + rest + "}"


GOLDEN = [
    (DEBIT, "transaction/bet", hub88(DEBIT, "false", MONEY.format(amount=1000000))),
    (CREDIT, "transaction/win", hub88(CREDIT, "true", OF_BET + MONEY.format(amount=1950000))),
    (BACK, "transaction/win", hub88(BACK, "true", OF_BET + MONEY.format(amount=1000000))),
    (UNDO, "transaction/rollback", hub88(UNDO, "false", OF_BET)),
    (VOID, "transaction/rollback", hub88(VOID, "true", OF_BET)),
]


@pytest.mark.parametrize(("order", "path", "body"), GOLDEN)
def test_each_message_has_these_bytes(order: WalletOrder, path: str, body: str) -> None:
    message = HUB88.single(order, REQUEST)
    assert (message.path, msgspec.json.encode(message.document).decode()) == (path, body)


def test_the_question_for_a_balance_has_these_bytes() -> None:
    message = HUB88.balance(PLAYER, "EUR", REQUEST)
    body = f'{{"user":"{PLAYER}","token":"{PLAYER}","game_code":"casino_tables","request_uuid":"{REQUEST}"}}'
    assert (message.path, msgspec.json.encode(message.document).decode()) == ("user/balance", body)


def test_a_body_is_signed_by_rsa(settings: Any) -> None:
    settings.WALLET_RSA_KEY = as_setting(rsa_key())
    signed = signing.hub88_headers(b'{"a":1}')["X-Hub88-Signature"]
    assert signed == signing.hub88_headers(b'{"a":1}')["X-Hub88-Signature"]  # PKCS #1 v1.5 has no chance in it
    assert len(signed) == 344
    settings.WALLET_RSA_KEY = ""
    with pytest.raises(signing.NoKey):
        signing.hub88_headers(b"")


def test_amounts_of_hub88_are_of_a_hundred_thousandth_whatever_the_currency_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    amounts = {"JPY": 500, "EUR": 1234, "KWD": 1250}
    messages = {each: HUB88.single(replace(DEBIT, amount=amounts[each], currency=each), REQUEST) for each in amounts}
    sent = {each: message.document["amount"] for each, message in messages.items()}
    assert sent == {"JPY": 50000000, "EUR": 1234000, "KWD": 125000}
    monkeypatch.setattr(money, "_declared", {"BTC": money.Currency("BTC", 8, 10000)})
    in_bitcoin = replace(DEBIT, currency="BTC")
    assert not HUB88.can_say(in_bitcoin)


def test_hub88_has_no_message_that_takes_a_part_of_a_win_back_or_lists_transactions() -> None:
    assert not HUB88.can_say(replace(BACK, amount=-1))
    assert all(HUB88.can_say(order) for order in (DEBIT, CREDIT, UNDO, VOID, BACK))
    assert not HUB88.lists
    assert not HUB88.batches


def answer_of_hub88(status: str, **changes: Any) -> dict[str, Any]:
    answer = {"user": str(PLAYER), "status": status, "request_uuid": str(REQUEST), "currency": "EUR", "balance": 10099}
    return {**answer, **changes}


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("RS_ERROR_NOT_ENOUGH_MONEY", WalletCode.INSUFFICIENT_FUNDS),
        ("RS_ERROR_USER_DISABLED", WalletCode.PLAYER_DISABLED),
        ("RS_ERROR_WRONG_CURRENCY", WalletCode.CURRENCY_DIFFERS),
        ("RS_ERROR_LIMIT_REACHED", WalletCode.LIMIT_REACHED),
        ("RS_ERROR_DUPLICATE_TRANSACTION", WalletCode.REFERENCE_DIFFERS),
        ("RS_ERROR_TRANSACTION_ROLLED_BACK", WalletCode.TRANSACTION_CANCELLED),
        ("RS_ERROR_INVALID_TOKEN", WalletCode.PLAYER_UNKNOWN),
        ("RS_ERROR_TOKEN_EXPIRED", WalletCode.OTHER),
        ("RS_ERROR_INVALID_GAME", WalletCode.OTHER),
        ("RS_ERROR_INVALID_PARTNER", WalletCode.OTHER),
        ("RS_ERROR_TRANSACTION_DOES_NOT_EXIST", WalletCode.OTHER),
    ],
)
def test_a_status_of_hub88_that_says_that_nothing_was_done_refuses(status: str, code: WalletCode) -> None:
    reply = HUB88.read_single(answer_of_hub88(status), DEBIT, REQUEST)
    assert (reply.answer, reply.balance) == (RefusedAnswer(code.value), 10)


def test_that_hub88_has_a_win_already_ends_it_when_it_was_sent_before() -> None:
    answer = answer_of_hub88("RS_ERROR_DUPLICATE_TRANSACTION")
    refused = RefusedAnswer(WalletCode.REFERENCE_DIFFERS.value)
    for order in (CREDIT, BACK):
        again = replace(order, repeated=True)
        assert HUB88.read_single(answer, order, REQUEST).answer == refused
        assert HUB88.read_single(answer, again, REQUEST).answer == AcceptedAnswer(str(order.transaction))
    assert HUB88.read_single(answer, replace(DEBIT, repeated=True), REQUEST).answer == refused


@pytest.mark.parametrize(
    "answer",
    [
        *(answer_of_hub88(status) for status in ("RS_ERROR_UNKNOWN", "RS_ERROR_INVALID_SIGNATURE", "RS_NEW", "")),
        *(answer_of_hub88(status) for status in ("RS_ERROR_WRONG_SYNTAX", "RS_ERROR_WRONG_TYPES", "RS_ERROR_TIMEOUT")),
        answer_of_hub88("RS_OK", request_uuid=str(BET)),
        {"status": "RS_OK"},
        ["RS_OK"],
        None,
    ],
)
def test_any_other_answer_as_hub88_leaves_the_end_open(answer: Any) -> None:
    for order in (DEBIT, CREDIT, UNDO):
        assert isinstance(HUB88.read_single(answer, order, REQUEST).answer, NoAnswer)
    assert HUB88.read_balance(answer, REQUEST, "EUR") is None


def test_hub88_accepts_by_the_id_that_both_sides_know() -> None:
    accepted = answer_of_hub88("RS_OK", balance=123456789)
    assert HUB88.read_single(accepted, DEBIT, REQUEST).answer == AcceptedAnswer(str(BET))
    assert HUB88.read_single(accepted, CREDIT, REQUEST).answer == AcceptedAnswer(str(WIN))
    assert HUB88.read_balance(accepted, REQUEST, "EUR") == 123456
    for wrong in ({"currency": "USD"}, {"balance": True}, {"balance": "1"}, {"balance": -1}, {"balance": 10**19}):
        assert HUB88.read_balance({**accepted, **wrong}, REQUEST, "EUR") is None


@pytest.mark.parametrize(
    ("status", "found"),
    [
        ("RS_OK", True),
        ("RS_ERROR_TRANSACTION_ROLLED_BACK", True),
        ("RS_ERROR_TRANSACTION_DOES_NOT_EXIST", False),
    ],
)
def test_a_rollback_of_hub88_ends_by_these_statuses_alone(status: str, found: bool) -> None:
    assert HUB88.read_single(answer_of_hub88(status), UNDO, REQUEST).answer == AcceptedAnswer(str(ROLLBACK), found)
    refused = HUB88.read_single(answer_of_hub88("RS_ERROR_USER_DISABLED"), UNDO, REQUEST)
    assert isinstance(refused.answer, NoAnswer)
