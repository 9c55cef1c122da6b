"""The feed: pages of items, long polls and a stream, and the schemas of its types."""

import re
from typing import Annotated, Any, Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample
from msgspec import Meta
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.error_catalogue import INVALID_CURSOR, NOT_FOUND, RequestRejected
from casino.api.json_format import ShapeRenderer
from casino.api.openapi import operation
from casino.api.requests import Query, parse_query, verbatim
from casino.api.shapes import REF, example_of
from casino.api.streaming import sse
from casino.api.views import BaseApiView
from casino.feed import queries, signatures
from casino.feed.asyncapi import asyncapi_document
from casino.feed.queries import FeedEnvelope, FeedPage, FeedTypeList
from casino.feed.refusals import FeedExpired, FeedNumberAhead, UnknownFeedType
from casino.feed.streaming import WATCHER, FeedRequest, stream_items, wait_for_page
from casino.operators.base_views import OperatorView

MAX_WAIT: Final = 30
_NUMBER: Final = re.compile(r"[0-9]{1,18}", re.ASCII)
_DESCRIPTION: Final = """\
Everything that happened to you, in one order, with numbers that have no gaps: whoever has read up to `next` has missed
nothing. Keep `next` in the transaction of what you do with the items, and send it as `after`. With `wait` the answer
comes as soon as there is an item. With `Accept: text/event-stream` the same items are streamed: each message `item` has
its number as its id, `Last-Event-ID` resumes, and a stream ends after five minutes, so that you authenticate again.
Items are also pushed as webhooks. They expire after some weeks; 410 `feed_expired` then names the `oldest` number. Who
has read more than there is, as after a restored backup or with a number of another environment, gets 422
`feed_number_ahead` with the `head`.
"""
_WEBHOOK: Final = """\
Each item in a POST of its own, signed by Standard Webhooks. Answer with a 2xx within 20 seconds; anything else is tried
again for three days.
"""


class FeedQuery(Query):
    """Selects items."""

    after: Annotated[int, Meta(ge=0, le=10**18 - 1, description="The last number that you have.")] = 0
    types: Annotated[
        str, verbatim(2000, "Comma separated: `round.settled`, `deposit.*`; all types by default.", blank=True)
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=queries.MAX_LIMIT, description="Maximum items.")] = 100
    wait: Annotated[int, Meta(ge=0, le=MAX_WAIT, description="Seconds to wait for an item.")] = 0


class FeedView(OperatorView):
    """The caller's feed."""

    refusals = (FeedExpired, FeedNumberAhead, UnknownFeedType, INVALID_CURSOR)

    def perform_content_negotiation(
        self,
        request: Request,
        force: bool = False,  # noqa: FBT001, FBT002  (the framework's signature)
    ) -> Any:
        """Write problems as JSON for callers that accept only a stream, too."""
        if sse.MEDIA_TYPE in request.META.get("HTTP_ACCEPT", ""):
            return ShapeRenderer(), ShapeRenderer.media_type
        return super().perform_content_negotiation(request, force)

    @operation(
        "readFeed",
        "Read what happened, as numbered items",
        description=_DESCRIPTION,
        parameters=[FeedQuery],
        returns=FeedPage,
        responses={(200, sse.MEDIA_TYPE): OpenApiTypes.STR},
        examples=[
            OpenApiExample(
                "Stream",
                (sse.RETRY + sse.message("item", example_of(FeedEnvelope), id_=1043)).decode(),
                response_only=True,
                media_type=sse.MEDIA_TYPE,
                status_codes=["200"],
            )
        ],
    )
    def get(self, request: Request) -> HttpResponseBase:
        query, caller = parse_query(FeedQuery, request), self.caller
        wants_stream = sse.MEDIA_TYPE in request.META.get("HTTP_ACCEPT", "")
        patterns = [each.strip() for each in query.types.split(",") if each.strip()]
        feed = FeedRequest(
            operator=caller.operator,
            slug=caller.slug,
            after=_after(request, query.after) if wants_stream else query.after,
            types=queries.find_types(patterns),
            limit=query.limit,
        )
        page = feed.read()
        if not wants_stream and (page.items or not query.wait):
            return Response(page)
        WATCHER.admit(caller.operator)
        if wants_stream:
            return sse.LiveResponse(stream_items(feed), content_type=sse.MEDIA_TYPE, headers=sse.HEADERS)
        return sse.LiveResponse(
            wait_for_page(feed, seconds=query.wait),
            content_type=ShapeRenderer.media_type,
            headers={"Cache-Control": "no-store"},
        )


class FeedTypeListView(BaseApiView):
    """The types of items."""

    @operation(
        "listFeedTypes",
        "List the types of items",
        description="Each with the address of the JSON Schema of its data.",
        returns=FeedTypeList,
    )
    def get(self, _request: Request) -> Response:
        return Response(queries.list_types())


class FeedSchemaView(BaseApiView):
    """The schema of one type."""

    @operation(
        "getFeedSchema",
        "Show the JSON Schema of a type's data",
        description="The items of a type have this shape for good: a changed shape is another version of the type.",
        responses={(200, "application/schema+json"): OpenApiTypes.OBJECT},
        examples=[
            OpenApiExample(
                "Schema",
                {"title": "baccarat.round.resumed.v1", "type": "object"},
                response_only=True,
                media_type="application/schema+json",
                status_codes=["200"],
            )
        ],
    )
    def get(self, _request: Request, name: str) -> Response:
        """Show a schema. Raises RequestRejected (not_found)."""
        schema = queries.schema_of(name)
        if schema is None:
            raise RequestRejected(NOT_FOUND, "There is no such type.")
        return Response(schema, content_type="application/schema+json")


@require_safe
def asyncapi(request: HttpRequest) -> HttpResponse:
    """Return the AsyncAPI document."""
    del request
    headers = {"Cache-Control": "public, max-age=300"}
    return HttpResponse(asyncapi_document(), content_type=ShapeRenderer.media_type, headers=headers)


def add_webhooks(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:  # noqa: FBT001
    """Add the messages that receivers of webhooks get to the OpenAPI document, as drf-spectacular's hooks do."""
    del generator, request, public
    if "FeedEnvelope" not in result["components"]["schemas"]:
        return result
    headers = (signatures.ID, signatures.TIMESTAMP, signatures.SIGNATURE)
    result["webhooks"] = {
        "item": {
            "post": {
                "operationId": "receiveItem",
                "summary": "An item of the feed, pushed",
                "description": _WEBHOOK,
                "tags": ["feed"],
                "security": [],
                "parameters": [
                    {"in": "header", "name": name, "required": True, "schema": {"type": "string"}} for name in headers
                ],
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/cloudevents+json": {
                            "schema": {"$ref": REF + "FeedEnvelope"},
                            "example": example_of(FeedEnvelope),
                        }
                    },
                },
                "responses": {
                    "2XX": {"description": "Taken; nothing more is sent about this item."},
                    "410": {"description": "Gone; the webhook is paused."},
                },
            }
        }
    }
    return result


def _after(request: Request, after: int) -> int:
    """Return the last number that a stream's reader has; its header is newer than its address."""
    text = request.headers.get("Last-Event-ID")
    if not text:
        return after
    if not _NUMBER.fullmatch(text):
        raise RequestRejected(INVALID_CURSOR, "A number is a whole number.")
    return int(text)
