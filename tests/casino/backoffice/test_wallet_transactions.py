"""The admin's page of what operators' own wallets were asked for."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from django.urls import reverse

from casino.events.ids import new_id
from casino.events.sql import database_now, execute
from casino.events.store import Metadata
from tests.support.office import Office, open_office, page_of, staff
from wallet.models import RemoteTransaction
from wallet.remote import credits as remote
from wallet.remote import records
from wallet.remote.events import Party, TransactionAccepted, TransactionKind, TransactionRefused, TransactionRequested
from wallet.remote.records import Decided
from wallet.remote.state import AcceptedAnswer, NoAnswer, apply_answer, apply_rollback_answer

pytestmark = pytest.mark.django_db

MODEL = "wallet_remotetransaction"
VIEW = "wallet.view_remotetransaction"
LIST = f"admin:{MODEL}_changelist"


@pytest.fixture
def office() -> Office:
    return open_office()


def debit(office: Office, answer: str, round_: UUID) -> UUID:
    """Record a debit of ten euros that the wallet accepted, refused, lost, or took back."""
    now = database_now()
    metadata = Metadata(str(office.operator.pk), "test", "test")
    party = Party(office.operator.pk, office.player.pk, office.single.guest.table, "EUR")
    key, wager = new_id(now), uuid4()
    asked = TransactionRequested(
        key, TransactionKind.DEBIT, party, wager, round_, 1000, None, None, now + timedelta(seconds=4), now
    )
    records.write([Decided(None, 0, [asked], metadata)], now=now)
    state, version = records.load([key])[key]
    match answer:
        case "accepted":
            events: Any = [TransactionAccepted(key, wager, TransactionKind.DEBIT, party, 1000, "T-991", now)]
        case "refused":
            events = [TransactionRefused(key, wager, "limit_reached", now)]
        case _:
            events = apply_answer(state, NoAnswer("cut"), in_time=False, rollback=uuid4(), at=now)
    records.write([Decided(state, version, events, metadata)], now=now)
    if answer == "rolled_back":
        state, version = records.load([key])[key]
        events = apply_rollback_answer(state, AcceptedAnswer("T-992", found=False), at=now)
        records.write([Decided(state, version, events, metadata)], now=now)
    if answer == "accepted":
        remote.owe({key: (2000, metadata)}, now=now)
    return key


def kinds(client: Client, **query: str) -> list[tuple[str, str]]:
    rows = client.get(reverse(LIST), query).context["cl"].result_list
    return sorted((row.kind, row.status) for row in rows)


def test_transactions_are_listed_filtered_and_found_by_player_and_round(office: Office) -> None:
    first, second = (office.settled(at).pk for at in (office.single, office.company[0]))
    for answer in ("accepted", "refused", "lost"):
        debit(office, answer, first)
    debit(office, "rolled_back", second)
    client = staff(VIEW)
    all_of_them = kinds(client)
    assert all_of_them == [
        ("credit", "requested"), ("debit", "accepted"), ("debit", "refused"), ("debit", "rolled_back"),
        ("debit", "rolling_back"),
    ]  # fmt: skip
    assert kinds(client, q=str(first)) == [each for each in all_of_them if each[1] != "rolled_back"]
    assert kinds(client, q=str(office.player.pk)) == all_of_them
    assert kinds(client, q=str(uuid4())) == []
    assert kinds(client, kind="credit") == [("credit", "requested")]
    assert kinds(client, kind="rollback") == [("debit", "rolled_back"), ("debit", "rolling_back")]
    assert kinds(client, status="refused") == [("debit", "refused")]


def test_a_page_shows_tries_age_and_the_last_answer(office: Office) -> None:
    round_ = office.settled(office.single).pk
    client = staff(VIEW, "baccarat.view_round")
    key = debit(office, "lost", round_)
    execute(
        "UPDATE wallet_remote_due   SET attempts = 7, error = 'The status is 500.', since = since - interval '26 hours'"
    )
    page = client.get(page_of(MODEL, key)).content.decode()
    assert all(text in page for text in ("7", "The status is 500.", "1 day, 2:00:0", "no answer", "debit and rollback"))
    assert page_of("baccarat_round", round_) in page
    page = client.get(page_of(MODEL, debit(office, "refused", round_))).content.decode()
    assert "limit_reached" in page
    accepted = debit(office, "accepted", round_)
    assert "T-991" in client.get(page_of(MODEL, accepted)).content.decode()
    credit = RemoteTransaction.objects.get(kind="credit").pk
    assert page_of(MODEL, accepted) in client.get(page_of(MODEL, credit)).content.decode()


def test_the_pages_of_a_player_and_of_a_round_link_to_them_for_those_who_may_see_them(office: Office) -> None:
    round_ = office.settled(office.single).pk
    pages = {page_of("operators_player", office.player.pk): office.player.pk, page_of("baccarat_round", round_): round_}
    seen = ("operators.view_player", "baccarat.view_round")
    for name, permissions, linked in (("who", (*seen, VIEW), True), ("other", seen, False)):
        client = staff(*permissions, name=name)
        for page, identity in pages.items():
            assert (f"{reverse(LIST)}?q={identity}" in client.get(page).content.decode()) is linked


def test_staff_see_those_of_their_operators_alone(office: Office) -> None:
    key = debit(office, "accepted", office.settled(office.single).pk)
    open_office("rival")
    stranger = staff(VIEW, works_for="rival")
    assert kinds(stranger) == []
    assert stranger.get(page_of(MODEL, key)).status_code in {302, 404}
