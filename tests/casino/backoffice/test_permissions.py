"""Every address of the admin with every role, and as staff of another operator, against the table in admin_urls."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import quote
from django.contrib.auth.models import Group, User
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.sessions.backends.cache import SessionStore
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest
from django.template.response import TemplateResponse
from django.test import RequestFactory
from django.urls import resolve, reverse

import casino.urls
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.sections import Banner, FormSection
from casino.operators.models import StaffMembership
from casino.staff.models import AccessLogEntry, SignIn
from tests.casino.backoffice.admin_urls import ACTIONS, FOR_ALL_STAFF, GET_ADDRESSES, LETTERS, VIEWS, WITHOUT_ROW
from tests.support.office import Office, client_of, open_office

pytestmark = pytest.mark.django_db

PAGES_OF_NO_MODEL = {
    "desk_day": "operators_operator",
    "desk_duties": "operators_operator",
    "desk_duties_file": "operators_operator",
    "desk_export": "operators_operator",
    "desk_export_file": "operators_operator",
    "desk_figures": "risk_riskalert",
    "desk_search": "baccarat_round",
    "desk_system": "events_event",
    "desk_inbox": "operators_operator",
}
"""With a model of which whoever may use the page sees a row."""
PAGES = ("changelist", "add", "history", "delete", "change")
REFUSED, ANSWERED, NOT_SO, GONE = "refused", "answered", "another method", "not there"


@pytest.fixture
def lucky() -> Office:
    return open_office("lucky")


def staff(letter: str, house: Any) -> User:
    user = User.objects.create_user(f"{letter}-{house.slug}", is_staff=True)
    user.groups.add(Group.objects.get(name=LETTERS[letter]))
    StaffMembership.objects.create(user=user, operator=house)
    SignIn.objects.create(user_id=user.pk, second_factor=False)
    AccessLogEntry.objects.create(user_id=user.pk, subject="s", path="/", operator_id=house.pk)
    return user


def named() -> Iterator[str]:
    """Return the names of all addresses of the admin."""
    for part in admin.site._registry.values():
        yield from (str(pattern.name) for pattern in part.get_urls() if getattr(pattern, "name", None))
    yield from (str(pattern.name) for pattern in admin.site.get_urls() if getattr(pattern, "name", None))


def parts() -> Iterator[tuple[str, Any]]:
    for model, part in admin.site._registry.items():
        yield f"{model._meta.app_label}_{model._meta.model_name}", part


def ask(
    user: User, name: str, row: object | None, method: str, data: Any = None, *, keep: bool = False
) -> tuple[str, Any]:
    """Request an address, roll back unless told to `keep`, and return the status and the unrendered response."""
    path = reverse(f"admin:{name}", args=[] if row is None else [quote(row)])
    request: Any = getattr(RequestFactory(), method)(path, data)
    request.user, request.session, request._dont_enforce_csrf_checks = user, SessionStore(), True
    request._messages = CookieStorage(request)
    found = resolve(path)
    try:
        with transaction.atomic():
            answer = found.func(request, *found.args, **found.kwargs)
            transaction.set_rollback(not keep)
    except PermissionDenied:
        return REFUSED, None
    except Http404:
        return GONE, None
    answer.wsgi_request = request  # as Django's client does
    if answer.status_code == 405:
        return NOT_SO, answer
    gone = answer.status_code == 404 or (method == "get" and answer.status_code == 302)
    return (GONE if gone else ANSWERED), answer


def row_of(part: Any, request: HttpRequest) -> object | None:
    """Return a row that this user may see."""
    rows = part.get_queryset(request)
    if part.opts.model_name == "account":  # of a player's own account, as others take no action
        rows = rows.filter(kind="account", money_type="real")
    row = rows.order_by("-pk").first()
    return None if row is None else row.pk


def nobodys(part: Any) -> object:
    """Return the key of a missing row."""
    kind = part.opts.pk.get_internal_type()
    return uuid4() if kind == "UUIDField" else 10**9 if "Integer" in kind or "AutoField" in kind else "nobodys"


def looking(user: User) -> HttpRequest:
    request = RequestFactory().get("/")
    request.user = user
    return request


def method_of(name: str) -> str:
    return "get" if name in GET_ADDRESSES else "post"


def buttons(sections: Any) -> Iterator[str]:
    """Return the addresses of a page's buttons and forms."""
    for section in sections:
        if isinstance(section, FormSection):
            yield section.url
        if isinstance(section, Banner) and section.button is not None:
            yield section.button.url


def test_every_address_has_a_line_in_the_table() -> None:
    expected = {f"{model}_{page}" for model in VIEWS for page in PAGES} | set(ACTIONS) | FOR_ALL_STAFF
    assert set(named()) - expected == set()
    assert expected - set(named()) == set()
    assert casino.urls.urlpatterns


def test_each_role_sees_exactly_what_the_table_allows(lucky: Office) -> None:
    wrong = {letter: wrongly_shown(staff(letter, lucky.operator), letter) for letter in LETTERS}
    assert wrong == {letter: [] for letter in LETTERS}


def wrongly_shown(user: User, letter: str) -> list[tuple[str, ...]]:
    wrong: list[tuple[str, ...]] = []
    seen = 0
    for model, part in parts():
        row = row_of(part, looking(user))
        sees = letter in VIEWS[model]
        wanted = ANSWERED if sees else REFUSED
        asked = {"changelist": (None, wanted)} | ({"change": (row, wanted), "history": (row, wanted)} if row else {})
        for page, (key, expected) in asked.items():
            found, answer = ask(user, f"{model}_{page}", key, "get")
            seen += found == ANSWERED
            if found != expected:
                wrong.append((model, page, found))
            if page == "change" and isinstance(answer, TemplateResponse) and isinstance(part, ReadOnlyAdmin):
                urls = buttons(answer.context_data["sections"])
                offered = {str(resolve(url).url_name) for url in urls if url.startswith("/")}
                wrong += [(model, "offers", name) for name in offered if letter not in ACTIONS[name]]
        if isinstance(part, ReadOnlyAdmin):
            for page, key in (("add", None), ("delete", row or nobodys(part))):
                found, _ = ask(user, f"{model}_{page}", key, "post")
                if found not in {REFUSED, GONE}:
                    wrong.append((model, page, found))
    return wrong if seen > 2 else [("nothing was seen",)]


def test_each_role_does_exactly_what_the_table_allows(lucky: Office) -> None:
    lucky.suspended()
    wrong = {letter: wrongly_done(staff(letter, lucky.operator), letter) for letter in LETTERS}
    assert wrong == {letter: [] for letter in LETTERS}


def wrongly_done(user: User, letter: str) -> list[tuple[str, str]]:
    models, wrong = dict(parts()), []
    for name, letters in ACTIONS.items():
        model = PAGES_OF_NO_MODEL.get(name) or "_".join(name.split("_")[:2])
        lists = name in WITHOUT_ROW
        row = None if lists else row_of(models[model], looking(user))
        if row is None and not lists:
            row = nobodys(models[model])
        found, _ = ask(user, name, row, method_of(name))
        if letter not in letters and found not in {REFUSED, GONE}:
            wrong.append((name, found))
        open_to = letter in letters and model != "operators_change"  # each is decided by who has its own act
        if open_to and found not in {ANSWERED, GONE} and row_of(models[model], looking(user)) is not None:
            wrong.append((name, found))
        if method_of(name) == "post" and ask(user, name, row, "get")[0] != NOT_SO:
            wrong.append((name, "looks"))
    return wrong


def test_staff_of_another_operator_can_use_no_address(lucky: Office) -> None:
    rival = open_office("rival")
    theirs = {lucky.operator.id}
    wrong, tried = [], 0
    for letter in sorted(LETTERS):
        stranger = staff(letter, rival.operator)
        for model, part in parts():
            if not isinstance(part, ReadOnlyAdmin) or model in {
                "admin_logentry",
                "staff_rolegroup",
                "events_chainhead",
            }:
                continue
            row = part.model._default_manager.filter(part.owned_by(theirs)).order_by("-pk").first()
            if row is None:
                continue
            names = [name for name in ACTIONS if name.startswith(f"{model}_") and name not in WITHOUT_ROW]
            for name, method in [(f"{model}_change", "get"), *((name, method_of(name)) for name in names)]:
                tried += 1
                found, _ = ask(stranger, name, row.pk, method)
                if found not in {REFUSED, GONE}:
                    wrong.append((letter, name, found))
    assert wrong == []
    assert tried > 100


def test_a_page_links_only_to_pages_that_the_reader_may_see(lucky: Office) -> None:
    for letter in ("k", "u", "s"):
        client = client_of(staff(letter, lucky.operator))
        pages = [reverse("admin:operators_operator_change", args=[lucky.operator.pk]), reverse("admin:index")]
        if letter in VIEWS["operators_player"]:
            pages.append(reverse("admin:operators_player_change", args=[lucky.player.pk]))
        for page in pages:
            text = client.get(page).content.decode()
            for model, letters in VIEWS.items():
                app, name = model.split("_")
                if letter not in letters:
                    assert f'href="/admin/{app}/{name}/' not in text, (letter, page, model)


def test_only_staff_can_use_the_admin(lucky: Office) -> None:
    guest = User.objects.create_user("guest")
    guest.groups.add(*Group.objects.all())
    client = client_of(guest)
    for model in VIEWS:
        assert client.get(reverse(f"admin:{model}_changelist")).status_code == 302
    assert LogEntry.objects.count() == 0
    assert isinstance(lucky.operator.id, UUID)
