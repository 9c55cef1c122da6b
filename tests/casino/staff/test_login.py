"""Logins of staff: second factors, lockout after three failures, the previous login, and the end of idle sessions."""

import re
import time
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django_otp.oath import totp

from casino.events.sql import execute, fetch
from casino.significant.models import SignificantEvent
from casino.staff import authenticators
from casino.staff.lockout import BROWSER_SECONDS
from casino.staff.login import STARTED, stored_key
from casino.staff.models import Authenticator, RecoveryCode, SignIn

pytestmark = pytest.mark.django_db

PASSWORD = "a-long-password"
LOGIN, HOME, ENROL = "/admin/login/", "/admin/", "/admin/authenticator/"


@pytest.fixture
def user() -> User:
    return User.objects.create_user("ann", password=PASSWORD, is_staff=True)


@pytest.fixture
def strict(settings: Any) -> None:
    """Require second factors, as in production."""
    settings.STAFF_TOTP_REQUIRED = True


def log_in(client: Client, code: str = "", *, name: str = "ann", password: str = PASSWORD, **more: Any) -> Any:
    following = {"next": more.pop("next")} if "next" in more else {}
    return client.post(LOGIN, {"username": name, "password": password, "code": code, **following}, **more)


def code_of(user: User, *, steps: int = 0) -> str:
    """Return the user's code now, or a number of steps of 30 s later."""
    secret = Authenticator.objects.get(user=user).opened()
    return f"{totp(secret, drift=steps):06}"


def enrol(user: User) -> list[str]:
    """Set up an authenticator, and return the recovery codes."""
    authenticators.begin(user)
    return authenticators.confirm(user, code_of(user, steps=-1))[1]


def test_name_and_password_suffice_if_no_second_factor_is_required(user: User) -> None:
    client = Client()
    assert log_in(client).status_code == 302
    assert client.get(HOME).status_code == 200


def test_a_login_redirects_to_the_requested_page_or_the_first_one(user: User) -> None:
    for address, target in ((LOGIN, HOME), (f"{LOGIN}?next=/admin/baccarat/round/", "/admin/baccarat/round/")):
        client = Client()
        form = client.get(address).content.decode()
        (following,) = re.findall(r'name="next" value="([^"]*)"', form)
        assert log_in(client, next=following).headers["Location"] == target


def test_only_the_enrolment_page_is_accessible_until_an_authenticator_is_confirmed(user: User, strict: None) -> None:
    client = Client()
    log_in(client)
    assert client.get(HOME, follow=True).redirect_chain[-1][0] == ENROL
    page = client.get(ENROL).content.decode()
    assert "<svg" in page
    assert "otpauth://totp/Casino%3Aann?secret=" in page

    assert client.post(ENROL, {"code": "000000"}).status_code == 200
    assert client.get(HOME).status_code == 302
    codes = re.findall(r"<li>([a-z2-7-]{19})</li>", client.post(ENROL, {"code": code_of(user)}).content.decode())

    assert len(codes) == authenticators.RECOVERY_CODES
    assert client.get(HOME).status_code == 200
    assert not set(codes) & set(re.findall(r"[a-z2-7-]{19}", client.get(ENROL).content.decode()))


def test_a_login_needs_a_code_and_each_code_is_valid_once(user: User, strict: None) -> None:
    enrol(user)
    code = code_of(user)
    assert log_in(Client()).status_code == 200
    assert log_in(Client(), code).status_code == 302
    assert log_in(Client(), code).status_code == 200
    client = Client()
    log_in(client, code_of(user, steps=1))
    assert client.get(HOME).status_code == 200


def test_a_user_with_an_authenticator_always_needs_its_code(user: User) -> None:
    enrol(user)
    assert log_in(Client()).status_code == 200


def test_a_recovery_code_is_valid_once(user: User, strict: None) -> None:
    first, *_ = enrol(user)
    assert log_in(Client(), first.upper()).status_code == 302
    assert log_in(Client(), first).status_code == 200
    assert authenticators.codes_left(user) == authenticators.RECOVERY_CODES - 1


def test_a_session_ends_with_its_authenticator(user: User, strict: None) -> None:
    enrol(user)
    client = Client()
    log_in(client, code_of(user))
    authenticators.forget(user)
    assert client.get(HOME, follow=True).redirect_chain[-1][0] == ENROL


def test_a_session_with_another_users_authenticator_has_no_second_factor(user: User, strict: None) -> None:
    enrol(user)
    other = User.objects.create_user("bob", password=PASSWORD, is_staff=True)
    client = Client()
    client.force_login(other)
    session = client.session
    session["otp_device_id"] = Authenticator.objects.get(user=user).persistent_id
    session.save()
    assert client.get(HOME).status_code == 302


def test_the_database_has_neither_secrets_nor_recovery_codes(user: User) -> None:
    codes = enrol(user)
    row = Authenticator.objects.get(user=user)
    assert row.opened() not in bytes(row.wrapped)
    digests = [bytes(digest) for digest in RecoveryCode.objects.values_list("digest", flat=True)]
    assert not any(code.encode() in digest for code in codes for digest in digests)


def test_a_secret_moved_to_another_user_is_invalid(user: User) -> None:
    enrol(user)
    other = User.objects.create_user("bob")
    code = code_of(user)
    Authenticator.objects.update(user=other)
    assert authenticators.verify(other, code) is None


def fail(times: int, client: Client | None = None, **options: Any) -> Any:
    for _ in range(times):
        response = log_in(client or Client(), password="wrong", **options)
    return response


def test_three_failures_lock_a_login_for_their_address_and_are_recorded_once_an_hour(user: User) -> None:
    response = fail(3, REMOTE_ADDR="10.0.0.1")
    assert response.status_code == 429
    assert "Locked after three failures" in response.content.decode()
    assert log_in(Client(), REMOTE_ADDR="10.0.0.1").status_code == 429
    fail(3, REMOTE_ADDR="10.0.0.2")
    fail(3, REMOTE_ADDR="2001:db8::1")
    assert log_in(Client(), REMOTE_ADDR="2001:db8::ffff").status_code == 429, "the same network"
    assert log_in(Client(), REMOTE_ADDR="10.0.0.3").status_code == 302
    staff = f"staff:{user.pk}"
    events = SignificantEvent.objects.order_by("number").values_list("kind", "subject", "address")
    assert list(events) == [("access_failed", staff, "10.0.0.1"), ("access_locked", staff, "10.0.0.1")]


def test_a_stranger_does_not_lock_out_a_browser_in_which_the_user_has_logged_in(user: User) -> None:
    known, other = Client(), User.objects.create_user("bob", password=PASSWORD, is_staff=True)
    log_in(known)
    cookie = known.cookies[django_settings.KNOWN_BROWSER_COOKIE_NAME]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (True, "Lax", BROWSER_SECONDS)
    assert (cookie["path"], cookie["domain"]) == ("/", ""), "as a name with __Host- needs"
    assert fail(3).status_code == 429
    forged = Client()
    forged.cookies[django_settings.KNOWN_BROWSER_COOKIE_NAME] = cookie.value.replace(f"{user.pk}.", f"{other.pk}.", 1)
    assert (log_in(Client()).status_code, log_in(forged).status_code) == (429, 429)
    assert log_in(known).status_code == 302
    assert fail(3, known).status_code == 429, "its own failures lock it"
    assert log_in(known, name="bob").status_code == 302, "it is known for one user only"


def test_each_further_failure_doubles_the_lock(user: User) -> None:
    ago = "UPDATE axes_accessattempt SET attempt_time = clock_timestamp() - %s::interval"
    fail(3)
    for minutes in (30, 60, 120, 240, 480, 960):
        execute(ago, [f"{minutes - 1} minutes"])
        assert log_in(Client()).status_code == 429
        execute(ago, [f"{minutes + 1} minutes"])
        assert fail(1).status_code == 429, "the password was checked, and wrong again"
    execute(ago, ["23 hours"])
    assert log_in(Client()).status_code == 429
    execute(ago, ["25 hours"])
    assert log_in(Client()).status_code == 302


def test_thirty_failures_lock_an_address_and_leave_thirty_rows_and_one_event(user: User) -> None:
    for number in range(40):
        fail(1, name=f"invented-{number}", HTTP_USER_AGENT=f"agent {number}", REMOTE_ADDR="10.0.0.1")
    assert log_in(Client(), REMOTE_ADDR="10.0.0.1").status_code == 429
    assert log_in(Client(), REMOTE_ADDR="10.0.0.2").status_code == 302
    rows = fetch("SELECT username, user_agent, post_data FROM axes_accessattempt")
    assert len(rows) == 30
    assert not [row for row in rows if "invented" in str(row) or "agent" in str(row)]
    assert SignificantEvent.objects.filter(kind="access_failed").count() == 1


def test_a_locked_out_user_sees_the_reason(user: User) -> None:
    for _ in range(3):
        log_in(Client(), password="wrong")
    form = {"username": "ann", "password": PASSWORD}
    response = Client().post(LOGIN, form)
    assert response.status_code == 429
    assert "Locked after three failures" in response.content.decode()


def test_a_wrong_code_counts_as_a_failure(user: User, strict: None) -> None:
    enrol(user)
    for _ in range(3):
        response = log_in(Client(), "000000")
    assert response.status_code == 429
    assert log_in(Client(), code_of(user)).status_code == 429


def test_an_unknown_login_is_not_recorded(user: User) -> None:
    log_in(Client(), name="my-own-password")
    event = SignificantEvent.objects.get()
    assert (event.subject, event.actor) == ("login:unknown", "login:unknown")
    assert "my-own-password" not in str(SignificantEvent.objects.values())


def test_a_successful_login_resets_the_failures(user: User) -> None:
    for _ in range(2):
        log_in(Client(), password="wrong")
    assert log_in(Client()).status_code == 302
    for _ in range(2):
        assert log_in(Client(), password="wrong").status_code == 200


def test_the_previous_login_is_shown(user: User) -> None:
    first, second = Client(), Client()
    log_in(first, REMOTE_ADDR="10.0.0.7")
    assert "This is your first login." in first.get(HOME).content.decode()
    log_in(second)
    assert "from 10.0.0.7." in second.get(HOME).content.decode()
    assert list(SignIn.objects.order_by("id").values_list("address", "second_factor")) == [
        ("10.0.0.7", False), ("127.0.0.1", False),
    ]  # fmt: skip


def test_a_session_ends_after_a_quarter_of_an_hour_without_a_request(user: User) -> None:
    client = Client()
    log_in(client)
    assert client.cookies["sessionid"]["max-age"] == django_settings.STAFF_IDLE_SECONDS == 900
    assert "sessionid" not in client.get(HOME).cookies, "a recent save is not repeated"
    set_expiry = "UPDATE django_session SET expire_date = clock_timestamp() + interval '{}'"
    execute(set_expiry.format("869 s"))
    assert client.get(HOME).cookies["sessionid"]["max-age"] == 900
    ((left,),) = fetch("SELECT expire_date - clock_timestamp() FROM django_session")
    assert 890 < left.total_seconds() <= 900
    execute(set_expiry.format("-1 s"))
    assert client.get(HOME).status_code == 302


def test_neither_a_sessions_row_nor_a_copy_of_it_logs_anybody_in(user: User) -> None:
    client = Client()
    log_in(client)
    (row,) = Session.objects.all()
    assert client.cookies["sessionid"].value not in (row.session_key, row.session_data)
    Session.objects.create(session_key=stored_key("mine"), session_data=row.session_data, expire_date=row.expire_date)
    for key in (row.session_key, "mine"):
        stranger = Client()
        stranger.cookies["sessionid"] = key
        assert stranger.get(HOME).status_code == 302
    assert client.get(HOME).status_code == 200
    client.logout()
    assert [each.session_key for each in Session.objects.all()] == [stored_key("mine")]


def test_a_session_ends_twelve_hours_after_the_login_however_it_is_used(user: User, settings: Any) -> None:
    client = Client()
    log_in(client)
    assert settings.STAFF_SESSION_SECONDS == 12 * 3600
    for hours, status in ((11, 200), (13, 302)):
        session = client.session
        session[STARTED] = time.time() - hours * 3600
        session.save()
        assert client.get(HOME).status_code == status
    log_in(client)
    assert client.get(HOME).status_code == 200


def test_a_refused_next_page_leads_to_the_first_one(user: User) -> None:
    assert log_in(Client(), next="https://evil.example/").headers["Location"] == HOME


def test_behind_a_proxy_the_address_is_the_one_added_by_the_proxy(user: User, settings: Any) -> None:
    settings.PROXY_HOPS = 1
    log_in(Client(), HTTP_X_FORWARDED_FOR="6.6.6.6, 203.0.113.9")
    assert SignIn.objects.get().address == "203.0.113.9"


def test_a_session_outlives_a_change_of_the_secret_key_while_the_old_one_is_a_fallback(
    user: User, settings: Any
) -> None:
    client, old = Client(), settings.SECRET_KEY
    log_in(client)
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 50, [old]
    assert client.get(HOME).status_code == 200
    idle = Client()
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = old, []
    log_in(idle)
    settings.SECRET_KEY = "n" * 50
    assert idle.get(HOME).status_code == 302


def test_only_staff_see_the_enrolment_page() -> None:
    assert Client().get(ENROL).status_code == 302
    User.objects.create_user("guest", password=PASSWORD)
    client = Client()
    client.force_login(User.objects.get(username="guest"))
    assert client.get(ENROL).headers["Location"] == reverse("admin:login")
