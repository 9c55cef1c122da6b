"""People at the desk read who did something by name, on every page."""

import re
from html import unescape

import pytest
from django.contrib.auth.models import User

from tests.support.desk import open_desk
from tests.system.casino.backoffice.test_isolation import addresses, member, pages_of

pytestmark = pytest.mark.django_db
NOT_FOR_PEOPLE = re.compile("<(code|pre|script|option|svg)[ >].*?</\\1>|<[^>]*>", re.DOTALL)
"""Raw data, choices' values, and what is in tags."""


def test_no_page_names_a_member_of_staff_by_a_number() -> None:
    desk = open_desk("quill-house", "Quill", 42_417)
    client = member(desk, None)
    others = [User(pk=number, username=f"nr-{number}") for number in (0, 1, 2, 3, 4, 1000)]
    User.objects.bulk_create(others, ignore_conflicts=True)
    numbered = {}
    for address in {*addresses(), *pages_of(desk)}:
        answer = client.get(address)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            text = unescape(NOT_FOR_PEOPLE.sub(" ", answer.content.decode()))
            found = re.search(r".{0,40}\bstaff:\d+.{0,20}", text)
            if found:
                numbered[address] = found[0]
    assert numbered == {}
