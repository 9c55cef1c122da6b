"""The addresses of the feed and of webhooks, under /api/v1/."""

from typing import Final

from django.urls import include, path

from casino.feed import api, webhook_api

WEBHOOK_URLS: Final = [
    path("", webhook_api.WebhookView.as_view(), name="webhook"),
    path("/rotate-secret", webhook_api.RotateWebhookSecretView.as_view(), name="rotate-webhook-secret"),
    path("/pause", webhook_api.PauseWebhookView.as_view(), name="pause-webhook"),
    path("/resume", webhook_api.ResumeWebhookView.as_view(), name="resume-webhook"),
    path("/replay", webhook_api.ReplayWebhookView.as_view(), name="replay-webhook"),
    path("/test", webhook_api.WebhookTestView.as_view(), name="test-webhook"),
    path("/deliveries", webhook_api.WebhookDeliveriesView.as_view(), name="webhook-deliveries"),
]
urlpatterns = [
    path("feed", api.FeedView.as_view(), name="feed"),
    path("feed/schemas", api.FeedTypeListView.as_view(), name="feed-types"),
    path("feed/schemas/<str:name>", api.FeedSchemaView.as_view(), name="feed-schema"),
    path("asyncapi", api.asyncapi, name="asyncapi"),
    path("webhooks", webhook_api.WebhookListView.as_view(), name="webhooks"),
    path("webhooks/<uuid:webhook>", include(WEBHOOK_URLS)),
]
