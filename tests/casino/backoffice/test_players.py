"""A player's page: its sections, permissions and number of queries."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from baccarat.storage.models import KillSwitch, Wager
from casino.backoffice.pages import kill_switch, player_sections
from casino.crypto import crypto_shredding
from casino.kernel.money import format_amount
from casino.operators.models import PlayerPin
from casino.operators.services import register_player
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


def test_a_players_page_shows_every_section(office: Office) -> None:
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
        "Significant events", "Accounts", "Figures", "Actions", "Rounds", "Tables", "Sessions",
        "Payments and adjustments", "Chats", "Notices to the player", "Staff access to this player",
    ):  # fmt: skip
        assert f"<h2>{title}" in body, title
    assert "Lucky!" in body
    assert "root" in body  # who looked before
    wager = Wager.objects.filter(player_id=office.player.id).latest("round_id")
    assert page_of("baccarat_round", wager.round_id) in body


def test_figures_status_and_actions_come_first_real_money_before_play_money(office: Office) -> None:
    office.house.credit(office.player.id, 123)
    office.house.guest(office.house.table("mini"), office.player.id)
    body = body_of(superuser(), office)
    places = [
        body.index(each) for each in ("<h2>Figures", "Open sessions", "<h2>Actions", "On this page", "<h2>Accounts")
    ]
    assert places == sorted(places)
    figures = body[places[0] : places[1]]
    wagers = Wager.objects.filter(player_id=office.player.id, voided_at=None)
    assert f">{wagers.count()}</td>" in figures
    staked = sum(wager.staked for wager in wagers)
    assert format_amount(staked, "EUR") in figures
    assert figures.index(">real<") < figures.index(">play<")


def test_a_form_with_errors_is_open_among_the_actions(office: Office) -> None:
    url = reverse("admin:operators_player_exclude", args=[office.player.id])
    body = superuser().post(url, {"by": "player", "kind": "permanent", "length": "6", "note": "asked"}).content.decode()
    _, _, opened = body.partition('<details name="action" open>')
    assert "Exclude this player" in opened.partition("</summary>")[0]
    assert "Leave this empty." in opened


def test_sections_depend_on_the_readers_permissions(office: Office) -> None:
    body = body_of(staff("operators.view_player", "chat.view_chatmessage", works_for="lucky"), office)
    assert "<h2>Chats" in body
    for title in ("Accounts", "Rounds", "Significant events", "Staff access"):
        assert f"<h2>{title}" not in body, title


def test_a_player_is_stopped_from_the_page_and_the_page_shows_it(office: Office) -> None:
    floor = staff("operators.view_player", "baccarat.view_killswitch", "baccarat.stop_play", works_for="lucky")
    page = body_of(floor, office)
    assert "Stop this player</summary>" in page
    stop = reverse("admin:operators_player_stop", args=[office.player.id])
    floor.post(stop, {"reason": "A quarrel.", "player_message": ""})
    switch = KillSwitch.objects.get(scope="player", subject=str(office.player.id))
    assert (switch.active, crypto_shredding.decrypt_text(switch.reason)) == (True, "A quarrel.")
    page = body_of(floor, office)
    assert "<h2>Play is stopped" in page
    assert kill_switch.switch_url(switch) in page
    assert "Stop this player</summary>" not in page


def test_support_lifts_the_lock_of_a_pin_on_the_page_while_there_is_one(office: Office) -> None:
    agent = staff("operators.view_player", "operators.unlock_pin", works_for="lucky")
    clerk = staff("operators.view_player", name="clerk", works_for="lucky")
    pin = PlayerPin.objects.create(player=office.player, pin_hash="x")
    unlock = reverse("admin:operators_player_unlock_pin", args=[office.player.id])
    assert "Lift the lock of the PIN</summary>" not in body_of(agent, office)

    PlayerPin.objects.update(failed_at=[timezone.now()] * 3, locked_until=timezone.now() + timedelta(minutes=30))

    assert "Lift the lock of the PIN</summary>" in body_of(agent, office)
    assert "Lift the lock of the PIN</summary>" not in body_of(clerk, office)
    assert clerk.post(unlock).status_code == 403
    agent.post(unlock)
    pin.refresh_from_db()
    assert (pin.failed_at, pin.locked_until, pin.pin_hash) == ([], None, "x")
    assert "Lift the lock of the PIN</summary>" not in body_of(agent, office)


def test_older_rounds_are_on_the_next_page(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player_sections, "MAX_WAGERS", 1)
    client, first, last = superuser(), *Wager.objects.filter(player_id=office.player.id).order_by("round_id")
    body = body_of(client, office)
    assert page_of("baccarat_round", last.round_id) in body
    assert page_of("baccarat_round", first.round_id) not in body
    assert f"?before={last.round_id}" in body
    older = body_of(client, office, f"?before={last.round_id}")
    assert page_of("baccarat_round", first.round_id) in older
    assert "Older wagers" not in older


def test_a_players_page_needs_no_more_queries_for_a_longer_history(office: Office) -> None:
    client = superuser()

    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            body_of(client, office)
        return len(captured)

    body_of(client, office)
    few = cost()
    office.play(3)
    assert cost() == few <= 46  # three of them read what a superuser may do


def test_a_name_from_right_to_left_keeps_its_order_among_others(office: Office) -> None:
    name = "\u05d9\u05e2\u05dc \u05db\u05d4\u05df"
    player = register_player(operator=office.operator.id, reference="r1", nickname=name).id
    client = superuser()
    assert f"\u2068{name}\u2069 (r1, " in client.get(page_of("operators_player", player)).content.decode()
    found = client.get(reverse("admin:desk_search"), {"term": "r1"}).content.decode()
    assert f"<bdi>\u2068{name}\u2069 (r1, " in found
