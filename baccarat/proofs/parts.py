"""What an exported round holds beside its events, field by field: the shoe, paths in the tree, and keys."""

from typing import Annotated

import msgspec

# The length refuses the newline that `$` lets through.
Hash = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$", max_length=64, examples=["9f2c5e7a41b0d863" * 4])]
"""32 bytes in hex, as we write them: two spellings of one value would be two files."""


class ExportedOpening(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A card of a shoe that still runs, with its salt and its path in the tree of that shoe."""

    position: int
    card: str
    salt: Hash
    path: list[Hash]


class ExportedShoe(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The round's shoe: `seed` is None while it is secret, `root` where no tree was made, `position` without cards."""

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
    """The way from an event's place in the log up to the root of the checkpoint's tree."""

    position: int
    path: list[Hash]


class ExportedKey(msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename={"since": "from"}):
    """A key that has signed checkpoints, and when it might."""

    id: str
    public: Hash
    since: str
    until: str | None
