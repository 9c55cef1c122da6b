"""Mask listed words in messages, whatever their case, accents and simple look-alikes. Pure.

A word is a run of letters, digits, marks and signs that replace letters. It needs a letter, so that numbers are not
words. Nothing but listed words changes, and a text keeps its length.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import Final

MASK_CHARACTER: Final = "*"
_SIGNS: Final = {"@": "a", "$": "s", "!": "i", "|": "i", "\u20ac": "e", "+": "t"}
_DIGITS: Final = {"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g"}
# Letters of other scripts that look like Latin ones, in lower case.
_CYRILLIC: Final = dict(
    zip(
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u043a\u043c\u0442\u043d\u0432",
        "aeopcyxijskmthb",
        strict=True,
    )
)
_GREEK: Final = dict(zip("\u03b1\u03b5\u03bf\u03c1\u03b9\u03ba\u03bd\u03c4\u03c5\u03c7", "aeopikvtux", strict=True))
_OTHERS: Final = {"\u0131": "i", "\u0142": "l", "\u00f8": "o", "\u0111": "d"}
_ALIKE: Final = str.maketrans({**_SIGNS, **_DIGITS, **_CYRILLIC, **_GREEK, **_OTHERS})
_EDGES: Final = "".join(_SIGNS)


def normalize_word(word: str) -> str:
    """Return the form in which a word is compared: lower case, without accents, look-alikes made the same."""
    bare = _bare(word.casefold())
    return _bare(bare.casefold()).translate(_ALIKE)


def candidates(text: str) -> frozenset[str]:
    """Return the normalized forms in a text that may be listed words."""
    return frozenset(normalized for _, _, normalized in _words(text))


def mask(text: str, *, listed: Collection[str]) -> str:
    """Mask the words of a text whose normalized forms are listed."""
    masked, done = list(text), 0
    for start, end, normalized in _words(text):
        if normalized in listed and start >= done:
            masked[start:end] = MASK_CHARACTER * (end - start)
            done = end
    return "".join(masked)


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    """Words as (start, end, normalized form): with the signs at their edges, which may replace letters, and without."""
    for start, end in _runs(text):
        run = text[start:end]
        left, right = len(run) - len(run.lstrip(_EDGES)), len(run.rstrip(_EDGES))
        for first, last in dict.fromkeys(((0, len(run)), (0, right), (left, len(run)), (left, right))):
            word = run[first:last]
            if any(character.isalpha() for character in word):
                yield start + first, start + last, normalize_word(word)


def _runs(text: str) -> Iterator[tuple[int, int]]:
    start = None
    for place, character in enumerate(text):
        if _in_word(character):
            start = place if start is None else start
        elif start is not None:
            yield start, place
            start = None
    if start is not None:
        yield start, len(text)


def _in_word(character: str) -> bool:
    return character.isalnum() or character in _SIGNS or unicodedata.category(character)[0] == "M"


def _bare(text: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFKD", text) if unicodedata.category(each)[0] != "M")


WORD_PATTERN: Final = re.compile(r"\S{2,40}")


def is_listable_word(text: str) -> bool:
    """Tell whether a text is one word that can be listed."""
    if not WORD_PATTERN.fullmatch(text) or not any(character.isalpha() for character in text):
        return False
    return next(_runs(text), None) == (0, len(text)) and normalize_word(text) != ""
