"""A short list of bad words to begin with, English and German; each house makes its own of it."""

from typing import Final

STARTER_WORDS: Final = (
    "arschloch", "arsehole", "asshole", "bastard", "bitch", "bullshit", "cunt", "fick", "ficken", "fuck", "fucked",
    "fucker", "fucking", "hure", "hurensohn", "motherfucker", "scheisse", "schlampe", "shit", "slut", "twat", "wanker",
    "whore", "wichser",
)  # fmt: skip
