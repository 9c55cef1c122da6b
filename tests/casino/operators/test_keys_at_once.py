"""Limits and secrets of API keys when many requests come at once, each on a connection of its own."""

from datetime import timedelta

import pytest

from casino.operators import key_limits, key_rotation, services
from casino.operators.key_limits import KeyLimits, Movement
from casino.operators.key_models import KeyLimit
from casino.operators.refusals import KeyLimitReached, RotationUnderWay
from tests.support.keys import issue_key
from tests.threads import in_threads

pytestmark = pytest.mark.usefixtures("database")


def test_fifty_at_once_move_no_more_than_the_limit() -> None:
    operator = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True)
    key, _ = issue_key(operator=operator.id)
    limits = KeyLimits(per_day=95)
    key_limits.change(key=key, movement=Movement.WITHDRAWAL, currency="EUR", limits=limits, by="command")

    results = in_threads(50, lambda _: key_limits.count(key, Movement.WITHDRAWAL, 10, "EUR"))

    assert results.count(None) == 9
    assert sum(isinstance(each, KeyLimitReached) for each in results) == 41
    assert KeyLimit.objects.get().moved == 90


def test_of_rotations_at_once_one_happens() -> None:
    operator = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True)
    key_id, _ = issue_key(operator=operator.id)

    results = in_threads(8, lambda _: key_rotation.rotate(key_id=key_id, by="command", overlap=timedelta(hours=1)))

    assert sum(isinstance(each, str) for each in results) == 1
    assert sum(isinstance(each, RotationUnderWay) for each in results) == 7
