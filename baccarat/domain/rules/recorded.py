"""Rules as they were recorded: the JSON in which they stand in the log, and its digest, which is their identity."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, Final, get_type_hints

import msgspec

from baccarat.domain.rules.table_rules import ShowMilliseconds, TableRules
from casino.kernel.canonical_json import canonical

_TYPES: Final = get_type_hints(TableRules) | {"show_milliseconds": dict[str, int]}
"""The types of fields, without bounds: they bind what is published now, and may be narrower than what once was."""
_Recorded: Final[Any] = msgspec.defstruct("_Recorded", [(name, kind, None) for name, kind in _TYPES.items()])


@dataclass(frozen=True)
class RecordedRules:
    """A table's rules in JSON, as recorded, and the digest by which everything names them.

    Both are made once, by `record`, and are copied from then on. Code that knows more members reads this JSON with
    their defaults, and never writes it anew: so nothing recorded changes with `TableRules`.
    """

    digest: str
    values: dict[str, Any] = field(hash=False)

    def __post_init__(self) -> None:
        try:
            _ = self.decoded
        except (msgspec.ValidationError, TypeError) as error:
            raise ValueError(str(error)) from error

    @cached_property
    def decoded(self) -> TableRules:
        """The rules that the JSON says, as this code knows them."""
        return _decode(self)


@lru_cache(maxsize=1024)
def record(rules: TableRules) -> RecordedRules:
    """Return rules that are to be recorded now."""
    values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(rules))
    return RecordedRules(digest_of(values), values)


def digest_of(values: Mapping[str, Any]) -> str:
    """Return the digest, in hex, of the canonical JSON (RFC 8785) of recorded rules."""
    return hashlib.sha256(canonical(values)).hexdigest()


@lru_cache(maxsize=1024)
def _decode(recorded: RecordedRules) -> TableRules:
    read = msgspec.convert(recorded.values, _Recorded)
    values = {name: getattr(read, name) for name in recorded.values if name in _TYPES}
    if "show_milliseconds" in values:
        values["show_milliseconds"] = ShowMilliseconds(**values["show_milliseconds"])
    return TableRules(**values)
