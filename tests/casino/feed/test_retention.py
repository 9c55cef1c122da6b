"""Items and deliveries expire by a clock that is handed in; what is left has no gap."""

from datetime import timedelta

from django.conf import settings

from casino.events.sql import database_now, execute
from casino.feed import writer
from casino.feed.models import WebhookDelivery, WebhookSecret
from tests.baccarat.api.people import Tenant
from tests.casino.feed.play import play, read_all, stored
from tests.casino.feed.receiving import receiver, send


def test_items_expire_from_the_oldest_number_on(lucky: Tenant) -> None:
    play(lucky)
    age = (
        "UPDATE feed_feeditem SET time = time - make_interval(days => 40) WHERE operator_id = %s AND number = ANY (%s)"
    )
    execute(age, [lucky.id, [1, 2, 3, 4, 5, 8]])
    writer.expire(database_now())
    assert stored(lucky)[0][0] == 6
    answer = lucky.get("feed", after=0)
    assert (answer.status_code, answer.json()["oldest"]) == (410, 6)
    page = lucky.read("feed", after=5)
    assert [item["number"] for item in page["items"]] == list(range(6, page["head"] + 1))


def test_an_empty_feed_continues_with_the_next_number(lucky: Tenant) -> None:
    play(lucky)
    head = read_all(lucky)[-1]["number"]
    writer.expire(database_now() + timedelta(days=settings.FEED_DAYS + 1))
    assert stored(lucky) == []
    assert lucky.get("feed", after=0).json()["oldest"] == head + 1
    play(lucky)
    assert lucky.read("feed", after=head)["items"][0]["number"] == head + 1


def test_deliveries_and_replaced_secrets_expire_too(lucky: Tenant) -> None:
    with receiver() as theirs:
        webhook = lucky.webhook(theirs.url)
        play(lucky)
        send()
    lucky.do(f"webhooks/{webhook['id']}/rotate-secret")
    writer.expire(database_now() + timedelta(days=1, minutes=1))
    assert WebhookSecret.objects.filter(endpoint=webhook["id"]).count() == 1
    assert WebhookDelivery.objects.filter(endpoint=webhook["id"]).exists()
    writer.expire(database_now() + timedelta(days=settings.FEED_DAYS + 1))
    assert not WebhookDelivery.objects.filter(endpoint=webhook["id"]).exists()
