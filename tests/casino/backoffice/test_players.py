"""A player's page shows the whole player, to each as far as they may look, at the same cost however long the story."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from baccarat.storage.models import Switch, Wager
from casino.backoffice.pages import kill_switch, player
from casino.crypto import crypto_shredding
from casino.significant import recorder
from tests.support.office import Office, open_office, page_of, staff, superuser

pytestmark = pytest.mark.django_db


@pytest.fixture
def office() -> Office:
    return open_office()


def body_of(client: Client, office: Office, query: str = "") -> str:
    answer = client.get(page_of("operators_player", office.player.id) + query)
    assert answer.status_code == 200
    content: bytes = answer.content
    return content.decode()


def test_all_that_there_is_about_a_player_stands_on_one_page(office: Office) -> None:
    subject = f"player:{office.player.id}"
    recorder.record(
        kind=recorder.SignificantEventKind.LARGE_WIN,
        operator=office.operator.id,
        subject="round:1",
        actor=subject,
        reason="Lucky!",
    )
    client = superuser()
    body_of(client, office)
    body = body_of(client, office)
    for title in (
        "Significant events", "Accounts", "Total play", "Rounds", "Tables", "Limits and exclusions", "Sessions",
        "Payments and adjustments", "Chats", "Notices to the player", "Staff access to this player",
    ):  # fmt: skip
        assert f"<h2>{title}" in body, title
    assert "Lucky!" in body
    assert "root" in body  # who looked before
    wager = Wager.objects.filter(player_id=office.player.id).latest("round_id")
    assert page_of("baccarat_round", wager.round_id) in body


def test_each_sees_what_their_role_lets_them(office: Office) -> None:
    body = body_of(staff("operators.view_player", "chat.view_chatmessage", works_for="lucky"), office)
    assert "<h2>Chats" in body
    for title in ("Accounts", "Rounds", "Significant events", "Staff access"):
        assert f"<h2>{title}" not in body, title


def test_play_is_stopped_from_the_page_by_those_who_may_and_the_page_says_so(office: Office) -> None:
    floor = staff("operators.view_player", "baccarat.view_switch", "baccarat.throw_switch", works_for="lucky")
    page = body_of(floor, office)
    assert "<h2>Stop this player" in page
    kept = dict(re.findall(r'type="hidden" name="(scope|subject)" value="([^"]+)"', page))
    floor.post(reverse("admin:baccarat_switch_throw"), {**kept, "reason": "A quarrel.", "player_message": ""})
    switch = Switch.objects.get(scope="player", subject=str(office.player.id))
    assert (switch.stopped, crypto_shredding.decrypt_text(switch.reason)) == (True, "A quarrel.")
    page = body_of(floor, office)
    assert "<h2>Play is stopped" in page
    assert kill_switch.switch_url(switch) in page
    assert "<h2>Stop this player" not in page


def test_older_rounds_are_a_page_further(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "MAX_WAGERS", 1)
    client, first, last = superuser(), *Wager.objects.filter(player_id=office.player.id).order_by("round_id")
    body = body_of(client, office)
    assert page_of("baccarat_round", last.round_id) in body
    assert page_of("baccarat_round", first.round_id) not in body
    assert f"?before={last.round_id}" in body
    older = body_of(client, office, f"?before={last.round_id}")
    assert page_of("baccarat_round", first.round_id) in older
    assert "Older wagers" not in older


def test_a_players_page_asks_no_more_of_a_longer_story(office: Office) -> None:
    client = superuser()

    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            body_of(client, office)
        return len(captured)

    body_of(client, office)
    few = cost()
    office.play(3)
    assert cost() == few <= 40
