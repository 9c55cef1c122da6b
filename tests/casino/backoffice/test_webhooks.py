"""Webhooks: staff see those of their operators, pause and resume them, and have items sent again."""

from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from casino.events.sql import database_now, execute
from casino.feed import queue, webhooks
from casino.feed.models import WebhookEndpoint, WebhookRun
from casino.operators import services
from tests.support.office import page_of, staff

pytestmark = pytest.mark.django_db
VIEW = ("feed.view_webhookendpoint", "feed.view_webhookdelivery")
CHANGE = "feed.change_webhookendpoint"


@pytest.fixture
def webhook() -> WebhookEndpoint:
    operator = services.create_operator(slug="lucky", name="Lucky", currencies=["EUR"], sandbox=True).id
    services.create_operator(slug="rival", name="Rival", currencies=["EUR"], sandbox=True)
    url = "https://lucky.example/webhooks"
    endpoint, _, _ = webhooks.register(operator=operator, url=url, types=["round.*"], by="test")
    webhooks.send_test(operator=operator, webhook=endpoint.pk)
    return endpoint


def act(client: Client, webhook: WebhookEndpoint, action: str, **fields: int) -> str:
    url = reverse(f"admin:feed_webhookendpoint_{action}", args=[webhook.pk])
    return unescape(client.post(url, fields, follow=True).content.decode())


def test_staff_see_a_webhook_and_what_waits_for_it(webhook: WebhookEndpoint) -> None:
    client = staff(*VIEW, works_for="lucky")
    page = client.get(page_of("feed_webhookendpoint", webhook.pk)).content.decode()
    assert webhook.url in page
    assert "webhooks/test" in page
    assert "whsec_" not in page
    delivery = webhook.deliveries.get()
    page = unescape(client.get(page_of("feed_webhookdelivery", delivery.pk)).content.decode())
    assert webhook.url in page
    assert f"lucky:{delivery.pk}" in page
    assert '"type": "casino.webhook.test.v1"' in page


def test_staff_of_another_operator_see_nothing(webhook: WebhookEndpoint) -> None:
    client = staff(*VIEW, CHANGE, works_for="rival")
    assert webhook.url not in client.get(reverse("admin:feed_webhookendpoint_changelist")).content.decode()
    assert webhook.url not in client.get(reverse("admin:feed_webhookdelivery_changelist")).content.decode()
    assert client.get(page_of("feed_webhookdelivery", webhook.deliveries.get().pk)).status_code in {302, 403, 404}
    act(client, webhook, "pause")
    webhook.refresh_from_db()
    assert webhook.status == "active"


def test_staff_pause_and_resume(webhook: WebhookEndpoint) -> None:
    client = staff(*VIEW, CHANGE, works_for="lucky")
    assert "The webhook is paused." in act(client, webhook, "pause")
    assert queue.claim(database_now(), limit=5) == []
    assert "The webhook is active again." in act(client, webhook, "resume")
    assert len(queue.claim(database_now(), limit=5)) == 1


def test_staff_have_items_sent_again(webhook: WebhookEndpoint) -> None:
    client = staff(*VIEW, CHANGE, works_for="lucky")
    assert "The last number is 0" in act(client, webhook, "replay", after=0, until=2)
    execute("INSERT INTO feed_feedhead (operator_id, number) VALUES (%s, 2)", [webhook.operator_id])
    execute(
        "INSERT INTO feed_feeditem (operator_id, number, position, type, subject, time, data) "
        "SELECT %s, number, number, 'baccarat.round.opened.v1', 'rounds/1', now(), '{}' FROM generate_series(1, 2) "
        "AS number",
        [webhook.operator_id],
    )
    assert "Items 1 to 2 are sent again." in act(client, webhook, "replay", after=0, until=2)
    assert WebhookRun.objects.filter(endpoint=webhook, until=2).count() == 1


def test_who_may_only_view_changes_nothing(webhook: WebhookEndpoint) -> None:
    act(staff(*VIEW, works_for="lucky"), webhook, "pause")
    webhook.refresh_from_db()
    assert webhook.status == "active"
