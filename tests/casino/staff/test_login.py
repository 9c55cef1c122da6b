"""Getting in: a second factor where it is asked for, a lock after three failures, the time before, an end of idling."""

import re
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.test import AsyncClient, Client
from django.urls import reverse
from django_otp.oath import totp

from casino.events.sql import execute, fetch
from casino.significant.models import SignificantEvent
from casino.staff import authenticators
from casino.staff.models import Authenticator, RecoveryCode, SignIn

pytestmark = pytest.mark.django_db

PASSWORD = "a-long-password"
LOGIN, HOME, ENROL = "/admin/login/", "/admin/", "/admin/authenticator/"


@pytest.fixture
def user() -> User:
    return User.objects.create_user("ann", password=PASSWORD, is_staff=True)


@pytest.fixture
def strict(settings: Any) -> None:
    """As in production."""
    settings.STAFF_TOTP_REQUIRED = True


def log_in(client: Client, code: str = "", *, name: str = "ann", password: str = PASSWORD, **more: Any) -> Any:
    following = {"next": more.pop("next")} if "next" in more else {}
    return client.post(LOGIN, {"username": name, "password": password, "code": code, **following}, **more)


def code_of(user: User, *, steps: int = 0) -> str:
    """What the user's authenticator shows now, or so many steps of 30 s later."""
    secret = authenticators._secret(Authenticator.objects.get(user=user))
    return f"{totp(secret, drift=steps):06}"


def enrolled(user: User) -> list[str]:
    """Sets an authenticator up, and returns the recovery codes."""
    authenticators.begin(user)
    return authenticators.confirm(user, code_of(user, steps=-1))[1]


def test_where_no_second_factor_is_asked_for_name_and_password_let_in(user: User) -> None:
    client = Client()
    assert log_in(client).status_code == 302
    assert client.get(HOME).status_code == 200


def test_who_comes_by_the_login_itself_is_led_to_the_first_page_and_else_to_where_it_was_going(user: User) -> None:
    for address, leads_to in ((LOGIN, HOME), (f"{LOGIN}?next=/admin/baccarat/round/", "/admin/baccarat/round/")):
        client = Client()
        form = client.get(address).content.decode()
        (following,) = re.findall(r'name="next" value="([^"]*)"', form)
        assert log_in(client, next=following).headers["Location"] == leads_to


def test_nobody_gets_beyond_setting_up_an_authenticator_before_it_is_confirmed(user: User, strict: None) -> None:
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


def test_a_login_needs_the_code_and_each_code_counts_once(user: User, strict: None) -> None:
    enrolled(user)
    code = code_of(user)
    assert log_in(Client()).status_code == 200
    assert log_in(Client(), code).status_code == 302
    assert log_in(Client(), code).status_code == 200
    client = Client()
    log_in(client, code_of(user, steps=1))
    assert client.get(HOME).status_code == 200


def test_who_has_an_authenticator_is_asked_for_its_code_everywhere(user: User) -> None:
    enrolled(user)
    assert log_in(Client()).status_code == 200


def test_a_recovery_code_lets_in_once(user: User, strict: None) -> None:
    first, *_ = enrolled(user)
    assert log_in(Client(), first.upper()).status_code == 302
    assert log_in(Client(), first).status_code == 200
    assert authenticators.codes_left(user) == authenticators.RECOVERY_CODES - 1


def test_a_session_ends_with_its_authenticator(user: User, strict: None) -> None:
    enrolled(user)
    client = Client()
    log_in(client, code_of(user))
    authenticators.forget(user)
    assert client.get(HOME, follow=True).redirect_chain[-1][0] == ENROL


def test_a_session_of_another_persons_authenticator_is_none(user: User, strict: None) -> None:
    enrolled(user)
    other = User.objects.create_user("bob", password=PASSWORD, is_staff=True)
    client = Client()
    client.force_login(other)
    session = client.session
    session["otp_device_id"] = Authenticator.objects.get(user=user).persistent_id
    session.save()
    assert client.get(HOME).status_code == 302


def test_neither_secret_nor_recovery_code_stands_in_the_database(user: User) -> None:
    codes = enrolled(user)
    row = Authenticator.objects.get(user=user)
    assert authenticators._secret(row) not in bytes(row.encrypted_secret)
    digests = [bytes(digest) for digest in RecoveryCode.objects.values_list("digest", flat=True)]
    assert not any(code.encode() in digest for code in codes for digest in digests)


def test_a_secret_moved_to_another_user_opens_nothing(user: User) -> None:
    enrolled(user)
    other = User.objects.create_user("bob")
    code = code_of(user)
    Authenticator.objects.update(user=other)
    assert authenticators.verify(other, code) is None


def test_three_failures_lock_a_name_from_anywhere_and_are_significant(user: User) -> None:
    for number in range(3):
        answer = log_in(Client(), password="wrong", REMOTE_ADDR=f"10.0.0.{number}")
    assert answer.status_code == 429
    assert "Locked after three failures" in answer.content.decode()
    assert log_in(Client()).status_code == 429
    events = list(SignificantEvent.objects.order_by("number").values_list("kind", "subject", "address"))
    staff = f"staff:{user.pk}"
    assert events == [
        ("access_failed", staff, "10.0.0.0"),
        ("access_failed", staff, "10.0.0.1"),
        ("access_failed", staff, "10.0.0.2"),
        ("access_locked", staff, "10.0.0.2"),
        ("access_failed", staff, "127.0.0.1"),
    ]


def test_who_is_locked_out_is_told_so_under_asgi_as_well(user: User) -> None:
    for _ in range(3):
        log_in(Client(), password="wrong")
    form = {"username": "ann", "password": PASSWORD}
    answer = async_to_sync(AsyncClient().post)(LOGIN, form)
    assert answer.status_code == 429
    assert "Locked after three failures" in answer.content.decode()


def test_a_wrong_code_counts_as_a_failure(user: User, strict: None) -> None:
    enrolled(user)
    for _ in range(3):
        answer = log_in(Client(), "000000")
    assert answer.status_code == 429
    assert log_in(Client(), code_of(user)).status_code == 429


def test_a_name_that_nobody_has_is_not_written_down(user: User) -> None:
    log_in(Client(), name="my-own-password")
    event = SignificantEvent.objects.get()
    assert (event.subject, event.actor) == ("login:unknown", "login:unknown")
    assert "my-own-password" not in str(SignificantEvent.objects.values())


def test_a_right_login_forgets_the_failures_before(user: User) -> None:
    for _ in range(2):
        log_in(Client(), password="wrong")
    assert log_in(Client()).status_code == 302
    for _ in range(2):
        assert log_in(Client(), password="wrong").status_code == 200


def test_the_login_before_is_shown(user: User) -> None:
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
    assert "sessionid" not in client.get(HOME).cookies, "a use that was noted lately is not noted again"
    lasted = "UPDATE django_session SET expire_date = clock_timestamp() + interval '{}'"
    execute(lasted.format("869 s"))
    assert client.get(HOME).cookies["sessionid"]["max-age"] == 900
    ((left,),) = fetch("SELECT expire_date - clock_timestamp() FROM django_session")
    assert 890 < left.total_seconds() <= 900
    execute(lasted.format("-1 s"))
    assert client.get(HOME).status_code == 302


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_saw(user: User, settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    log_in(Client(), HTTP_X_FORWARDED_FOR="6.6.6.6, 203.0.113.9")
    assert SignIn.objects.get().address == "203.0.113.9"


def test_only_staff_sees_the_page_of_the_authenticator() -> None:
    assert Client().get(ENROL).status_code == 302
    User.objects.create_user("guest", password=PASSWORD)
    client = Client()
    client.force_login(User.objects.get(username="guest"))
    assert client.get(ENROL).headers["Location"] == reverse("admin:login")
