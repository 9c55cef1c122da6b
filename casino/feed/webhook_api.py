"""Webhooks: register, list, pause, resume, replay and test them, rotate secrets, and look at deliveries."""

from datetime import datetime
from typing import Annotated, Any, Final
from uuid import UUID

from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import paging
from casino.api.idempotency import idempotent
from casino.api.openapi import operation
from casino.api.requests import Body, parse_body, verbatim
from casino.api.shapes import ItemList, Page, Shape, Timestamp
from casino.events.sql import database_now
from casino.feed import acts, queue, webhooks
from casino.feed.models import WebhookDelivery, WebhookEndpoint, WebhookSecret
from casino.feed.queries import WebhookMessage
from casino.feed.refusals import (
    FeedExpired,
    FeedNumberAhead,
    TooManyWebhooks,
    UnknownFeedType,
    UnknownWebhook,
    WebhookIsPaused,
    WebhookNotPaused,
)
from casino.operators.base_views import OperatorView
from casino.operators.refusals import ChangeNeedsSecondPerson
from casino.outbound.refusals import InvalidWebhookUrl

_SECRET: Final = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"  # noqa: S105  (an example)


class WebhookRequest(Body):
    """An address, and the types of items that are sent there."""

    url: Annotated[str, verbatim(500)]
    types: Annotated[
        tuple[Annotated[str, verbatim(100)], ...],
        Meta(max_length=100, description="Such as `round.settled` or `deposit.*`; all types by default."),
    ] = ()


class ReplayRequest(Body):
    """The items to send again: those above `after`, up to `until`."""

    after: Annotated[int, Meta(ge=0)]
    until: Annotated[int, Meta(ge=1)]


class WebhookSecretResponse(Shape):
    """A secret that signs, without its text."""

    created_at: Timestamp
    expires_at: Annotated[Timestamp | None, Meta(description="Null for the newest.", examples=[None])]

    @classmethod
    def of(cls, row: WebhookSecret) -> "WebhookSecretResponse":
        return cls(created_at=row.created_at, expires_at=row.expires_at)


class WebhookResponse(Shape, kw_only=True):
    """An address that items are pushed to."""

    id: UUID
    url: Annotated[str, Meta(examples=["https://lucky.example/webhooks"])]
    types: Annotated[tuple[str, ...], Meta(description="Empty for all types.", examples=[["round.*"]])]
    status: Annotated[str, Meta(examples=["active"], extra_json_schema={"enum": ["active", "paused", "waiting"]})]
    paused_reason: Annotated[str, Meta(description="Empty while it is active.", examples=[""])]
    secrets: tuple[WebhookSecretResponse, ...]
    created_at: Timestamp

    @classmethod
    def of(cls, endpoint: WebhookEndpoint, now: datetime, **more: Any) -> "WebhookResponse":
        """Present an endpoint."""
        return cls(
            id=endpoint.id,
            url=endpoint.url,
            types=tuple(endpoint.types),
            status=endpoint.status,
            paused_reason=endpoint.paused_reason,
            secrets=tuple(map(WebhookSecretResponse.of, webhooks.live_secrets(endpoint, now=now))),
            created_at=endpoint.created_at,
            **more,
        )


class WebhookWithSecret(WebhookResponse, kw_only=True):
    """A webhook with its new secret, which is shown once."""

    secret: Annotated[str, Meta(description="For `v1` signatures.", examples=[_SECRET])]


class RegisteredWebhook(WebhookWithSecret, kw_only=True):
    """A new webhook."""

    change: Annotated[
        UUID | None,
        Meta(description="What another person has to confirm first; null if nothing waits.", examples=[None]),
    ]


class WebhookList(ItemList[WebhookResponse]):
    """All webhooks, in the order they were registered."""


class WebhookDeliveryResponse(Shape, kw_only=True):
    """A message to a webhook, and what came of the last attempt."""

    id: UUID
    number: Annotated[int | None, Meta(description="Null for a test.", examples=[1043])]
    subject: Annotated[str, Meta(examples=["rounds/0199f3a2-6b1e-7c3d-9a55-2f1f0e6d4c11"])]
    request: WebhookMessage
    attempts: int
    created_at: Timestamp
    last_tried_at: Timestamp | None
    delivered_at: Annotated[Timestamp | None, Meta(description="Null while it waits, or if its item has expired.")]
    next_attempt_at: Annotated[Timestamp | None, Meta(description="Null once nothing more is sent.", examples=[None])]
    response_status: Annotated[int | None, Meta(description="Null without an answer.", examples=[200])]
    response_body: Annotated[str, Meta(description="The beginning of the answer.", examples=["ok"])]
    error: Annotated[str, Meta(description="Why there was no answer.", examples=[""])]

    @classmethod
    def of(cls, row: WebhookDelivery, message: WebhookMessage) -> "WebhookDeliveryResponse":
        """Present a delivery with what it sends."""
        return cls(
            id=row.id,
            number=row.number,
            subject=row.subject,
            request=message,
            attempts=row.attempts,
            created_at=row.created_at,
            last_tried_at=row.last_tried_at,
            delivered_at=row.delivered_at,
            next_attempt_at=row.due_at,
            response_status=row.response_status,
            response_body=row.response_body,
            error=row.error,
        )


class WebhookDeliveryPage(Page[WebhookDeliveryResponse]):
    """Deliveries, newest first."""


class WebhookListView(OperatorView):
    """The caller's webhooks."""

    act = acts.REGISTER_WEBHOOK

    @operation(
        "listWebhooks",
        "List your webhooks",
        description="With the times of the secrets that sign their messages now, never with their texts.",
        returns=WebhookList,
    )
    def get(self, _request: Request) -> Response:
        now = database_now()
        endpoints = webhooks.list_webhooks(operator=self.caller.operator)
        return Response(WebhookList.of(WebhookResponse.of(endpoint, now) for endpoint in endpoints))

    @operation(
        "registerWebhook",
        "Register an address that items are pushed to",
        description=(
            "Items are sent from now on, one in each POST, signed by Standard Webhooks. Keep the secret: it is not "
            "shown again. For a live operator this needs the assertion of a person, and nothing is sent until another "
            "person confirms `change` (`POST /changes/{change}/confirm`)."
        ),
        refusals=(ChangeNeedsSecondPerson, InvalidWebhookUrl, TooManyWebhooks, UnknownFeedType),
        request=WebhookRequest,
        example={"url": "https://lucky.example/webhooks", "types": ["round.settled", "deposit.*"]},
        returns=RegisteredWebhook,
        status=201,
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body, caller = parse_body(WebhookRequest, request), self.caller
        by = caller.actor if caller.sandbox else self.use_person()
        endpoint, secret, change = webhooks.register(operator=caller.operator, url=body.url, types=body.types, by=by)
        waits = None if change is None else change.pk
        return Response(RegisteredWebhook.of(endpoint, database_now(), secret=secret, change=waits), status=201)


class WebhookView(OperatorView):
    """One webhook."""

    act = acts.CHANGE_WEBHOOK
    refusals = (UnknownWebhook,)

    @operation(
        "getWebhook", "Show a webhook", description="`paused_reason` says why nothing is sent.", returns=WebhookResponse
    )
    def get(self, _request: Request, webhook: UUID) -> Response:
        endpoint = webhooks.find_webhook(operator=self.caller.operator, webhook=webhook)
        return Response(WebhookResponse.of(endpoint, database_now()))

    @operation(
        "removeWebhook",
        "Remove a webhook with its deliveries",
        description="Nothing more is sent to it but what is already under way.",
        responses={204: None},
    )
    def delete(self, _request: Request, webhook: UUID) -> Response:
        webhooks.remove(operator=self.caller.operator, webhook=webhook, by=self.caller.actor)
        return Response(status=204)


class RotateWebhookSecretView(OperatorView):
    """The secret of a webhook."""

    act = acts.CHANGE_WEBHOOK
    refusals = (UnknownWebhook,)

    @operation(
        "rotateWebhookSecret",
        "Replace a webhook's secret",
        description="For 24 hours messages are signed with the old secret and key, too.",
        returns=WebhookWithSecret,
    )
    @idempotent
    def post(self, _request: Request, webhook: UUID) -> Response:
        endpoint, secret = webhooks.rotate_secret(operator=self.caller.operator, webhook=webhook, by=self.caller.actor)
        return Response(WebhookWithSecret.of(endpoint, database_now(), secret=secret))


class PauseWebhookView(OperatorView):
    """The pause of a webhook."""

    act = acts.CHANGE_WEBHOOK
    refusals = (UnknownWebhook, WebhookIsPaused)

    @operation(
        "pauseWebhook",
        "Send nothing to a webhook until it is resumed",
        description="What happens meanwhile stays in the feed, and is sent after the pause unless it expires.",
        returns=WebhookResponse,
    )
    @idempotent
    def post(self, _request: Request, webhook: UUID) -> Response:
        endpoint = webhooks.pause(operator=self.caller.operator, webhook=webhook, by=self.caller.actor)
        return Response(WebhookResponse.of(endpoint, database_now()))


class ResumeWebhookView(OperatorView):
    """The end of a pause."""

    act = acts.CHANGE_WEBHOOK
    refusals = (UnknownWebhook, WebhookNotPaused)

    @operation(
        "resumeWebhook",
        "Resume a webhook: send what waits, then what is new",
        description="Three days of attempts begin again for each message that waits.",
        returns=WebhookResponse,
    )
    @idempotent
    def post(self, _request: Request, webhook: UUID) -> Response:
        endpoint = webhooks.resume(operator=self.caller.operator, webhook=webhook, by=self.caller.actor)
        return Response(WebhookResponse.of(endpoint, database_now()))


class ReplayWebhookView(OperatorView):
    """Replays of a webhook."""

    act = acts.CHANGE_WEBHOOK
    refusals = (FeedExpired, FeedNumberAhead, UnknownWebhook, WebhookIsPaused)

    @operation(
        "replayWebhook",
        "Send items again",
        description="Each item is sent once, under its own `webhook-id`, beside what is new.",
        request=ReplayRequest,
        example={"after": 1000, "until": 1042},
        returns=WebhookResponse,
        status=202,
    )
    @idempotent
    def post(self, request: Request, webhook: UUID) -> Response:
        body, caller = parse_body(ReplayRequest, request), self.caller
        endpoint = webhooks.replay(
            operator=caller.operator, webhook=webhook, by=caller.actor, after=body.after, until=body.until
        )
        return Response(WebhookResponse.of(endpoint, database_now()), status=202)


class WebhookTestView(OperatorView):
    """Tests of a webhook."""

    act = acts.CHANGE_WEBHOOK
    refusals = (UnknownWebhook, WebhookIsPaused)

    @operation(
        "testWebhook",
        "Send a test message",
        description="Its type is `casino.webhook.test.v1` and its number 0. Find its outcome among the deliveries.",
        returns=WebhookDeliveryResponse,
        status=202,
    )
    @idempotent
    def post(self, _request: Request, webhook: UUID) -> Response:
        delivery = webhooks.send_test(operator=self.caller.operator, webhook=webhook)
        message = queue.messages([delivery.pk])[delivery.pk]
        return Response(WebhookDeliveryResponse.of(delivery, message), status=202)


class WebhookDeliveriesView(OperatorView):
    """What was sent, and what came of it."""

    refusals = (UnknownWebhook,)

    @operation(
        "listWebhookDeliveries",
        "List a webhook's deliveries, newest first",
        description="Each with its request and the last attempt's answer.",
        parameters=paging.PARAMETERS,
        returns=WebhookDeliveryPage,
    )
    def get(self, request: Request, webhook: UUID) -> Response:
        page = paging.parse_page_request(request, str)
        rows = webhooks.list_deliveries(
            operator=self.caller.operator,
            webhook=webhook,
            before=None if page.after is None else paging.parse_uuid(page.after[0]),
            limit=page.fetch_limit,
        )
        sent = queue.messages([row.id for row in rows])
        return Response(
            paging.page(
                WebhookDeliveryPage,
                page,
                [row for row in rows if row.id in sent],  # the others have expired meanwhile
                key=lambda row: (str(row.id),),
                item=lambda row: WebhookDeliveryResponse.of(row, sent[row.id]),
            )
        )
