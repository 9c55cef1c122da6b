"""The AsyncAPI 3 document: the feed, webhooks, and the streams that other apps register."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import msgspec

from casino.api.reference import VERSION
from casino.api.shapes import component_name, components_of, example_of
from casino.feed import signatures
from casino.feed.queries import SCHEMAS, FeedEnvelope
from casino.feed.types import FeedType, feed_types

_JSON: Final = "application/json"
_INFO: Final = {
    "title": "Casino: event-sourced baccarat, events",
    "version": VERSION,
    "description": "What an operator's server reads as a feed or gets as webhooks, and what a player's client reads "
    "as a stream. Each message of a stream is a server-sent event; requests are in the OpenAPI document.",
    "license": {"name": "MIT"},
}


@dataclass(frozen=True, slots=True)
class ChannelMessage:
    """One kind of message of a stream: its event, what it says, and the type of its data."""

    event: str
    summary: str
    data: Any


@dataclass(frozen=True, slots=True)
class StreamChannel:
    """A stream of server-sent events, with an operation that receives it.

    `events` are the types of data of its messages `event`, by their `type`.
    """

    name: str
    address: str
    operation: str
    summary: str
    messages: Sequence[ChannelMessage]
    events: Mapping[str, Any] = field(default_factory=dict)


_channels: Final[list[Callable[[], StreamChannel]]] = []


def register_channel(channel: Callable[[], StreamChannel]) -> None:
    """Add another app's stream, which is asked for with the document; call it in AppConfig.ready()."""
    _channels.append(channel)


@lru_cache(maxsize=1)
def asyncapi_document() -> bytes:
    """Return the document as JSON. It depends on the code alone."""
    builder = _Builder()
    for channel in (_feed(), *(each() for each in _channels)):
        builder.add_stream(channel)
    builder.add_feed_items()
    return msgspec.json.encode(builder.document())


def _feed() -> StreamChannel:
    end = msgspec.defstruct("FeedEnd", [("code", str), ("oldest", int)], namespace={"__doc__": "Why a stream ends."})
    return StreamChannel(
        name="feed",
        address="/api/v1/feed",
        operation="receiveFeed",
        summary="All items of the caller's feed, by `Accept: text/event-stream`.",
        messages=(ChannelMessage("end", "The numbers asked for have expired; the stream ends.", end),),
    )


class _Builder:
    """Collects channels, operations, messages and schemas."""

    def __init__(self) -> None:
        self._channels: dict[str, Any] = {}
        self._operations: dict[str, Any] = {}
        self._messages: dict[str, Any] = {}
        self._schemas: dict[str, Any] = {}

    def add_stream(self, channel: StreamChannel) -> None:
        """Add a stream and its messages."""
        names = {each.event: f"{channel.name}.{each.event}" for each in channel.messages}
        for each in channel.messages:
            payload = self._schema(each.data)
            self._messages[names[each.event]] = {
                "name": each.event,
                "summary": each.summary,
                "contentType": _JSON,
                "payload": payload,
            }
        names |= self._add_events(channel)
        self._channels[channel.name] = {
            "address": channel.address,
            "description": channel.summary,
            "messages": {name: _message(name) for name in names.values()},
            "bindings": {"http": {"bindingVersion": "0.3.0"}},
        }
        self._operations[channel.operation] = {
            "action": "send",
            "channel": {"$ref": f"#/channels/{channel.name}"},
            "summary": channel.summary,
            "messages": [{"$ref": f"#/channels/{channel.name}/messages/{name}"} for name in names.values()],
        }

    def _add_events(self, channel: StreamChannel) -> dict[str, str]:
        """Add a message for each type of event, with the shape of its data; return their names."""
        names = {kind: f"{channel.name}.event.{kind}" for kind in channel.events}
        event = f"#/components/messages/{channel.name}.event/payload"
        for kind, data in channel.events.items():
            properties = {"type": {"const": kind}, "data": self._schema(data)}
            self._messages[names[kind]] = {
                "name": "event",
                "summary": kind,
                "contentType": _JSON,
                "payload": {"allOf": [{"$ref": event}, {"type": "object", "properties": properties}]},
            }
        return names

    def add_feed_items(self) -> None:
        """Add a message for each type of items, to the stream of the feed and to webhooks."""
        envelope = self._schema(FeedEnvelope)
        for name, feed_type in feed_types().items():
            self._messages[name] = self._item(name, feed_type, envelope)
        names = list(feed_types())
        self._channels["feed"]["messages"] |= {name: _message(name) for name in names}
        self._operations["receiveFeed"]["messages"] += [{"$ref": f"#/channels/feed/messages/{name}"} for name in names]
        self._channels["webhooks"] = {
            "address": None,
            "description": "One item in each POST to an address that the operator registered.",
            "messages": {name: _message(name) for name in names},
        }
        self._operations["receiveWebhook"] = {
            "action": "send",
            "channel": {"$ref": "#/channels/webhooks"},
            "summary": "Signed by Standard Webhooks, in order for each subject, until a 2xx answers.",
            "bindings": {"http": {"method": "POST", "bindingVersion": "0.3.0"}},
            "messages": [{"$ref": f"#/channels/webhooks/messages/{name}"} for name in names],
        }

    def _item(self, name: str, feed_type: FeedType, envelope: Mapping[str, Any]) -> dict[str, Any]:
        data = self._schema(feed_type.data)
        example = {**example_of(FeedEnvelope), "type": name, "dataschema": SCHEMAS + name}
        example["data"] = example_of(feed_type.data)
        return {
            "name": name,
            "summary": feed_type.summary,
            "contentType": "application/cloudevents+json",
            "headers": {"$ref": "#/components/schemas/WebhookHeaders"},
            "payload": {"allOf": [envelope, {"type": "object", "properties": {"type": {"const": name}, "data": data}}]},
            "examples": [{"payload": example}],
        }

    def _schema(self, shape: Any) -> dict[str, Any]:
        own, others = components_of(shape)
        name = component_name(shape.__name__)
        self._schemas |= {**others, name: own}
        return {"$ref": f"#/components/schemas/{name}"}

    def document(self) -> dict[str, Any]:
        """Return the whole document."""
        headers = (signatures.ID, signatures.TIMESTAMP, signatures.SIGNATURE)
        self._schemas["WebhookHeaders"] = {
            "type": "object",
            "description": "Of webhooks.",
            "properties": {name: {"type": "string"} for name in headers},
        }
        return {
            "asyncapi": "3.1.0",
            "info": _INFO,
            "defaultContentType": _JSON,
            "channels": self._channels,
            "operations": self._operations,
            "components": {"messages": self._messages, "schemas": self._schemas},
        }


def _message(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/messages/{name}"}
