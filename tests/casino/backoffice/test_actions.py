"""Secrets that the admin makes are in the answer to the request that made them, and in no cookie, log or redirect."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.admin.utils import quote
from django.contrib.auth.models import User
from django.contrib.messages import get_messages
from django.test import Client
from django.urls import reverse

from casino.operators import changes, services
from casino.operators.models import Operator
from casino.staff import access_changes
from casino.staff.duties import Role
from tests.casino.staff.test_access_changes import member
from tests.support.keys import issue_key
from tests.support.office import client_of, page_of

pytestmark = pytest.mark.django_db
_SECRET = re.compile(r'c-code">(?:Authorization: Bearer op_\w+\.)?([\w-]{19,})</code>')
KEY = {"label": "cashier system", "scopes": ["read"], "networks": "", "days": ""}


@pytest.fixture
def lucky() -> Operator:
    return services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True)


@pytest.fixture
def administrator(lucky: Operator) -> Client:
    return client_of(member("admin", Role.ADMINISTRATOR, operator=lucky))


def an_issued_key(lucky: Operator, client: Client) -> tuple[Any, str]:
    url = reverse("admin:operators_operator_issue_key", args=[lucky.pk])
    return client.post(url, KEY), page_of("operators_operator", lucky.pk)


def a_rotated_key(lucky: Operator, client: Client) -> tuple[Any, str]:
    key, _ = issue_key(operator=lucky.id)
    return client.post(reverse("admin:operators_apikey_rotate", args=[quote(key)])), page_of("operators_apikey", key)


def a_half_of_a_code(lucky: Operator, client: Client) -> tuple[Any, str]:
    ann, other = member("ann", operator=lucky), member("other", Role.ADMINISTRATOR, operator=lucky)
    admin = User.objects.get(username="admin")
    change = access_changes.request_password(ann, by=admin, reason="Forgotten")
    changes.confirm(change.pk, by=f"staff:{other.pk}")
    return client.post(reverse("admin:operators_change_half", args=[change.pk])), page_of("operators_change", change.pk)


@pytest.mark.parametrize("make", [an_issued_key, a_rotated_key, a_half_of_a_code])
def test_a_secret_is_in_the_answer_that_made_it_and_nowhere_else(
    make: Callable[[Operator, Client], tuple[Any, str]], lucky: Operator, administrator: Client
) -> None:
    answer, page = make(lucky, administrator)

    found = _SECRET.search(unescape(answer.content.decode()))
    assert found is not None
    secret = found[1]
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    assert "messages" not in answer.cookies
    assert not any(secret in str(message) for message in get_messages(answer.wsgi_request))
    assert secret not in administrator.get(page).content.decode()
    assert not LogEntry.objects.filter(change_message__contains=secret).exists()
    assert LogEntry.objects.exists()
