"""The admin as a whole: what it shows, to whom, and that nobody changes by it what must not change."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import quote
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from baccarat.storage.models import Round, Switch
from casino.backoffice import base, html
from casino.backoffice.base import as_number, as_uuid
from casino.backoffice.filters import first_serial, first_uuid
from casino.events.models import Event, Subscription
from casino.operators.models import ApiKey, Player, PlayerSession
from casino.staff.models import AccessLogEntry
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
MOST_QUERIES_OF_A_LIST = 9
MOST_QUERIES_OF_A_PAGE = 14
MOST_QUERIES_OF_A_ROUND = 32
"""A round is worked out anew, and its export checked, whenever it is looked at."""


@pytest.fixture
def office() -> Office:
    office = open_office()
    Subscription.objects.create(name="reports", position=3)
    return office


def everything() -> dict[str, str]:
    """A digest of every table but those of staff's own sessions and log."""
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
    """Every part of which the office has rows: all that are listed here, and what else has any."""
    return [part for part in shown() if part.opts.label_lower in LISTED or part.model._default_manager.exists()]


def test_only_users_can_be_edited() -> None:
    labels = {model._meta.label_lower for model in admin.site._registry}

    read_only = {part.opts.label_lower for part in shown()}
    assert read_only >= LISTED
    assert labels - read_only == {"auth.user"}
    assert not labels & NEVER_LISTED


def test_a_superuser_changes_nothing_by_any_address(office: Office) -> None:
    client = superuser()
    LogEntry.objects.create(user=User.objects.get(), action_flag=1, object_repr="-")
    before = everything()
    form = {"action": "delete_selected", "index": 0, "select_across": 1, "post": "yes", "_save": "Save"}

    for part in filled():
        row = some_row(part)
        form["_selected_action"] = str(row.pk)
        for page, target in (("add", None), ("change", row), ("delete", row), ("changelist", None)):
            answer = client.post(address(part, page, target), form)
            assert answer.status_code == 403, (part.opts.label, page)
        assert client.get(address(part, "add")).status_code == 403
        assert client.get(address(part, "delete", row)).status_code == 403

    assert everything() == before
    assert LogEntry.objects.count() == 1


def test_every_list_and_page_answers_and_has_no_form_to_change_its_row(office: Office) -> None:
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


def test_a_permission_to_view_opens_one_part_alone(office: Office) -> None:
    client = staff("wallet.view_entry")

    answers = {part.opts.label_lower: client.get(address(part, "changelist")).status_code for part in shown()}

    assert {label for label, status in answers.items() if status == 200} == {"wallet.entry"}
    assert set(answers.values()) == {200, 403}


def test_pages_run_no_inline_script_and_load_nothing_from_elsewhere(office: Office) -> None:
    answer = superuser().get(reverse("admin:index"))
    told = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert told["default-src"] == "'none'"
    assert "unsafe-inline" not in told["script-src"]
    assert not any("http" in sources or "*" in sources for sources in told.values())
    assert not re.search(r"<script(?![^>]*\bsrc=)", answer.content.decode())


def test_strangers_and_players_are_sent_to_the_login(office: Office) -> None:
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
def test_a_list_asks_no_more_of_more_rows(office: Office, label: str) -> None:
    client, part = superuser(), next(part for part in shown() if part.opts.label_lower == label)

    few = queries(client, address(part, "changelist"))
    office.sit_down(2)
    office.play(3)
    many = queries(client, address(part, "changelist"))

    assert many == few <= MOST_QUERIES_OF_A_LIST


def test_a_page_asks_no_more_of_a_longer_story(office: Office) -> None:
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


def test_a_list_counts_no_further_than_its_pages_reach(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MAX_LISTED", 5)
    client = superuser()

    with CaptureQueriesContext(connection) as captured:
        body = client.get(reverse("admin:events_event_changelist")).content.decode()

    counts = [query["sql"] for query in captured if "COUNT(" in query["sql"]]
    assert counts
    assert all("LIMIT" in sql for sql in counts)
    assert "The first 5 events; filter or search for the others" in body


def test_a_key_is_revoked_by_those_who_may_and_leaves_a_line_in_the_log(office: Office) -> None:
    client, page = staff("operators.view_apikey", "operators.change_apikey"), page_of("operators_apikey", office.key)
    revoke = reverse("admin:operators_apikey_revoke", args=[quote(office.key)])
    assert revoke in client.get(page).content.decode()

    assert client.get(revoke).status_code == 405
    assert client.post(revoke).status_code == 302

    assert ApiKey.objects.get().revoked_at is not None
    assert "Revoked" in client.get(page).content.decode()
    assert revoke not in client.get(page).content.decode()
    assert LogEntry.objects.get().get_change_message() == f"Revoked {office.key}."


def test_a_key_whose_id_looks_like_an_escaped_character_has_its_page_and_is_revoked(office: Office) -> None:
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


def test_viewing_a_key_is_not_revoking_it(office: Office) -> None:
    client = staff("operators.view_apikey")
    revoke = reverse("admin:operators_apikey_revoke", args=[quote(office.key)])

    assert revoke not in client.get(page_of("operators_apikey", office.key)).content.decode()
    assert client.post(revoke).status_code == 403
    assert ApiKey.objects.get().revoked_at is None


def test_an_action_without_the_forgery_token_is_refused(office: Office) -> None:
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


def test_no_page_of_keys_or_players_holds_a_secret_or_its_hash(office: Office) -> None:
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


FOUND_BY = [
    ("events.event", "round-{round}"),
    ("events.event", "{round}"),
    ("baccarat.round", "{round}"),
    ("baccarat.round", "{table}"),
    ("baccarat.table", "{table}"),
    ("baccarat.wager", "{player}"),
    ("baccarat.wager", "{round}"),
    ("wallet.account", "{player}"),
    ("wallet.account", "{table}"),
    ("operators.player", "lucky-alice"),
    ("operators.player", "{player}"),
    ("operators.operator", "luc"),
    ("operators.apikey", "lucky"),
]
NONSENSE = ("nothing", "%", "'", "9" * 30, "\N{SUPERSCRIPT TWO}", "x" * 500)


def rows_of(part: Any, **query: str) -> list[Any]:
    """The rows that a list shows for a query, without drawing it."""
    request = RequestFactory().get(address(part, "changelist"), query)
    request.user = User(is_active=True, is_staff=True, is_superuser=True)
    return list(part.get_changelist_instance(request).result_list)


def part_of(label: str) -> Any:
    return next(part for part in shown() if part.opts.label_lower == label)


def test_what_is_searched_is_found_and_nothing_else(office: Office) -> None:
    open_office("other")
    settled = office.settled(office.single)
    names = {"round": settled.pk, "table": office.single.guest.table, "player": office.player.pk}

    for label, term in FOUND_BY:
        part = part_of(label)
        assert 0 < len(rows_of(part, q=term.format(**names))) < part.model._default_manager.count(), (label, term)


def test_a_search_for_nonsense_finds_nothing(office: Office) -> None:
    for part in shown():
        if part.search_fields:
            assert [rows_of(part, q=term) for term in NONSENSE] == [[]] * len(NONSENSE), part.opts.label


def test_every_choice_of_every_filter_answers(office: Office) -> None:
    client = superuser()

    for part in shown():
        if part.model is AccessLogEntry:
            continue  # each look adds a row
        every = len(rows_of(part))
        specs = client.get(address(part, "changelist")).context["cl"].filter_specs
        for spec in specs:
            for value, _ in spec.lookup_choices:
                assert len(rows_of(part, **{spec.parameter_name: value})) <= every
            assert len(rows_of(part, **{spec.parameter_name: "nonsense"})) == every


def test_a_filter_keeps_what_it_says(office: Office) -> None:
    def kept(label: str, **query: str) -> int:
        return len(rows_of(part_of(label), **query))

    rounds = Round.objects.count()
    assert kept("baccarat.round", within="1h") == rounds
    assert kept("baccarat.round", operator=str(office.operator.pk)) == rounds
    assert kept("baccarat.round", preset="mini") == Round.objects.filter(rules="mini@1").count() < rounds
    assert kept("baccarat.round", phase="running") == Round.objects.filter(ended_at=None).count() < rounds
    assert kept("wallet.account", money_type="play") < kept("wallet.account", money_type="real")
    assert kept("events.event", seal="waiting") == 0


def test_the_first_id_since_a_moment_is_the_one_a_scan_finds(office: Office) -> None:
    events = list(Event.objects.order_by("id").values_list("id", "recorded_at"))
    moments = [moment for _, moment in events]

    for when in (*moments, moments[0] - timedelta(days=1), moments[-1] + timedelta(seconds=1)):
        scanned = next((key for key, moment in events if moment >= when), events[-1][0] + 1)
        found = first_serial("events_event", when)
        assert not [key for key, moment in events if moment >= when and key < found]
        assert found <= scanned


def test_ids_of_a_moment_begin_with_its_time(office: Office) -> None:
    now = timezone.now()

    assert not Round.objects.filter(id__gte=first_uuid(now + timedelta(minutes=1))).exists()
    assert Round.objects.filter(id__gte=first_uuid(now - timedelta(days=1))).count() == Round.objects.count()


def test_money_is_shown_in_decimals_with_its_currency() -> None:
    assert html.money(1950, "EUR") == '<span class="c-money ">19.50 <small>EUR</small></span>'
    assert html.money(-1950, "JPY") == '<span class="c-money loss">\N{MINUS SIGN}1950 <small>JPY</small></span>'
    assert html.money(5, "KWD", signed=True) == '<span class="c-money gain">+0.005 <small>KWD</small></span>'
    assert html.money(None, "EUR") == html.NOTHING


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


def test_an_event_is_shown_with_its_position_and_digest(office: Office) -> None:
    event = Event.objects.get(stream=f"round-{office.settled(office.single).pk}", version=1)
    with connection.cursor() as cursor:
        cursor.execute("SELECT position, encode(digest, 'hex') FROM events_seal WHERE event_id = %s", [event.pk])
        position, digest = cursor.fetchone()

    body = superuser().get(page_of("events_event", event.pk)).content.decode()

    assert f"#{position}" in body
    assert digest in body
    assert "RoundOpened" in body


def test_an_event_that_waits_for_its_seal_says_so(office: Office) -> None:
    office.single.new_game()
    waiting = Event.objects.latest("id")
    client = superuser()

    assert "Waiting for sealing" in client.get(page_of("events_event", waiting.pk)).content.decode()
    listed = client.get(reverse("admin:events_event_changelist"), {"seal": "waiting"}).context["cl"].result_list
    assert waiting in listed


def test_users_keep_their_usual_pages() -> None:
    client, user = superuser(), User.objects.get()
    page = client.get(reverse("admin:auth_user_change", args=[user.pk]))

    assert page.status_code == 200
    assert 'name="_save"' in page.content.decode()
    assert f"{user.date_joined:%Y-%m-%d %H:%M:%S} UTC" in page.content.decode()


def test_what_staff_did_stays_when_they_go(office: Office) -> None:
    staff("operators.view_apikey", "operators.change_apikey").post(
        reverse("admin:operators_apikey_revoke", args=[quote(office.key)])
    )
    did = User.objects.get(username="staff")

    answer = superuser().post(reverse("admin:auth_user_delete", args=[did.pk]), {"post": "yes"})

    assert answer.status_code == 403
    assert LogEntry.objects.filter(user=did).exists()


def test_text_that_can_not_be_kept_is_refused_and_does_nothing(office: Office) -> None:
    given = {"scope": "operator", "subject": office.operator.slug, "reason": "a\0b", "player_message": ""}
    assert superuser().post(reverse("admin:baccarat_switch_throw"), given).status_code == 400
    assert not Switch.objects.exists()


def test_an_id_that_no_row_can_have_leads_back_to_the_first_page() -> None:
    client = superuser()
    for part in ("operators_apikey", "baccarat_wager", "baccarat_rulesversion", "events_event"):
        answer = client.get(page_of(part, "x").replace("/x/", "/%00/"))
        assert (answer.status_code, answer.headers["Location"]) == (302, reverse("admin:index")), part


@pytest.mark.parametrize(
    ("term", "number"), [("12", 12), ("#12", 12), ("-1", None), ("1e3", None), ("9" * 19, None), ("", None)]
)
def test_a_word_is_a_number_only_if_a_bigint_holds_it(term: str, number: int | None) -> None:
    assert as_number(term) == number


def test_a_word_is_an_id_only_if_it_is_one() -> None:
    assert as_uuid("nonsense") is None
    assert str(as_uuid("01a1fcd6-f8a1-7aa2-a4a1-eb9d826de166")) == "01a1fcd6-f8a1-7aa2-a4a1-eb9d826de166"
