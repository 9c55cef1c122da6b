"""The Celery application: how it looks for a broker that is away."""

import pytest
from django.conf import settings
from kombu import Consumer, Exchange, Producer, Queue
from kombu.exceptions import OperationalError
from kombu.message import Message

from casino.celery import app
from tests.services import Services

NOBODY = "redis://127.0.0.1:1/0"


def test_a_lost_broker_is_retried_every_two_seconds_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("kombu.utils.functional.sleep", lambda _: None)
    with app.connection_for_read(NOBODY) as connection, pytest.raises(OperationalError):
        connection.ensure_connection(lambda _, pause: pauses.append(pause), 20)
    assert len(pauses) == 20
    assert 0 < max(pauses) <= 2


def test_a_worker_never_gives_up_on_its_broker() -> None:
    assert settings.CELERY_BROKER_CONNECTION_MAX_RETRIES is None
    assert app.conf.broker_connection_max_retries is None


def test_a_wake_up_in_progress_is_neither_kept_nor_given_back_when_the_connection_is_lost(
    services: Services,
) -> None:
    messages: list[Message] = []
    queue = Queue("lost", Exchange("lost"), routing_key="lost")
    with app.connection_for_read(settings.CELERY_BROKER_URL) as connection:
        Producer(connection).publish({}, exchange=queue.exchange, routing_key="lost", declare=[queue])
        with Consumer(connection.default_channel, [queue], callbacks=[lambda _, message: messages.append(message)]):
            connection.drain_events(timeout=10)
            connection.close()
    messages[0].ack()  # needs no broker; kombu's own channel asks Redis, and the worker ends when it is away
    with app.connection_for_read(settings.CELERY_BROKER_URL) as connection:
        assert connection.default_channel.client.keys("unacked*") == []
        assert connection.default_channel.client.llen("lost") == 0
