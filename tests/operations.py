"""The table of operations, `operations.toml`: what each takes, and what it leaves behind, at a live operator."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

KEY, PLAYER, PUBLIC, PROVIDER = "key", "player", "public", "provider"


@dataclass(frozen=True, slots=True)
class Row:
    """One operation; the columns are explained in the file."""

    by: frozenset[str]
    persons: int = 0
    matter: str = ""
    event: frozenset[str] = frozenset()
    sandbox: bool = False

    @property
    def callers(self) -> set[str]:
        """Return the kinds of credentials that it takes, as the document names them."""
        schemes = {PLAYER: "playerToken", PROVIDER: "providerSignature"}
        return {schemes.get(each, "operatorKey") for each in self.by - {PUBLIC}}


def _row(by: str | list[str], event: str | list[str] = (), **rest: Any) -> Row:
    return Row(by=_words(by), event=_words(event), **rest)


def _words(given: Any) -> frozenset[str]:
    return frozenset([given] if isinstance(given, str) else given)


_TABLE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_CHANGES: Final = _TABLE.pop("two_persons")
IN_THE_ADMIN_ALONE: Final = frozenset(_CHANGES["in_the_admin_alone"])
"""What two persons agree on in the admin, and no operation asks for or decides."""
AREAS: Final = {area: tuple(rows) for area, rows in _TABLE.items()}
ROWS: Final = {name: _row(**row) for rows in _TABLE.values() for name, row in rows.items()}
MATTERS: Final = IN_THE_ADMIN_ALONE | {*_CHANGES["by_a_cap"], *(row.matter for row in ROWS.values() if row.matter)}
"""Everything that two persons agree on."""
