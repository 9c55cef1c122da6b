"""HTML of values: money, logins of staff, and names that players choose."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from hypothesis import given
from hypothesis import strategies as st

from casino.backoffice import html
from casino.kernel import money
from casino.operators.models import Player
from tests.support.office import Office, open_office, page_of, superuser

pytestmark = pytest.mark.django_db


@pytest.fixture
def office() -> Office:
    return open_office()


def test_money_is_shown_in_decimals_with_its_currency() -> None:
    assert html.money(1950, "EUR") == '<span class="c-money ">19.50 <small>EUR</small></span>'
    assert html.money(-1950, "JPY") == '<span class="c-money loss">\N{MINUS SIGN}1950 <small>JPY</small></span>'
    assert html.money(5, "KWD", signed=True) == '<span class="c-money gain">+0.005 <small>KWD</small></span>'
    assert html.money(None, "EUR") == html.NOTHING


@given(currency=st.sampled_from(["JPY", "EUR", "KWD"]), minor=st.integers(1 - money.MAX_AMOUNT, money.MAX_AMOUNT - 1))
def test_money_in_pages_is_exact_at_every_number_of_decimals(currency: str, minor: int) -> None:
    for signed in (False, True):
        shown = re.sub("<[^>]*>", "", html.money(minor, currency, signed=signed))
        amount, code = shown.replace("\N{MINUS SIGN}", "-").removeprefix("+").split(" ")
        assert (money.parse(amount, currency), code) == (minor, currency)


def test_names_that_players_choose_are_escaped(office: Office) -> None:
    Player.objects.filter(pk=office.player.pk).update(nickname="<script>alert(1)</script>")
    client = superuser()

    for page in (
        page_of("operators_player", office.player.pk),
        page_of("baccarat_round", office.settled(office.single).pk),
        page_of("baccarat_table", office.single.guest.table),
        reverse("admin:operators_player_changelist"),
        reverse("admin:baccarat_wager_changelist"),
        reverse("admin:wallet_account_changelist"),
    ):
        body = client.get(page).content.decode()
        assert "<script>alert(1)" not in body
        assert "&lt;script&gt;alert(1)" in body


def test_staff_ids_are_replaced_by_logins() -> None:
    ann = User.objects.create_user("ann")
    assert html.with_logins(f"By staff:{ann.pk} and staff:{ann.pk}9.") == f"By ann and staff:{ann.pk}9."
    assert html.with_logins("player:7") == "player:7"


def test_a_login_is_escaped_in_safe_html() -> None:
    eve = User.objects.create_user("<b>eve")
    shown = html.with_logins(format_html("<i>staff:{}</i>", eve.pk))
    assert shown == "<i>&lt;b&gt;eve</i>"
    assert isinstance(shown, SafeString)
    assert not isinstance(html.with_logins(f"staff:{eve.pk}"), SafeString)


def test_a_link_by_a_name_from_right_to_left_keeps_the_order_of_its_letters() -> None:
    assert (
        html.link("/x", "\u05d9\u05e2\u05dc <b>")
        == '<a class="c-link" href="/x"><bdi>\u05d9\u05e2\u05dc &lt;b&gt;</bdi></a>'
    )
    assert html.link("/x", "Ace") == '<a class="c-link" href="/x">Ace</a>'
