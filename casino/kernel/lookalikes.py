"""What texts look like, by Unicode's table of confusable characters (UTS 39)."""

import json
import unicodedata
from functools import cache
from importlib import resources

from casino.kernel.text import fold


def looks(text: str) -> frozenset[str]:
    """Return what a text looks like as it is and in lower case. Two that share a form can be taken for each other."""
    return frozenset(map(_skeleton, (text, fold(text))))


@cache
def prototypes() -> dict[int, str]:
    """Map characters to what stands for all that look the same; one that looks like several others, to those."""
    table = resources.files("confusable_homoglyphs").joinpath("confusables.json").read_bytes()
    alike: dict[str, set[str]] = {}
    for name, others in json.loads(table).items():
        # The package keeps the direction marks that the table has around letters from right to left.
        alike.setdefault(name.strip("\u200e"), set()).update(each["c"].strip("\u200e") for each in others)
    return {
        ord(character): max((character, *others), key=lambda each: (len(each) > 1, len(alike[each]), each))
        for character, others in alike.items()
        if len(character) == 1
    }


def _skeleton(text: str) -> str:
    seen = unicodedata.normalize("NFD", text)
    for _ in range(2):  # what stands for several characters has some that others stand for
        seen = seen.translate(prototypes())
    return unicodedata.normalize("NFD", seen)
