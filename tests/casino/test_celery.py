"""The Celery application: how it looks for a broker that is away."""

import pytest
from django.conf import settings
from kombu.exceptions import OperationalError

from casino.celery import app

NOBODY = "redis://127.0.0.1:1/0"


def test_a_lost_broker_is_looked_for_every_two_seconds_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("kombu.utils.functional.sleep", lambda _: None)
    with app.connection_for_read(NOBODY) as connection, pytest.raises(OperationalError):
        connection.ensure_connection(lambda _, pause: pauses.append(pause), 20)
    assert len(pauses) == 20
    assert 0 < max(pauses) <= 2


def test_a_worker_never_gives_up_on_its_broker() -> None:
    assert settings.CELERY_BROKER_CONNECTION_MAX_RETRIES is None
    assert app.conf.broker_connection_max_retries is None
