"""Webhooks: endpoints with what waits for them, deliveries with their answers; pause, resume and replay."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from django import forms
from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest

from casino.backoffice import html
from casino.backoffice.actions import RowAction
from casino.backoffice.base import ReadOnlyAdmin
from casino.backoffice.columns import LabelledRowsAdmin, column, status_column, time_column
from casino.backoffice.filters import case_filter, operator_filter
from casino.backoffice.forms import RowForm
from casino.backoffice.sections import Grid, Section, TemplateSection
from casino.feed import queue, webhooks
from casino.feed.models import WebhookDelivery, WebhookEndpoint, WebhookStatus
from casino.operators import memberships

CHANGE: Final = "feed.change_webhookendpoint"
MAX_ROWS: Final = 50


class ReplayForm(RowForm):
    after = forms.IntegerField(label="After number", min_value=0)
    until = forms.IntegerField(label="Up to number", min_value=1)


def _outcome(delivery: WebhookDelivery) -> str:
    if delivery.delivered_at is not None:
        return html.badge("delivered", "good")
    if delivery.due_at is None:
        return html.badge("expired", "plain")
    return html.badge("failing", "bad") if delivery.attempts else html.badge("waiting", "plain")


def _answer(delivery: WebhookDelivery) -> str:
    return delivery.error or (str(delivery.response_status) if delivery.response_status else html.NOTHING)


@admin.register(WebhookEndpoint)
class WebhookEndpointAdmin(LabelledRowsAdmin):
    """Webhooks that operators registered. Found by id or an operator's id."""

    names = ("operator",)
    list_display = ("url", "operator", "state", "created")
    list_filter = (
        case_filter("state", {"active": ("Active", Q(status="active")), "paused": ("Paused", Q(status="paused"))}),
        operator_filter(),
    )
    ordering = ("-id",)
    search_fields = ("pk", "operator_id")
    search_help_text = "id of a webhook or of an operator"
    state = status_column({WebhookStatus.ACTIVE: "good", WebhookStatus.PAUSED: "bad", WebhookStatus.WAITING: "warn"})
    created = time_column("created_at", "registered")

    @RowAction(
        "Pause",
        title="Pause this webhook",
        permission=CHANGE,
        applies=lambda _, row: row.status == WebhookStatus.ACTIVE,
        tone="bad",
        help_text="Nothing is sent until it is resumed; items of the meantime are sent then.",
    )
    def pause(self, request: HttpRequest, webhook: WebhookEndpoint, _data: dict[str, Any]) -> str:
        webhooks.pause(operator=webhook.operator_id, webhook=webhook.pk, by=memberships.staff_actor(request.user))
        return "The webhook is paused."

    @RowAction(
        "Resume",
        title="Resume this webhook",
        permission=CHANGE,
        applies=lambda _, row: row.status == WebhookStatus.PAUSED,
        tone="good",
        help_text="Waiting items are sent first, then new ones.",
    )
    def resume(self, request: HttpRequest, webhook: WebhookEndpoint, _data: dict[str, Any]) -> str:
        webhooks.resume(operator=webhook.operator_id, webhook=webhook.pk, by=memberships.staff_actor(request.user))
        return "The webhook is active again."

    @RowAction(
        "Replay",
        title="Send items again",
        permission=CHANGE,
        form=ReplayForm,
        applies=lambda _, row: row.status == WebhookStatus.ACTIVE,
        help_text="Each item is sent once, under the same id as before.",
    )
    def replay(self, request: HttpRequest, webhook: WebhookEndpoint, data: dict[str, Any]) -> str:
        by = memberships.staff_actor(request.user)
        webhooks.replay(operator=webhook.operator_id, webhook=webhook.pk, by=by, **data)
        return f"Items {data['after'] + 1} to {data['until']} are sent again."

    def sections(self, _request: HttpRequest, obj: WebhookEndpoint) -> Sequence[Section]:
        waiting = obj.deliveries.filter(due_at__isnull=False).order_by("id")[:MAX_ROWS]
        rows = [
            (delivery.number, delivery.subject, delivery.attempts, delivery.due_at, _answer(delivery))
            for delivery in waiting
        ]
        return [
            self.facts(
                obj,
                *("url", "operator", "state"),
                ("Reason", obj.paused_reason or html.NOTHING),
                ("Types", ", ".join(obj.types) or "all"),
                *("created", "pk"),
            ),
            Grid(
                "Waiting",
                ("Number", "Subject", "Attempts", "Next attempt", "Last answer"),
                rows,
                empty="Everything was delivered.",
            ),
        ]


@admin.register(WebhookDelivery)
class WebhookDeliveryAdmin(ReadOnlyAdmin):
    """Messages to webhooks, newest first. Found by id or a webhook's id."""

    list_display = ("number", "url", "subject", "attempts", "outcome", "answer", "created")
    list_filter = (
        case_filter(
            "outcome",
            {
                "delivered": ("Delivered", Q(delivered_at__isnull=False)),
                "waiting": ("Waiting or failing", Q(due_at__isnull=False)),
            },
        ),
    )
    list_select_related = ("endpoint",)
    operator_field = "endpoint__operator_id"
    ordering = ("-id",)
    search_fields = ("pk", "endpoint_id")
    search_help_text = "id of a delivery or of a webhook"
    url = column("webhook", lambda row: html.page("webhook", row.endpoint_id, row.endpoint.url))
    outcome = column("outcome", _outcome)
    answer = column("last answer", _answer)
    created = time_column("created_at", "queued")

    def title_of(self, obj: WebhookDelivery) -> str:
        return f"Item {obj.number} to {obj.endpoint.url}"

    def sections(self, _request: HttpRequest, obj: WebhookDelivery) -> Sequence[Section]:
        message = queue.messages([obj.pk])[obj.pk]
        body = "It has expired." if message.body is None else msgspec.json.format(msgspec.json.encode(message.body))
        return [
            self.facts(
                obj,
                *("url", "number"),
                ("Message id", html.code(message.webhook_id)),
                *("subject", "outcome", "attempts", "created"),
                ("First attempt", obj.first_tried_at),
                ("Last attempt", obj.last_tried_at),
                ("Next attempt", obj.due_at),
                "answer",
                ("Beginning of the answer", obj.response_body or html.NOTHING),
            ),
            TemplateSection("Message", "admin/casino/json.html", {"text": body}),
        ]
