"""Nobody at the desk of one operator sees another's players, money or ids: on no page, in no list, pick or file."""

import html as markup
import re
from collections import deque
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group, Permission, User
from django.test import Client
from django.urls import NoReverseMatch, reverse

from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.picker import ANYTHING
from casino.events import sealer
from casino.operators.models import StaffMembership
from casino.staff.duties import Role
from tests.support.desk import Desk, open_desk, texts_of
from tests.support.office import client_of

pytestmark = pytest.mark.django_db
MAX_VISITS = 1500
WITHOUT_MARKS = {"events_subscription", "staff_signin"}
"""Lists of rows that carry no name, amount or id of their operator."""
LINK = re.compile(r'(?:href|data-links?|action)="([^"]+)"')
NOT_FOUND = re.compile("with ID “[^”]+” doesn.t exist")
"""Django says so of what was asked for, on the next page that is opened."""
LEAVES = ("/logout/", "/password_change/", "/jsi18n/", "/authenticator/", "/login/")


@pytest.fixture
def desks() -> tuple[Desk, Desk]:
    """Return our house, and another whose staff share nothing with ours."""
    return open_both()


def open_both() -> tuple[Desk, Desk]:
    ours, theirs = open_desk("quill-house", "Quill", 42_417), open_desk("zephyr-house", "Zephyr", 71_337)
    sealer.seal_all()
    return ours, theirs


def member(desk: Desk, role: Role | None) -> Client:
    """Sign in somebody of this house alone: in a role, or with every permission there is."""
    user = User.objects.create_user(f"member-{role or 'all'}", is_staff=True)
    if role is None:
        user.user_permissions.set(Permission.objects.all())
    else:
        user.groups.add(Group.objects.get(name=role))
    StaffMembership.objects.create(user=user, operator=desk.office.operator)
    return client_of(user)


def addresses() -> Iterator[str]:
    """Yield each list, and each page without a row."""
    for pattern in admin.site.get_urls():
        if getattr(pattern, "name", None):
            yield from _address(f"admin:{pattern.name}")
    for part in admin.site._registry.values():
        for pattern in part.get_urls():
            if getattr(pattern, "name", None):
                yield from _address(f"admin:{pattern.name}")


def _address(name: str) -> Iterator[str]:
    try:
        yield reverse(name)
    except NoReverseMatch:
        return


def pages_of(desk: Desk) -> Iterator[str]:
    """Yield the pages and the histories of this house's rows."""
    for model, part in admin.site._registry.items():
        rows = model._default_manager.all()
        if isinstance(part, ReadOnlyAdmin):
            rows = rows.annotate(**part.annotations).filter(part.owned_by({desk.operator}))
        for row in rows.order_by("-pk")[:3]:
            name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
            yield reverse(f"{name}_change", args=[row.pk])
            yield reverse(f"{name}_history", args=[row.pk])


def searches(theirs: Desk) -> Iterator[tuple[str, str]]:
    """Yield addresses that ask for the other house's rows, with the term that the answer may repeat."""
    terms = (f"{theirs.word} 1", f"{theirs.word}-1", f"{theirs.word} room", str(theirs.player.pk), "Zephyr")
    for term in terms:
        for kind in ANYTHING:
            yield f"{reverse('admin:desk_pick')}?{urlencode({'kinds': kind, 'term': term})}", term
        yield f"{reverse('admin:desk_search')}?{urlencode({'player': term})}", term
        yield f"{reverse('admin:desk_search')}?{urlencode({'table': term})}", term
    yield f"{reverse('admin:desk_pick')}?{urlencode({'kinds': ','.join(ANYTHING), 'player': theirs.player.pk})}", ""
    for name in ("desk_day", "desk_figures", "index", "desk_inbox", "desk_export"):
        yield f"{reverse(f'admin:{name}')}?{urlencode({'operator': theirs.operator})}", str(theirs.operator)


def shape(address: str) -> str:
    """Return an address without the values of its query."""
    parts = urlsplit(address)
    names = sorted({name for name, _ in parse_qsl(parts.query, keep_blank_values=True)})
    return f"{re.sub('[0-9a-f-]{36}', '<id>', parts.path)}?{','.join(names)}"


class Visitor:
    """Opens pages as one member and notes what must not be there."""

    def __init__(self, client: Client, theirs: Desk) -> None:
        self.client = client
        self.theirs = theirs
        self.found: list[tuple[str, list[str]]] = []
        self.seen: set[str] = set()

    def open(self, address: str, echoed: str = "") -> str:
        """Open an address and return its text."""
        self.seen.add(address)
        answer: Any = self.client.get(address)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        text = NOT_FOUND.sub("", markup.unescape(texts_of(content)))
        assert answer.status_code < 500, address
        marks = sorted(mark for mark in self.theirs.traces(text) if mark not in echoed.lower())
        if marks:
            place = text.lower().find(marks[0])
            self.found.append((address, [*marks[:4], text[max(0, place - 120) : place + 60]]))
        return text if answer.status_code == 200 else ""

    def crawl(self, first: list[str]) -> None:
        """Open these pages and whatever they link to, one of each shape of query."""
        waiting, shapes = deque(first), set()
        while waiting and len(self.seen) < MAX_VISITS:
            address = waiting.popleft()
            if address in self.seen:
                continue
            for link in LINK.findall(self.open(address)):
                target = urljoin(address, markup.unescape(link)).partition("#")[0]
                is_left_out = not target.startswith("/admin/") or any(leave in target for leave in LEAVES)
                if not is_left_out and shape(target) not in shapes:
                    shapes.add(shape(target))
                    waiting.append(target)


def test_who_may_everything_at_one_operator_finds_nothing_of_another(desks: tuple[Desk, Desk]) -> None:
    require_no_trace(*desks, role=None)


def require_no_trace(ours: Desk, theirs: Desk, *, role: Role | None) -> None:
    """Open whatever somebody of our house may open, and ask for what is theirs."""
    visitor = Visitor(member(ours, role), theirs)
    assert theirs.ids & ours.ids == set()

    visitor.crawl([*addresses(), *pages_of(ours)])
    for address, echoed in searches(theirs):
        visitor.open(address, echoed)
    for address in pages_of(theirs):
        visitor.open(address, address)

    assert visitor.found == []


def test_each_list_names_the_operators_to_who_works_for_several(desks: tuple[Desk, Desk]) -> None:
    client = member(desks[0], None)
    StaffMembership.objects.create(user=User.objects.get(username="member-all"), operator=desks[1].office.operator)

    nameless = []
    for model, part in admin.site._registry.items():
        if any(field.attname == "operator_id" for field in model._meta.fields):
            text = client.get(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist"))
            rows = text.content.decode().partition('id="result_list"')[2]
            if rows and not ("quill-house" in rows and "zephyr-house" in rows):
                nameless.append(part.opts.label)
    assert nameless == []


def test_the_marks_are_on_the_pages_of_those_who_may_see_them(desks: tuple[Desk, Desk]) -> None:
    ours, _ = desks
    visitor = Visitor(member(ours, None), ours)

    visitor.crawl([*addresses(), *pages_of(ours)])

    marked = {urlsplit(address).path for address, _ in visitor.found}
    lists = {part: f"{model._meta.app_label}_{model._meta.model_name}" for model, part in admin.site._registry.items()}
    owned = {
        name for part, name in lists.items() if isinstance(part, ReadOnlyAdmin) and part.operator_field is not None
    }
    unmarked = {name for name in owned if reverse(f"admin:{name}_changelist") not in marked}
    assert unmarked <= WITHOUT_MARKS
    assert len(marked) > 100
