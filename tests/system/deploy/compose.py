"""Reads deploy/compose.yaml as the container engine does."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from casino.devstack.home import PROJECT
from casino.variables import PROCESSES

COMPOSE = PROJECT / "deploy" / "compose.yaml"
OURS = PROCESSES
VALUES = {
    "ALLOWED_HOSTS": "casino.example.com",
    "CSRF_TRUSTED_ORIGINS": "https://casino.example.com",
    "BEHIND_TLS_PROXY": "true",
    "SECRET_KEY": "only-for-tests-" + "0123456789abcdef" * 4,
    "SHOE_KEYS": "2026a:" + "5c" * 32,
    "PERSONAL_KEYS": "2026a:" + "6d" * 32,
    "CHECKPOINT_KEYS": "2026a:" + "6d" * 32,
    "CHECKPOINT_STORAGE": "file:///checkpoints",
    "LOG_ORIGIN": "casino.example.com/log",
    "EMAIL_HOST": "mail.example.com",
    "EMAIL_FROM": "casino@example.com",
    "POSTGRES_IMAGE": "postgres:18@sha256:" + "0a" * 32,
    "REDIS_IMAGE": "redis:7@sha256:" + "0b" * 32,
    "PYTHON_IMAGE": "python:3.13-slim@sha256:" + "0c" * 32,
    "POSTGRES_PASSWORD": "super-word",
    "CASINO_OWNER_PASSWORD": "owner-word",
    "CASINO_APP_PASSWORD": "app-word",
    "CASINO_WEB_PASSWORD": "web-word",
    "CASINO_BACKUP_PASSWORD": "backup-word",
    "REDIS_PASSWORD": "redis-word",
}
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def services(values: Mapping[str, str] = VALUES) -> dict[str, Any]:
    """Return the services with variables substituted. Raises KeyError for a required one without a value."""

    def value(match: re.Match[str]) -> str:
        name, kind, rest = match.groups()
        return values.get(name, rest) if kind == "-" else values[name]

    filled = VARIABLE.sub(value, COMPOSE.read_text(encoding="utf-8"))
    return yaml.safe_load(filled)["services"]
