"""What this release reads and writes of each event: printed by `make api-document` when a version is published."""

import json
import sys
from typing import Any, Final, cast

import django
import msgspec

from casino.devstack.home import PROJECT

Schemas = dict[str, dict[str, Any]]
"""By event: the newest schema that is read, the one that is written, and the shape of the newest."""
_WORDS: Final = frozenset({"title", "description"})


def current_schemas() -> Schemas:
    """Return those of this code, as JSON gives them back."""
    from baccarat.chat.storage import CATALOGUE as CHAT  # noqa: PLC0415  (after django.setup)
    from baccarat.storage.event_registry import CATALOGUE as PLAY  # noqa: PLC0415
    from casino.checkpoints.archives import ARCHIVE_EVENTS  # noqa: PLC0415
    from casino.checkpoints.manifests import MANIFEST_EVENTS  # noqa: PLC0415
    from casino.compliance.erasure import ERASURE_EVENTS  # noqa: PLC0415
    from casino.events.schema import SCHEMA_EVENTS  # noqa: PLC0415
    from casino.operators.changes import CHANGE_EVENTS  # noqa: PLC0415
    from wallet.events import CATALOGUE as WALLET  # noqa: PLC0415

    other = (MANIFEST_EVENTS, ARCHIVE_EVENTS, CHANGE_EVENTS, ERASURE_EVENTS, SCHEMA_EVENTS)
    schemas = {
        kind.event.__name__: {
            "reads": kind.schema,
            "writes": kind.stored,
            "shape": _without_words(msgspec.json.schema(kind.event)),
        }
        for registry in (PLAY, WALLET, CHAT, *other)
        for kind in registry.types
    }
    return cast("Schemas", json.loads(json.dumps(schemas)))


def _without_words(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {name: _without_words(each) for name, each in schema.items() if name not in _WORDS}
    return [_without_words(each) for each in schema] if isinstance(schema, list) else schema


def unreadable(before: Schemas, now: Schemas) -> list[str]:
    """Return what a release with these schemas writes that the one before can't read, or can't read itself."""
    faults = [f"{name} can't be read any more" for name in before.keys() - now.keys()]
    for name, event in now.items():
        known = before.get(name, {"reads": 0, "shape": None})
        if event["writes"] > known["reads"]:
            faults.append(f"{name} is written in schema {event['writes']}, the release before reads {known['reads']}")
        if event["reads"] < known["reads"]:
            faults.append(f"{name} of schema {known['reads']} can't be read any more")
        if event["reads"] == known["reads"] and event["shape"] != known["shape"]:
            faults.append(f"{name} has another shape and no new schema")
    return sorted(faults)


if __name__ == "__main__":
    django.setup()
    from casino.api.reference import VERSION

    migrations = sorted(path.stem for path in PROJECT.glob("*/**/migrations/0*.py"))
    published = {"version": VERSION, "events": current_schemas(), "migrations": migrations}
    json.dump(published, sys.stdout, sort_keys=True)
