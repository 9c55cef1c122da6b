"""The AsyncAPI document describes every type of items, and each reference in it leads somewhere."""

import json
from typing import Any
from uuid import UUID

import jsonschema
import msgspec
from django.test import Client

from baccarat.queries.redaction import SPECTATOR
from baccarat.streaming.notifications import LiveEventBuilder
from casino.events import subscriptions
from casino.feed.types import feed_types
from tests.baccarat.api.people import Tenant
from tests.casino.feed.play import play
from tests.conftest import Database


def document() -> Any:
    return json.loads(Client().get("/api/v1/asyncapi").content)


def references(value: Any) -> set[str]:
    if isinstance(value, dict):
        own = {value["$ref"]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*(references(each) for each in value.values()))
    return set().union(*(references(each) for each in value)) if isinstance(value, list) else set()


def test_every_type_is_a_message_of_the_feed_and_of_webhooks() -> None:
    channels = document()["channels"]
    assert set(feed_types()) <= set(channels["feed"]["messages"])
    assert set(feed_types()) == set(channels["webhooks"]["messages"])
    assert {"stream.snapshot", "stream.event", "stream.end"} <= set(channels["stream"]["messages"])


def test_every_reference_leads_somewhere() -> None:
    whole = document()
    for reference in references(whole):
        place = whole
        for part in reference.removeprefix("#/").split("/"):
            place = place[part]


def test_every_example_is_what_its_message_says() -> None:
    whole = document()
    for name in feed_types():
        message = whole["components"]["messages"][name]
        schema = {**message["payload"], "components": whole["components"]}
        jsonschema.validate(message["examples"][0]["payload"], schema, cls=jsonschema.Draft202012Validator)


def test_the_openapi_document_describes_what_is_pushed() -> None:
    pushed = Client().get("/api/v1/schema").json()["webhooks"]["item"]["post"]
    content = pushed["requestBody"]["content"]["application/cloudevents+json"]
    assert content["schema"] == {"$ref": "#/components/schemas/FeedEnvelope"}
    assert [each["name"] for each in pushed["parameters"]] == ["webhook-id", "webhook-timestamp", "webhook-signature"]


def test_both_documents_list_the_types_of_items() -> None:
    of_feed = document()["components"]["schemas"]["FeedEnvelope"]["properties"]["type"]
    schemas = Client().get("/api/v1/schema").json()["components"]["schemas"]
    for each in (of_feed, schemas["FeedEnvelope"]["properties"]["type"], schemas["FeedType"]["properties"]["type"]):
        assert each["anyOf"] == [{"type": "string", "enum": list(feed_types())}, {"type": "string"}]


def test_each_live_event_is_what_the_document_says(module_database: Database, lucky: Tenant) -> None:
    table = play(lucky, rounds=2)
    whole = document()
    viewers = [SPECTATOR, *(UUID(player.id) for player in lucky.players)]
    kinds = set()
    for live in LiveEventBuilder().build(subscriptions.read_sealed(0, 1000)):
        if live.table != UUID(table):
            continue
        schema = whole["components"]["messages"][f"stream.event.{live.type}"]["payload"]
        for viewer in viewers:
            payload = json.loads(msgspec.json.encode(live.present(viewer)))
            jsonschema.validate(payload, {**schema, "components": whole["components"]})
        kinds.add(live.type)
    assert {"SeatTaken", "RoundOpened", "WagerConfirmed", "CardsDealt", "RoundSettled"} <= kinds
