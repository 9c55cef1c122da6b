"""Texts by people, as they are compared."""

import unicodedata


def fold(text: str) -> str:
    """Return what spellings of one text have in common, in whatever case and width."""
    return unicodedata.normalize("NFKC", text).casefold()
