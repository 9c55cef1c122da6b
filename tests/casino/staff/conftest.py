"""An operator, its own identity provider, and one of its staff."""

from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User

from casino.operators.models import Operator
from casino.staff.duties import Role
from casino.staff.models import IdentityProvider
from tests.casino.staff.test_access_changes import create_operator, member
from tests.support.oidc_provider import Provider, register, running_provider


@pytest.fixture
def lucky() -> Operator:
    return create_operator("lucky")


@pytest.fixture
def provider() -> Iterator[Provider]:
    with running_provider() as running:
        running.claims = {"sub": "ann-at-lucky", "email": "Ann@example.com", "email_verified": True}
        yield running


@pytest.fixture
def ann(lucky: Operator) -> User:
    return member("ann", Role.CASHIER, operator=lucky, email="ann@example.com")


@pytest.fixture
def registered(lucky: Operator, provider: Provider) -> IdentityProvider:
    return register(lucky, provider)
