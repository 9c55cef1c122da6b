"""Two releases made of the working copy: the later one writes what the earlier one only reads, and shows it.

Both know that a wager has a `channel`, in its event of schema 2, in the state of its round and in the audit. The later
one stores schema 2, has a column for it, and a field of the API.
"""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from casino.devstack.home import PROJECT

COPIED: Final = ("casino", "wallet", "baccarat")
LINKED: Final = ("deploy", "pyproject.toml")

Changes = Mapping[str, tuple[tuple[str, str], ...]]
"""By file: texts that are replaced, each of which must be there once."""


def then(text: str, more: str) -> tuple[str, str]:
    """Return the change that adds something behind a text."""
    return text, text + more


_MEMBER: Final = '    channel: str = ""\n'
_ONLY_READ: Final = 'written=1, downcasts={2: _without("channel")}, '
READER: Final[Changes] = {
    "baccarat/domain/rounds/events.py": (
        then("field(default_factory=dict)\n    signature: WagerSignature | None = None\n", _MEMBER),
    ),
    "baccarat/domain/rounds/state.py": (
        then("    settlement: e.SeatSettled | None = None\n", _MEMBER),
        then("        signature=event.signature,\n", "        channel=event.channel,\n"),
    ),
    "baccarat/audit/traces.py": (
        then("    settlement: e.SeatSettled | None = None\n", _MEMBER),
        then("*(part.signature, part.settlement,", " part.channel,"),
    ),
    "baccarat/audit/betting.py": (
        then(
            "    part.status, part.confirmed_at = _CONFIRMED, event.confirmed_at\n",
            "    part.channel = event.channel\n",
        ),
    ),
    "baccarat/storage/event_registry.py": (
        then(
            "    WagerConfirmed: EventType(WagerConfirmed, ",
            f"schema=2, upcasts={{1: lambda fields: {{**fields, 'channel': ''}}}}, {_ONLY_READ}",
        ),
    ),
}
WRITER: Final[Changes] = {
    "baccarat/storage/event_registry.py": ((_ONLY_READ, ""),),
    "baccarat/domain/rounds/betting.py": (then("            confirmed_at=at,\n", '            channel="web",\n'),),
    "baccarat/storage/models.py": (
        then("    returned = models.BigIntegerField(null=True)\n", '    channel = models.TextField(db_default="")\n'),
    ),
    "baccarat/storage/projections.py": (
        then("        confirmed_at=seat.confirmed_at,\n", "        channel=seat.channel,\n"),
    ),
    "baccarat/queries/round_view.py": (
        then("    wager: tuple[StakeResponse, ...] | None\n", "    channel: str\n"),
        then("            status=seat.status,\n", "            channel=seat.channel,\n"),
    ),
}
MIGRATION: Final = """
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("baccarat", "{latest}")]
    operations = [migrations.AddField("Wager", "channel", models.TextField(db_default=""))]
"""
COLUMN: Final = "    column channel: text not null default ''::text\n"


def earlier(folder: Path) -> Path:
    """Make the release that knows the later one's events, and return its folder."""
    return _release(PROJECT, folder, READER)


def later(before: Path, folder: Path) -> Path:
    """Make the release after it."""
    _release(before, folder, WRITER)
    migrations = folder / "baccarat" / "migrations"
    latest = max(path.stem for path in migrations.glob("0*.py"))
    file = migrations / f"{int(latest[:4]) + 1:04}_channel.py"
    file.write_text(MIGRATION.format(latest=latest), encoding="utf-8")
    for description in (folder / "baccarat" / "schema").glob("*.txt"):
        text = description.read_text(encoding="utf-8")
        description.write_text(text.replace(*then("table baccarat_wager\n", COLUMN)), encoding="utf-8")
    return folder


def _release(source: Path, folder: Path, changes: Changes) -> Path:
    folder.mkdir()
    for name in COPIED:
        shutil.copytree(source / name, folder / name)  # with what Python compiled, which is valid for the same times
    shutil.copy2(source / "manage.py", folder)
    for name in LINKED:
        (folder / name).symlink_to(PROJECT / name)
    for name, replacements in changes.items():
        text = (folder / name).read_text(encoding="utf-8")
        for before, after in replacements:
            assert text.count(before) == 1, f"{name} has changed: change the releases of this test, too: {before}"
            text = text.replace(before, after)
        (folder / name).write_text(text, encoding="utf-8")
    return folder
