"""The admin as a whole: its pages are read-only, need permissions and leak no secret."""

import re
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import quote
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from baccarat.storage.models import KillSwitch
from casino.events.models import Event, Subscription
from casino.operators.models import ApiKey, PlayerSession
from tests.support.office import Office, address, client_of, open_office, page_of, shown, staff, superuser

pytestmark = pytest.mark.django_db

LISTED = {
    "admin.logentry", "baccarat.round", "baccarat.table", "baccarat.wager", "events.event", "events.chainhead",
    "events.subscription", "operators.apikey", "operators.operator", "operators.player", "wallet.account",
    "wallet.entry",
}  # fmt: skip
NEVER_LISTED = {
    "baccarat.shoesecret",
    "api.idempotentrequest",
    "sessions.session",
    "operators.playersession",
    "operators.playerpin",
}
MOST_QUERIES_OF_A_LIST = 13
"""Three of them read what the user may do."""
MOST_QUERIES_OF_A_PAGE = 18
MOST_QUERIES_OF_A_ROUND = 50
"""A round's page replays the round and checks its export. Each check is a savepoint: one that fails ends none."""


@pytest.fixture
def office() -> Office:
    office = open_office()
    Subscription.objects.create(name="reports", position=3)
    return office


def everything() -> dict[str, str]:
    """Return a digest of every table but those of sessions and staff."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        names = [name for (name,) in cursor.fetchall() if not name.startswith(("django_", "auth_"))]
        found = {}
        for name in names:
            digest = f"SELECT md5(coalesce(string_agg(t::text, ',' ORDER BY t::text), '')) FROM {name} t"  # noqa: S608
            cursor.execute(digest)
            found[name] = cursor.fetchone()[0]
    return found


def some_row(part: Any) -> Any:
    row = part.model._default_manager.order_by("pk").first()
    assert row is not None, f"the office has no {part.opts.verbose_name}"
    return row


def filled() -> list[Any]:
    """Return the pages with rows."""
    return [part for part in shown() if part.opts.label_lower in LISTED or part.model._default_manager.exists()]


def test_only_users_can_be_edited() -> None:
    labels = {model._meta.label_lower for model in admin.site._registry}

    read_only = {part.opts.label_lower for part in shown()}
    assert read_only >= LISTED
    assert labels - read_only == {"auth.user"}
    assert not labels & NEVER_LISTED


def test_a_superuser_can_change_no_row_directly(office: Office) -> None:
    client = superuser()
    LogEntry.objects.create(user=User.objects.get(), action_flag=1, object_repr="-")
    before = everything()
    form = {"action": "delete_selected", "index": 0, "select_across": 1, "post": "yes", "_save": "Save"}

    for part in filled():
        row = some_row(part)
        form["_selected_action"] = str(row.pk)
        for page, target in (("add", None), ("change", row), ("delete", row), ("changelist", None)):
            answer = client.post(address(part, page, target), form)
            acts = page == "changelist" and part.actions  # such as acknowledging; the answer is the list again
            assert answer.status_code == (200 if acts else 403), (part.opts.label, page)
            assert b"delete_selected" not in answer.content
        assert client.get(address(part, "add")).status_code == 403
        assert client.get(address(part, "delete", row)).status_code == 403

    changed = {table for table, digest in everything().items() if digest != before[table]}
    assert changed <= {"staff_accesslogentry"}  # that a list was seen
    assert LogEntry.objects.count() == 1


def test_every_list_and_page_loads_and_has_no_form_that_edits_its_row(office: Office) -> None:
    client = superuser()
    LogEntry.objects.create(user=User.objects.get(), action_flag=1, object_repr="-")

    for part in filled():
        row = some_row(part)
        listed, page = client.get(address(part, "changelist")), client.get(address(part, "change", row))
        assert (listed.status_code, page.status_code) == (200, 200), part.opts.label
        assert client.get(address(part, "history", row)).status_code == 200
        for body in (listed.content.decode(), page.content.decode()):
            assert address(part, "add") not in body
            assert address(part, "delete", row) not in body
            assert 'name="_save"' not in body
            assert "delete_selected" not in body


def test_staff_without_a_permission_see_nothing(office: Office) -> None:
    client = staff()

    front = client.get(reverse("admin:index")).content.decode()
    assert "Choose a page on the left." in front
    for part in shown():
        assert address(part, "changelist") not in front
        assert client.get(address(part, "changelist")).status_code == 403
        for row in part.model._default_manager.all()[:1]:
            assert client.get(address(part, "change", row)).status_code == 403


def test_a_permission_to_view_opens_one_page_only(office: Office) -> None:
    client = staff("wallet.view_entry")

    answers = {part.opts.label_lower: client.get(address(part, "changelist")).status_code for part in shown()}

    assert {label for label, status in answers.items() if status == 200} == {"wallet.entry"}
    assert set(answers.values()) == {200, 403}


def test_pages_run_no_inline_script_and_load_nothing_from_other_hosts(office: Office) -> None:
    answer = superuser().get(reverse("admin:index"))
    told = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert told["default-src"] == "'none'"
    assert "unsafe-inline" not in told["script-src"]
    assert not any("http" in sources or "*" in sources for sources in told.values())
    assert not re.search(r"<script(?![^>]*\bsrc=)", answer.content.decode())


def test_visitors_and_users_who_are_not_staff_are_redirected_to_the_login(office: Office) -> None:
    visitor = client_of(User.objects.create_user("visitor", "v@example.com", "a-long-password"))

    for client in (Client(), visitor):
        for part in shown():
            answer = client.get(address(part, "changelist"))
            assert answer.status_code == 302
            assert answer["Location"].startswith(reverse("admin:login"))


@pytest.mark.parametrize(
    "label",
    sorted(
        LISTED - {"admin.logentry", "operators.operator", "operators.apikey", "operators.player", "events.subscription"}
    ),
)
def test_a_list_needs_no_more_queries_for_more_rows(office: Office, label: str) -> None:
    client, part = superuser(), next(part for part in shown() if part.opts.label_lower == label)

    few = queries(client, address(part, "changelist"))
    office.sit_down(2)
    office.play(3)
    many = queries(client, address(part, "changelist"))

    assert many == few <= MOST_QUERIES_OF_A_LIST


def test_a_page_needs_no_more_queries_for_a_longer_history(office: Office) -> None:
    client, table = superuser(), office.company[0].guest.table
    short = [page_of("baccarat_round", office.settled(office.company[0]).pk), page_of("baccarat_table", table)]
    asked = [queries(client, page) for page in short]

    office.sit_down(3)
    office.play(3)
    longer = [page_of("baccarat_round", office.settled(office.company[0]).pk), page_of("baccarat_table", table)]

    assert [queries(client, page) for page in longer] == asked
    assert asked[0] <= MOST_QUERIES_OF_A_ROUND
    assert asked[1] <= MOST_QUERIES_OF_A_PAGE


def queries(client: Client, page: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(page).status_code == 200
    return len(captured)


def test_revoking_a_key_needs_the_permission_and_is_logged(office: Office) -> None:
    client, page = staff("operators.view_apikey", "operators.change_apikey"), page_of("operators_apikey", office.key)
    revoke = reverse("admin:operators_apikey_revoke", args=[quote(office.key)])
    assert revoke in client.get(page).content.decode()

    assert client.get(revoke).status_code == 405
    assert client.post(revoke).status_code == 302

    assert ApiKey.objects.get().revoked_at is not None
    assert "Revoked" in client.get(page).content.decode()
    assert revoke not in client.get(page).content.decode()
    assert LogEntry.objects.get().get_change_message() == f"Revoked {office.key}."


def test_a_key_whose_id_looks_like_an_escape_sequence_has_a_page_and_can_be_revoked(office: Office) -> None:
    odd = "op_23" + "0" * 18
    ApiKey.objects.create(key_id=odd, operator=office.operator, secret_hash=bytes(32))
    client = superuser()

    found = client.get(reverse("admin:operators_apikey_changelist"), {"q": odd}).content.decode()
    body = client.get(page_of("operators_apikey", odd)).content.decode()
    operator = client.get(page_of("operators_operator", office.operator.pk)).content.decode()
    answer = client.post(reverse("admin:operators_apikey_revoke", args=[quote(odd)]))

    assert page_of("operators_apikey", odd) in found
    assert page_of("operators_apikey", odd) in operator
    assert reverse("admin:operators_apikey_revoke", args=[quote(odd)]) in body
    assert answer["Location"] == page_of("operators_apikey", odd)
    assert ApiKey.objects.get(pk=odd).revoked_at is not None


def test_viewing_a_key_does_not_allow_revoking_it(office: Office) -> None:
    client = staff("operators.view_apikey")
    revoke = reverse("admin:operators_apikey_revoke", args=[quote(office.key)])

    assert revoke not in client.get(page_of("operators_apikey", office.key)).content.decode()
    assert client.post(revoke).status_code == 403
    assert ApiKey.objects.get().revoked_at is None


def test_an_action_without_the_csrf_token_is_refused(office: Office) -> None:
    user = User.objects.create_superuser("root", "root@example.com", "a-long-password")
    client = Client(enforce_csrf_checks=True)
    client.force_login(user)

    assert client.post(reverse("admin:operators_apikey_revoke", args=[quote(office.key)])).status_code == 403
    assert ApiKey.objects.get().revoked_at is None


def test_a_players_open_sessions_are_ended_at_once(office: Office) -> None:
    client = staff("operators.view_player", "operators.change_playersession")
    end = reverse("admin:operators_player_end", args=[office.player.id])
    assert end in client.get(page_of("operators_player", office.player.id)).content.decode()

    answer = client.post(end, follow=True)

    assert "Ended 1 session." in answer.content.decode()
    assert PlayerSession.objects.get().ended_at is not None
    assert end not in answer.content.decode()


def test_no_page_of_keys_or_players_contains_a_secret_or_its_hash(office: Office) -> None:
    client = superuser()
    hashes = [bytes(ApiKey.objects.get().secret_hash), bytes(PlayerSession.objects.get().token_hash)]

    for page in (
        page_of("operators_apikey", office.key),
        page_of("operators_operator", office.operator.pk),
        page_of("operators_player", office.player.pk),
        reverse("admin:operators_apikey_changelist"),
    ):
        body = client.get(page).content.decode()
        assert office.token not in body
        assert not any(secret.hex() in body for secret in hashes)


def test_an_event_is_shown_with_its_position_and_digest(office: Office) -> None:
    event = Event.objects.get(stream=f"round-{office.settled(office.single).pk}", version=1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT position, encode(digest, 'hex') FROM events_seal WHERE event_id = %s", [event.pk])
        position, digest = cursor.fetchone()

    body = superuser().get(page_of("events_event", event.pk)).content.decode()

    assert f"#{position}" in body
    assert digest in body
    assert "RoundOpened" in body


def test_an_unsealed_event_is_marked_as_waiting(office: Office) -> None:
    office.single.new_game()
    waiting = Event.objects.latest("id")
    client = superuser()

    assert "Waiting for sealing" in client.get(page_of("events_event", waiting.pk)).content.decode()
    listed = client.get(reverse("admin:events_event_changelist"), {"seal": "waiting"}).context["cl"].result_list
    assert waiting in listed


def test_users_keep_django_s_pages() -> None:
    client, user = superuser(), User.objects.get()
    page = client.get(reverse("admin:auth_user_change", args=[user.pk]))

    assert page.status_code == 200
    assert 'name="_save"' in page.content.decode()
    assert f"{user.date_joined:%Y-%m-%d %H:%M:%S} UTC" in page.content.decode()


def test_staff_actions_stay_in_the_log_because_users_cannot_be_deleted(office: Office) -> None:
    staff("operators.view_apikey", "operators.change_apikey").post(
        reverse("admin:operators_apikey_revoke", args=[quote(office.key)])
    )
    did = User.objects.get(username="staff")

    answer = superuser().post(reverse("admin:auth_user_delete", args=[did.pk]), {"post": "yes"})

    assert answer.status_code == 403
    assert LogEntry.objects.filter(user=did).exists()


def test_text_with_a_nul_character_is_refused(office: Office) -> None:
    fields = {"target": f"operator:{office.operator.id}", "reason": "a\0b", "player_message": ""}
    assert superuser().post(reverse("admin:baccarat_killswitch_throw"), fields).status_code == 400
    assert not KillSwitch.objects.exists()


def test_an_impossible_id_redirects_to_the_first_page() -> None:
    client = superuser()
    for part in ("operators_apikey", "baccarat_wager", "baccarat_rulesversion", "events_event"):
        answer = client.get(page_of(part, "x").replace("/x/", "/%00/"))
        assert (answer.status_code, answer.headers["Location"]) == (302, reverse("admin:index")), part


def test_headings_name_a_row_without_an_id_and_a_list_as_the_menu_does(office: Office) -> None:
    client = superuser()
    LogEntry.objects.create(user=User.objects.get(), action_flag=1, object_repr="-")

    def heading(url: str) -> str:
        found = re.search("<h1.*?</h1>", client.get(url).content.decode(), re.DOTALL)
        assert found is not None
        return " ".join(re.sub("<[^>]*>", " ", found[0]).split())

    identity = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-")
    parts = filled()
    for number, part in enumerate(parts):
        for kind in ("change", "history")[: 1 + (number % 8 == 0)]:
            page = heading(address(part, kind, some_row(part)))
            assert not identity.search(page), page
    assert heading(page_of("operators_player", office.player.id)) == "Players / Alice (lucky-alice, lucky)"
    round_ = office.settled(office.single)
    assert heading(page_of("baccarat_round", round_.pk)).startswith(f"Rounds / Round {round_.number} at ")
    assert heading(reverse("admin:admin_logentry_changelist")) == "Staff actions"
    assert heading(reverse("admin:staff_accesslogentry_changelist")) == "Access log"


def test_figures_come_first_on_the_front_page_unless_something_waits(office: Office) -> None:
    client = superuser()

    def places() -> list[int]:
        body = client.get(reverse("admin:index")).content.decode()
        return [body.index(f"<h2>{title}") for title in ("Suspended rounds", "Figures")]

    assert places() == sorted(places(), reverse=True)
    office.suspended()
    assert places() == sorted(places())
