"""Answers that are an operator's own and no end of what they are about: stored, told, shown, and read again."""

import json
from datetime import timedelta
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from django.urls import reverse

from casino.crypto import crypto_shredding
from casino.events.ids import new_id
from casino.events.outbox import Claim
from casino.events.sql import database_now, execute, fetch
from casino.operators.models import Operator
from casino.significant.models import SignificantEvent
from tests.conftest import Database
from tests.support.office import page_of, staff
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR
from tests.wallet.remote.operators import WalletServer, deliver, seamless_house, statuses
from tests.wallet.remote.test_hostile import Handler, Hostile, hostile
from wallet.models import Discrepancy
from wallet.payments import stored_messages
from wallet.reconciliation import messages as desk
from wallet.reconciliation import services
from wallet.reconciliation.events import DiscrepancyResolution
from wallet.remote import credits as remote
from wallet.remote import debits, delivery, records
from wallet.remote.client import endpoint
from wallet.remote.delivery import Batch, Leased
from wallet.remote.events import Party, TransactionAccepted, TransactionKind, TransactionRequested
from wallet.remote.messages import WalletOrder, WalletReply, order_of
from wallet.remote.profiles import PROFILES
from wallet.remote.records import Decided
from wallet.remote.state import RemoteStatus

__all__ = ["hostile"]
REFUSED = {"status": "refused", "code": "player_unknown"}
ACCEPTED = {"status": "accepted", "reference": "T-9", "found": True}


def open_house(profile: str = "standard") -> None:
    """Open a live operator whose players' money is in its own wallet."""
    Operator.objects.create(id=OPERATOR, slug="lucky", name="Lucky", currencies=["EUR"], sandbox=False)
    execute(
        "INSERT INTO wallet_funding (operator_id, funding, wallet_url, wallet_profile, since, version)"
        " VALUES (%s, 'seamless', 'https://wallet.example', %s, now(), 1)",
        [OPERATOR, profile],
    )


def ask_debit(operator: UUID = OPERATOR, player: UUID = ALICE, amount: int = 100) -> TransactionRequested:
    """Ask for a debit."""
    now = database_now()
    party, until = Party(operator, player, uuid4(), "EUR"), now + timedelta(seconds=4)
    asked = TransactionRequested(
        new_id(now), TransactionKind.DEBIT, party, uuid4(), uuid4(), amount, None, uuid4(), until, now
    )
    records.write([Decided(None, 0, [asked], METADATA)], now=now)
    return asked


def owe(**about: Any) -> UUID:
    """Owe what a wager returned, and return the transaction."""
    asked, now = ask_debit(**about), database_now()
    made = TransactionAccepted(asked.transaction, asked.wager, asked.kind, asked.party, asked.amount, "T-1", now)
    records.write([Decided(*records.load([asked.transaction])[asked.transaction], [made], METADATA)], now=now)
    remote.owe({asked.transaction: (asked.amount, METADATA)}, now=now)
    ((credit,),) = fetch("SELECT id FROM wallet_remote WHERE concerns_id = %s", [asked.transaction])
    return cast("UUID", credit)


def current_order(transaction: UUID, attempt: int = 2) -> WalletOrder:
    return order_of(records.load([transaction])[transaction][0], repeated=attempt > 1)


def tell(transaction: UUID, said: dict[str, Any], *, attempt: int = 2) -> WalletReply:
    """Deliver an order about a transaction, to which the wallet says this."""
    order, wallet, now = current_order(transaction, attempt), endpoint(OPERATOR), database_now()
    reply = PROFILES[wallet.profile].read_item({"transaction": str(order.transaction), **said}, order)
    leased = Leased(order, Claim(transaction, attempt), now)
    delivery.record(Batch(wallet, [], [leased], []), {transaction: reply}, now=now)
    return reply


def status_of(transaction: UUID) -> RemoteStatus:
    return records.load([transaction])[transaction][0].status


def kept() -> list[tuple[Any, ...]]:
    return fetch("SELECT payment_id, player_id, outcome FROM wallet_providercallback ORDER BY id")


def told() -> int:
    return SignificantEvent.objects.filter(kind="payment_unapplied", operator_id=OPERATOR).count()


def again(transaction: UUID) -> list[str]:
    row = Discrepancy.objects.get(payment=transaction)
    return desk.apply_again(row.pk, operator=OPERATOR, metadata=METADATA)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("profile", "said", "outcome"),
    [
        ("standard", REFUSED, "refused_player_unknown"),
        ("standard", {"status": "refused", "code": "no such word"}, "refused_other"),
        ("standard", {"status": "accepted"}, "unreadable"),
        ("standard", {"status": "accepted", "reference": "R" * 101}, "unreadable"),
        ("standard", {"status": None}, "unreadable"),
        ("hub88", {"status": "RS_ERROR_USER_DISABLED"}, "refused_player_disabled"),
        ("hub88", {"status": "RS_ERROR_WRONG_TYPES"}, "unreadable"),
    ],
)
def test_an_answer_that_is_no_end_of_a_credit_is_stored_told_and_shown_once_and_the_credit_is_sent_again(
    profile: str, said: dict[str, Any], outcome: str
) -> None:
    open_house(profile)
    credit = owe()
    for _ in range(3):
        tell(credit, said)
    assert kept() == [(credit, ALICE, outcome)]
    ((body,),) = fetch("SELECT body FROM wallet_providercallback")
    assert crypto_shredding.owner_of(body) == ALICE
    assert json.loads(crypto_shredding.decrypt_text(body)) == {"transaction": str(credit), **said}
    row = Discrepancy.objects.get()
    assert (row.operator_id, row.provider, row.payment, row.kind) == (OPERATOR, "wallet", str(credit), "payout")
    assert (row.our_amount, row.our_status, row.their_status, told()) == (100, "approved", None, 1)
    assert (status_of(credit), fetch("SELECT count(*) FROM wallet_remote_due")) == (RemoteStatus.REQUESTED, [(1,)])
    assert again(credit) == [outcome]
    assert (Discrepancy.objects.get().status, status_of(credit)) == ("open", RemoteStatus.REQUESTED)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("profile", "said"),
    [
        ("standard", {"status": "temporary"}),
        ("standard", {"transaction": str(uuid4()), "status": "refused"}),
        ("hub88", {"status": "RS_ERROR_UNKNOWN"}),
    ],
)
def test_an_answer_that_says_not_now_or_is_about_something_else_is_only_sent_again(
    profile: str, said: dict[str, Any]
) -> None:
    open_house(profile)
    tell(owe(), said)
    assert (kept(), told(), Discrepancy.objects.count()) == ([], 0, 0)


@pytest.mark.django_db
def test_what_is_stored_ends_with_its_transaction() -> None:
    open_house()
    credit, other = owe(), owe()
    for each in (credit, other):
        tell(each, REFUSED)
    tell(credit, ACCEPTED)
    assert kept() == [(credit, ALICE, "no_change"), (other, ALICE, "refused_player_unknown")]
    assert [Discrepancy.objects.get(payment=each).status for each in (credit, other)] == ["cleared", "open"]
    assert again(credit) == []


@pytest.mark.django_db
def test_an_answer_is_applied_again_as_it_is_read_now() -> None:
    open_house("hub88")
    credit = owe()
    tell(credit, {"status": "RS_ERROR_DUPLICATE_TRANSACTION"}, attempt=1)
    assert kept() == [(credit, ALICE, "refused_reference_differs")]
    assert again(credit) == []
    assert (status_of(credit), kept()[0][2]) == (RemoteStatus.ACCEPTED, "applied")
    assert (Discrepancy.objects.get().status, fetch("SELECT count(*) FROM wallet_remote_due")) == ("cleared", [(0,)])


@pytest.mark.django_db
@pytest.mark.parametrize("profile", ["standard", "hub88"])
def test_an_answer_to_a_debit_is_never_read_as_one_to_its_rollback(profile: str) -> None:
    open_house(profile)
    asked = ask_debit()
    status = {"standard": "accepted", "hub88": "RS_ERROR_WRONG_TYPES"}[profile]
    said = {"transaction": str(asked.transaction), "status": status}
    reply = PROFILES[endpoint(OPERATOR).profile].read_item(said, current_order(asked.transaction, 1))
    debit = debits.Debit(asked, endpoint(OPERATOR), ask_until=0.0)
    debits.conclude(debit, reply, metadata=METADATA)
    assert status_of(asked.transaction) is RemoteStatus.ROLLING_BACK
    assert kept() == [(asked.transaction, ALICE, "unreadable")]
    assert again(asked.transaction) == ["overtaken"]
    tell(asked.transaction, {"standard": ACCEPTED, "hub88": {"status": "RS_OK"}}[profile])
    assert status_of(asked.transaction) is RemoteStatus.ROLLED_BACK
    assert (kept()[0][2], Discrepancy.objects.get().status) == ("no_change", "cleared")


@pytest.mark.django_db
def test_a_rollback_that_is_refused_is_stored_and_goes_on() -> None:
    open_house()
    asked = ask_debit()
    reply = WalletReply(delivery.NoAnswer("lost"))
    debits.conclude(debits.Debit(asked, endpoint(OPERATOR), ask_until=0.0), reply, metadata=METADATA)
    tell(asked.transaction, REFUSED)
    assert kept() == [(asked.transaction, ALICE, "refused_player_unknown")]
    assert again(asked.transaction) == ["refused_player_unknown"]
    assert status_of(asked.transaction) is RemoteStatus.ROLLING_BACK


@pytest.mark.django_db
def test_a_message_that_is_closed_with_a_reason_is_not_applied_and_its_credit_is_owed_on() -> None:
    open_house()
    credit = owe()
    tell(credit, REFUSED)
    resolution, shown = DiscrepancyResolution.PROVIDER_CORRECTED, Discrepancy.objects.get().pk
    services.assign(shown, operator=OPERATOR, owner="staff:7", by="staff:7", metadata=METADATA)
    services.resolve(
        shown, operator=OPERATOR, resolution=resolution, note="Their support mends the account.",
        by="staff:8", metadata=METADATA,
    )  # fmt: skip
    tell(credit, REFUSED)
    assert (kept(), told()) == ([(credit, ALICE, stored_messages.CLOSED)], 1)
    assert (status_of(credit), Discrepancy.objects.get().status) == (RemoteStatus.REQUESTED, "resolved")


@pytest.mark.django_db
def test_staff_read_what_the_wallet_said_and_reach_the_transaction() -> None:
    open_house()
    credit = owe()
    tell(credit, {**REFUSED, "reason": "Ask Ann"})
    rights = ("view_providercallback", "view_discrepancy", "view_remotetransaction", "change_discrepancy")
    ann = staff(*(f"wallet.{each}" for each in rights), works_for="lucky")
    for page in (
        reverse("admin:wallet_providercallback_changelist"),
        page_of("wallet_discrepancy", Discrepancy.objects.get().pk),
    ):
        assert page_of("wallet_remotetransaction", credit) in ann.get(page).content.decode()
    ((message,),) = fetch("SELECT id FROM wallet_providercallback")
    assert "Ask Ann" in ann.get(page_of("wallet_providercallback", message)).content.decode()
    button = reverse("admin:wallet_discrepancy_apply_again", args=[Discrepancy.objects.get().pk])
    assert "Not applied: refused player unknown." in ann.post(button, follow=True).content.decode()


def test_a_refused_credit_is_stored_as_the_wallet_sent_it(database: Database, hostile: Hostile) -> None:
    assert database
    house = seamless_house(cast("WalletServer", hostile))
    credit = owe(operator=UUID(house.id))

    def refuse(handler: Handler, asked: dict[str, Any]) -> None:
        items = [{"transaction": each["transaction"], **REFUSED, "ticket": 4837} for each in asked["items"]]
        handler.send(json.dumps({"request": asked["request"], "items": items}).encode())

    hostile.answer = refuse
    assert deliver() == 1
    ((body,),) = fetch("SELECT body FROM wallet_providercallback")
    assert json.loads(crypto_shredding.decrypt_text(body)) == {"transaction": str(credit), **REFUSED, "ticket": 4837}
    assert (statuses("credit"), Discrepancy.objects.get().payment) == (["requested"], str(credit))
