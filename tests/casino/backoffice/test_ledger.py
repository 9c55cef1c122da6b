"""Pages of accounts and entries."""

from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from casino.backoffice.pages import ledger
from casino.kernel.money import MoneyType, format_amount
from tests.support.office import Office, open_office, page_of, superuser
from wallet.ledger.accounts import AccountKind, player_account, table_account
from wallet.models import Account, Balance, Entry, Posting


@pytest.fixture
def office(db: None) -> Office:
    return open_office()


def body_of(client: Client, page: str) -> str:
    answer = client.get(page)
    assert answer.status_code == 200
    return unescape(answer.content.decode())


def stakes(office: Office) -> Account:
    name = table_account(
        kind=AccountKind.STAKES,
        operator=office.operator.pk,
        table=office.single.guest.table,
        money_type=MoneyType.REAL,
        currency="EUR",
    )
    return Account.objects.get(pk=name.id)


def test_an_account_shows_its_balance_and_its_postings(office: Office) -> None:
    name = player_account(
        operator=office.operator.pk, player=office.player.pk, money_type=MoneyType.REAL, currency="EUR"
    )
    balance = Balance.objects.get(account_id=name.id)

    body = body_of(superuser(), page_of("wallet_account", name.id))

    assert f"{format_amount(balance.balance, 'EUR')} <small>EUR</small>" in body
    assert page_of("operators_player", office.player.pk) in body
    for posting in Posting.objects.filter(account_id=name.id):
        assert page_of("wallet_entry", posting.entry_id) in body


def test_a_long_statement_links_to_older_postings(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MAX_POSTINGS", 3)
    account, client = stakes(office), superuser()
    numbers = list(account.postings.order_by("-sequence").values_list("sequence", flat=True))
    assert numbers == [4, 3, 2, 1]

    first = client.get(page_of("wallet_account", account.pk))
    second = client.get(page_of("wallet_account", account.pk), {"before": "2"})

    assert [row[0] for row in first.context["sections"][1].rows] == ["4", "3", "2"]
    assert "?before=2" in first.content.decode()
    assert [row[0] for row in second.context["sections"][1].rows] == ["1"]
    assert "?before=" not in second.content.decode()


def test_an_account_without_postings_has_balance_zero(office: Office) -> None:
    name = player_account(
        operator=office.operator.pk, player=office.player.pk, money_type=MoneyType.PLAY, currency="EUR"
    )

    body = body_of(superuser(), page_of("wallet_account", name.id))

    assert "0.00 <small>EUR</small>" in body
    assert "Nothing yet." in body


def test_an_entry_shows_postings_that_sum_to_zero_and_its_event(office: Office) -> None:
    entry = Entry.objects.filter(kind="settlement").latest("pk")
    postings = list(entry.postings.all())

    body = body_of(superuser(), page_of("wallet_entry", entry.pk))

    assert sum(posting.amount for posting in postings) == 0
    assert page_of("events_event", entry.cause) in body
    for posting in postings:
        assert page_of("wallet_account", posting.account_id) in body
        assert format_amount(abs(posting.amount), "EUR") in body


def test_the_list_of_accounts_shows_names_and_balances(office: Office) -> None:
    body = body_of(superuser(), reverse("admin:wallet_account_changelist"))

    assert "Alice" in body
    assert "lucky" in body
    assert f"{format_amount(stakes(office).balance.balance, 'EUR')} <small>EUR</small>" in body
