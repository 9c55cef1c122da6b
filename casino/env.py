"""Read environment variables strictly: an invalid value stops the start with the variable's name."""

import os
from collections.abc import Collection
from datetime import date
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured


def text(name: str, default: str | None = None) -> str:
    """Read NAME, or the file in NAME_FILE. Raises ImproperlyConfigured if neither is set and there is no default."""
    file = os.environ.get(f"{name}_FILE")
    if file:
        return Path(file).read_text(encoding="utf-8").strip()
    value = os.environ.get(name, default)
    if value is None:
        raise ImproperlyConfigured(f"Set {name} (or {name}_FILE) in the environment.")
    return value


def flag(name: str, *, default: bool) -> bool:
    """Read true or false; nothing else is accepted."""
    value = os.environ.get(name, str(default)).lower()
    if value not in {"true", "false"}:
        raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")
    return value == "true"


def choice(name: str, choices: Collection[str]) -> str:
    """Read one of these words, empty if it is not set."""
    value = os.environ.get(name, "")
    if value not in choices:
        raise ImproperlyConfigured(f"{name} must be {', '.join(filter(None, choices))}, not {value!r}.")
    return value


def integer(name: str, *, default: int, minimum: int | None = None, maximum: int | None = None) -> int:
    """Read a whole number in a range."""
    number = parse_integer(name, os.environ.get(name, str(default)))
    if (minimum is not None and number < minimum) or (maximum is not None and number > maximum):
        bounds = f"{minimum} or more" if maximum is None else f"{minimum} to {maximum}"
        raise ImproperlyConfigured(f"{name} must be {bounds}.")
    return number


def parse_integer(name: str, value: str) -> int:
    """Parse a whole number; `name` is used in the error."""
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}.") from None


def day(name: str) -> date | None:
    """Read a day such as 2026-01-31, None if it is not set."""
    value = os.environ.get(name, "").strip()
    try:
        return date.fromisoformat(value) if value else None
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a day such as 2026-01-31, not {value!r}.") from None


def string_list(name: str, default: str = "") -> list[str]:
    """Read a comma-separated list."""
    return [word.strip() for word in os.environ.get(name, default).split(",") if word.strip()]


def pairs(name: str) -> list[tuple[str, str]]:
    """Read a comma-separated list of `key=value`, from NAME or the file in NAME_FILE."""
    items = [word.strip().partition("=") for word in text(name, "").split(",") if word.strip()]
    if not all(key and value for key, _, value in items):
        raise ImproperlyConfigured(f"{name} must be `name=value`, comma separated.")
    return [(key, value) for key, _, value in items]
