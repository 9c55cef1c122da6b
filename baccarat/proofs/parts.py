"""Field types of an exported round beside its events: the shoe, paths in the tree, and keys."""

from typing import Annotated

import msgspec

# The length excludes the newline that `$` allows.
Hash = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$", max_length=64, examples=["9f2c5e7a41b0d863" * 4])]
"""32 bytes in lower-case hex: each value has one spelling only."""


class ExportedOpening(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A card of a shoe still in use, with its salt and its path in the shoe's tree."""

    position: int
    card: str
    salt: Hash
    path: list[Hash]


class ExportedShoe(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The round's shoe: `seed` is None while secret, `root` if there is no tree, `position` without cards."""

    id: str
    decks: int
    commitment: str
    contributions: list[dict[str, int | str]]
    cut: str
    seed: str | None
    root: str | None
    position: int | None
    openings: list[ExportedOpening]


class InclusionPath(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The path from an event's position in the log to the root of the checkpoint's tree."""

    position: int
    path: list[Hash]


class ExportedKey(msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename={"since": "from"}):
    """A key that signs checkpoints, and its period of validity."""

    id: str
    public: Hash
    since: str
    until: str | None
