"""Mask listed words in messages, whatever their case, accents, look-alikes and spacing. Pure.

A word is a run of letters, digits, marks and signs that replace letters. It needs a letter, so that numbers are not
words. Letters that are spelled out, as in "d a r n", are a word, too, and so is each part of a run that begins and ends
at an ideograph, as Chinese and Japanese are written without spaces. Nothing but listed words changes, and a text keeps
its length.

A listed word without accents is found with any, except where accents make other words: in words of up to three letters
and in Vietnamese. One with accents is found with its own. The vowel signs of Indic and Thai scripts are no accents.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Final

from casino.kernel.lookalikes import prototypes
from casino.kernel.text import length

MASK_CHARACTER: Final = "*"
_SIGNS: Final = {"@": "a", "$": "s", "!": "i", "|": "i", "\u20ac": "e", "+": "t"}
_DIGITS: Final = {"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "9": "g"}
_REPLACED: Final = str.maketrans({**_SIGNS, **_DIGITS})
_EDGES: Final = "".join(_SIGNS)
_ACCENTS: Final = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]")
# Selectors and joiners, and what a word in Arabic or Hebrew is written with or without.
_IGNORED: Final = re.compile(
    "[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]"
)
_VIETNAMESE: Final = re.compile("[\u0103\u0111\u0129\u0169\u01a1\u01b0\u1ea0-\u1ef9]")
_IDEOGRAPHS: Final = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Letters of words that are what they look like: "вот" is Russian, not "bot", unless the rest of the text is Latin.
_LIVING: Final = re.compile(
    "[\u0370-\u03ff\u0430-\u0454\u0456\u0457\u0459-\u045f\u0530-\u0eff\u1000-\u10ff\u1780-\u17ff\u3040-\u9fff\uac00-\ud7ff]+"
)
_GAP: Final = re.compile(r"(?!.*\*\*).{1,3}", re.DOTALL)
_MAX_SPELLED: Final = 16
_MAX_LENGTH_WITH_IDEOGRAPHS: Final = 12
_MIN_LENGTH_WITH_ANY_ACCENTS: Final = 4
_MAX_LENGTH: Final = 40


def normalize_word(word: str) -> str:
    """Return the form in which a listed word is compared: lower case, look-alikes made the same."""
    return _forms([_fold(each) for each in word], rest_is_latin=False)[0]


def candidates(text: str) -> frozenset[str]:
    """Return the normalized forms in a text that may be listed words."""
    return frozenset(form for _, _, forms in _words(text) for form in forms)


def mask(text: str, *, listed: Collection[str]) -> str:
    """Mask the words of a text of which a normalized form is listed."""
    masked = list(text)
    for start, end, forms in _words(text):
        if any(form in listed for form in forms):
            masked[start:end] = MASK_CHARACTER * (end - start)
    return "".join(masked)


def _words(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Words as (start, end, normalized forms)."""
    folded = [_fold(each) if _in_word(each) else "" for each in text]
    letters = [each for each in "".join(folded) if each.isalpha()]
    is_latin = any(map(str.isascii, letters)) and all(map(_looks_latin, letters))
    accents_differ = _VIETNAMESE.search(unicodedata.normalize("NFC", text.casefold())) is not None
    for start, end in dict.fromkeys(_spans(text)):
        if any(map(str.isalpha, text[start:end])):
            forms = _forms(folded[start:end], rest_is_latin=is_latin)
            bare = () if accents_differ else (_ACCENTS.sub("", form) for form in forms)
            yield start, end, [*forms, *(each for each in bare if len(each) >= _MIN_LENGTH_WITH_ANY_ACCENTS)]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Where words may be: runs with and without the signs at their edges, what is spelled out, parts at ideographs."""
    spelled: list[tuple[int, int]] = []
    for start, end in _runs(text):
        run = text[start:end]
        left, right = start + len(run) - len(run.lstrip(_EDGES)), start + len(run.rstrip(_EDGES))
        yield from ((start, end), (start, right), (left, end), (left, right))
        if _IDEOGRAPHS.search(run):
            yield from _parts(text, start, end)
        if spelled and not _GAP.fullmatch(text, spelled[-1][1], start):
            spelled = []
        core = (left, right) if left < right else (start, end)
        spelled = [*spelled[1 - _MAX_SPELLED :], core] if length(text[slice(*core)]) == 1 else []
        yield from ((first, core[1]) for first, _ in spelled[:-2])


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    cuts = [start, *(place for place in range(start + 1, end) if _can_be_cut(text, place)), end]
    for first in cuts:
        yield from ((first, last) for last in cuts if 2 <= last - first <= _MAX_LENGTH_WITH_IDEOGRAPHS)


def _can_be_cut(text: str, place: int) -> bool:
    return _IDEOGRAPHS.search(text, place - 1, place + 1) is not None and unicodedata.category(text[place])[0] != "M"


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
    is_part = character.isalnum() or character in _SIGNS or unicodedata.category(character)[0] == "M"
    return is_part or _IGNORED.match(character) is not None


def _forms(folded: Sequence[str], *, rest_is_latin: bool) -> list[str]:
    """How a word may be read: as it is and, if it has letters of other scripts that look like Latin ones, as Latin."""
    own, latin = "".join(folded).translate(_REPLACED), "".join(map(_as_latin, folded)).translate(_REPLACED)
    letters = "".join(filter(str.isalpha, own))
    if any(map(str.isascii, letters)):
        return [latin]
    if all(map(_looks_latin, letters)):
        if rest_is_latin:
            return [own, latin]
        if not _LIVING.fullmatch(letters):
            return [latin]
    return [own]


@lru_cache(4096)
def _fold(character: str) -> str:
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return _IGNORED.sub("", folded)


@lru_cache(4096)
def _as_latin(folded: str) -> str:
    """Return the Latin letter, with accents, that a character or its upper case looks like; else the character."""
    for form in () if folded.isascii() else (folded, folded.upper()):
        alike = unicodedata.normalize("NFD", form.translate(prototypes())).casefold()
        if re.fullmatch("[a-z]", _ACCENTS.sub("", alike)):
            return alike
    return folded


def _looks_latin(letter: str) -> bool:
    return _as_latin(letter)[0].isascii()


def is_listable_word(text: str) -> bool:
    """Tell whether a text is one word that can be listed."""
    most = _MAX_LENGTH_WITH_IDEOGRAPHS if _IDEOGRAPHS.search(text) else _MAX_LENGTH
    if not 2 <= len(text) <= most or not any(map(str.isalpha, text)):
        return False
    return next(_runs(text), None) == (0, len(text)) and normalize_word(text) != ""
