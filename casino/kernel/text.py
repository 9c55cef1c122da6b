"""Texts by people and references by partners: what is taken, how texts are compared, and how they are shown.

What people write comes in through `clean` alone. A reference stays and is compared as its owner sent it
(`is_reference`).
"""

import re
import unicodedata
from typing import Final

from casino.kernel.errors import Invalid, Refusal

_EMOJI: Final = "\u00a9\u00ae\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_REGIONAL: Final = "\U0001f1e6-\U0001f1ff"
# Scripts whose letters U+200C keeps apart and U+200D joins: from Arabic to Sinhala, Myanmar, Khmer, Mongolian.
_JOINING: Final = "\u0600-\u0dff\u1000-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc\U00011000-\U0001134f"
_VIRAMAS: Final = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"

_SPACES: Final = re.compile(r"[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_LINE_ENDS: Final = re.compile(r" ?(?:\r\n?|\n) ?")
# Nothing is seen of soft hyphens, byte order marks, direction marks, and isolates as `isolate` writes them.
_IDLE: Final = re.compile(r"[\u00ad\u034f\u061c\u180e\u200b\u200e\u200f\u2060-\u2064\u2066-\u206f\ufeff]+")
_JOINERS: Final = re.compile("([\u200c\u200d])[\u200c\u200d]*")
_NEEDED: Final = re.compile(
    f"[{_VIRAMAS}][\u200c\u200d]|[{_JOINING}](?:\u200d|\u200c[{_JOINING}])|[{_EMOJI}\ufe0f\U000e007f]\u200d[{_EMOJI}]"
)
_FLAGS: Final = re.compile("\U0001f3f4[\U000e0030-\U000e007a]{1,6}\U000e007f")
# Letters and signs that show nothing: fillers of Hangul, inherent vowels of Khmer, the empty pattern of Braille.
_BLANK: Final = frozenset("\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U0001d159")
_FORMATS: Final = frozenset("\u200c\u200d\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2")
# Where Unicode goes on after the tables of this Python: emoji, and ideographs of planes 2 and 3.
_AHEAD: Final = re.compile("[\U0001f000-\U0001faff\U0001fc00-\U0001fffd\U00020000-\U0002fffd\U00030000-\U0003fffd]")
_EXTENDS: Final = re.compile(
    f"([{_REGIONAL}])[{_REGIONAL}]|\u200d[{_EMOJI}]|[\u200c\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_SELECTORS: Final = re.compile("[\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef]+")
_RIGHT_TO_LEFT: Final = frozenset({"R", "AL", "AN"})
MAX_BYTES_PER_CHARACTER: Final = 12
NO_CONTROLS: Final = r"^[^\x00-\x1f\x7f-\x9f]*\Z"
"""What a reference matches, in text that is valid Unicode."""


class UnfitText(Invalid):
    code = "text_not_allowed"
    title = "The text has characters that are not allowed, or none that anybody could see"
    remedy = "Send plain text, without control characters and what turns the direction of a line."


class TextTooLong(UnfitText):
    title = "The text is too long"
    remedy = "Send at most as many characters as the detail says."


def clean(text: str, *, limit: int, multiline: bool = False) -> str:
    """Return a text as it is stored: NFC, one plain space for each run of spaces, nothing without effect.

    `limit` counts what people see as one character, and stands for twelve bytes of each. A text of spaces is empty.
    Raises TextTooLong, and UnfitText for controls, bidirectional overrides, unassigned characters and what nobody sees.
    """
    cleaned = _normalise(text)
    if multiline:
        cleaned = _LINE_ENDS.sub("\n", cleaned).strip()
    for each in _FLAGS.sub("", cleaned.replace("\n", "") if multiline else cleaned):
        if _is_unfit(each):
            raise UnfitText(f"The character U+{ord(each):04X} is not allowed.")
    if cleaned and not any(map(_shows, cleaned)):
        raise UnfitText("Nobody could see this text.")
    if length(cleaned) > limit or len(cleaned.encode()) > MAX_BYTES_PER_CHARACTER * limit:
        raise TextTooLong(f"At most {limit} characters are allowed.")
    return cleaned


def require(text: str, *, limit: int, refusal: type[Refusal], empty: bool = False, multiline: bool = True) -> str:
    """Return a text as it is stored. Raises the refusal where `clean` does not take it, or where it is empty."""
    try:
        cleaned = clean(text, limit=limit, multiline=multiline)
    except UnfitText as unfit:
        raise refusal(unfit.detail) from None
    if not (cleaned or empty):
        raise refusal
    return cleaned


def salvage(text: str, *, limit: int) -> str:
    """Return what `clean` takes of a text, cut: for texts beside which more matters, which are never refused."""
    taken = _normalise("".join(" " if _is_unfit(each) else each for each in text[: 4 * limit]))
    taken = _normalise(taken[:limit])
    return taken if any(map(_shows, taken)) else ""


def is_reference(text: str, *, limit: int) -> bool:
    """Tell whether a text can be somebody's reference: of at most `limit` characters, none a control or surrogate."""
    return 0 < len(text) <= limit and not any(unicodedata.category(each) in {"Cc", "Cs"} for each in text)


def length(text: str) -> int:
    """Return how many characters people see: with their marks and modifiers, a joined emoji and a flag as one."""
    if text.isascii():
        return len(text)
    return sum(unicodedata.category(each)[0] != "M" for each in _EXTENDS.sub(r"\1", text))


def fold(text: str) -> str:
    """Return what spellings of one text have in common, in whatever case, width and spacing."""
    bare = _SELECTORS.sub("", _normalise(text))
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", bare).casefold())


def isolate(text: str) -> str:
    """Return a text that keeps its own order of letters among others; one from left to right stays as it is."""
    right_to_left = any(unicodedata.bidirectional(each) in _RIGHT_TO_LEFT for each in text)
    return f"\u2068{text}\u2069" if right_to_left else text


def _normalise(text: str) -> str:
    bare = _JOINERS.sub(_needed_joiner, _IDLE.sub("", text))
    return unicodedata.normalize("NFC", _SPACES.sub(" ", bare).strip(" "))


def _needed_joiner(joiners: re.Match[str]) -> str:
    text, (start, end) = joiners.string, joiners.span()
    around = text[max(start - 1, 0) : start] + joiners[1] + text[end : end + 1]
    return joiners[1] if _NEEDED.match(around) else ""


def _is_unfit(character: str) -> bool:
    match unicodedata.category(character):
        case "Cc" | "Co" | "Cs" | "Zl" | "Zp":
            return True
        case "Cf":
            return character not in _FORMATS
        case "Cn":
            return not _AHEAD.match(character)
        case _:
            return character in _BLANK


def _shows(character: str) -> bool:
    return unicodedata.category(character)[0] not in "MZ" and character not in "\n\u200c\u200d"
