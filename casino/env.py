"""Strict readers of the environment: a wrong value stops the start, with the variable's name."""

import os
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str | None = None) -> str:
    """Read NAME, or the file that NAME_FILE points at. Raises ImproperlyConfigured when neither is set."""
    file = os.environ.get(f"{name}_FILE")
    if file:
        return Path(file).read_text(encoding="utf-8").strip()
    value = os.environ.get(name, default)
    if value is None:
        raise ImproperlyConfigured(f"Set {name} (or {name}_FILE) in the environment.")
    return value


def flag(name: str, *, default: bool) -> bool:
    """Read true or false, and nothing else."""
    value = os.environ.get(name, str(default)).lower()
    if value not in {"true", "false"}:
        raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")
    return value == "true"


def integer(name: str, *, default: int) -> int:
    return parse_integer(name, os.environ.get(name, str(default)))


def parse_integer(name: str, value: str) -> int:
    """Read a whole number that stands in a longer value; `name` is what it is called where it is none."""
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None


def string_list(name: str, default: str = "") -> list[str]:
    """Read a comma-separated list."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def pairs(name: str) -> list[tuple[str, str]]:
    """Read a comma-separated list of `key=value`, from NAME or the file that NAME_FILE points at."""
    found = [word.strip().partition("=") for word in text(name, "").split(",") if word.strip()]
    if not all(key and value for key, _, value in found):
        raise ImproperlyConfigured(f"{name} must be `name=value`, comma separated.")
    return [(key, value) for key, _, value in found]
