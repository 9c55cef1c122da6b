"""One event of each type, as it is stored: each is read by its class, and written again, as it was.

With FREEZE=1 a type whose line can't be read any more gets one from a house with one of everything. What does not
happen there is changed by hand.
"""

import json
import sys

import pytest

from casino.events.codec import EventRegistry, EventType, MalformedEvent
from casino.events.sql import fetch
from casino.kernel.canonical_json import canonical
from tests.baccarat.proofs.forging import GOLDEN
from tests.support import frozen
from tests.support.everything import full_office
from tests.wallet.payments.counter import use_provider

FILE = "events.txt"
PRODUCT = {"casino", "wallet", "baccarat"}
_FIRST = "SELECT DISTINCT ON (type) type, data::text FROM events_event ORDER BY type, id"


def registered() -> dict[str, tuple[EventRegistry, EventType]]:
    """Return every event type of the product with a registry that has it."""
    modules = [module for name, module in list(sys.modules.items()) if name.split(".")[0] in PRODUCT]
    registries = [each for module in modules for each in vars(module).values() if isinstance(each, EventRegistry)]
    return {kind.event.__name__: (registry, kind) for registry in registries for kind in registry.types}


def exported() -> dict[str, str]:
    """Return events of the golden files, by their types."""
    files = [json.loads(file.read_bytes()) for file in sorted(GOLDEN.rglob("*.json"))]
    events = [event for file in files for event in file["events"] if event["data"] is not None]
    return {event["type"]: canonical(event["data"]).decode() for event in events}


def is_read_as_written(name: str, line: str | None) -> bool:
    """Tell whether a line is an event that its class reads and writes again, byte by byte."""
    registry, kind = registered()[name]
    if line is None:
        return False
    try:
        written = registry.encode(registry.decode(name, kind.schema, line))
    except MalformedEvent:
        return False
    return (written.schema, written.data.decode()) == (kind.schema, line)


@pytest.mark.django_db
def test_every_event_is_read_and_written_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    known = registered()
    stale = {name for name in known if not is_read_as_written(name, frozen.lines(FILE).get(name))}
    if frozen.FREEZES and stale:
        use_provider(monkeypatch)
        full_office("frozen")
        for name, line in {**exported(), **dict(fetch(_FIRST))}.items():
            if name in stale:
                frozen.require(FILE, name, line)
    frozen.require_no_others(FILE, set(known))
    assert {name for name in known if not is_read_as_written(name, frozen.lines(FILE).get(name))} == set()


def test_every_event_has_the_first_schema() -> None:
    assert {name for name, (_, kind) in registered().items() if kind.schema != 1} == set()
