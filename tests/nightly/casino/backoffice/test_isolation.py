"""Nobody of any role at one operator sees another's players, money or ids."""

import pytest

from casino.staff.duties import Role
from tests.system.casino.backoffice.test_isolation import open_both, require_no_trace

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("role", list(Role))
def test_each_role_at_one_operator_finds_nothing_of_another(role: Role) -> None:
    require_no_trace(*open_both(), role=role)
