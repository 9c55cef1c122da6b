"""The settings of a connection to PostgreSQL. The backend is Django's with two additions (see base.py)."""

from typing import Any

from psycopg.conninfo import conninfo_to_dict

from casino.variables import value

TIMEOUTS: dict[str, dict[str, str]] = {
    "short": {"lock_timeout": "2s", "statement_timeout": "10s", "idle_in_transaction_session_timeout": "2500ms"},
    "long": {"lock_timeout": "30s", "statement_timeout": "0", "idle_in_transaction_session_timeout": "10min"},
}
"""What bounds each wait: short where players wait (web, worker), long for jobs and commands. Short by ALTER ROLE."""
NETWORK = {"connect_timeout": 2, "tcp_user_timeout": 3000, "keepalives_idle": 3, "keepalives_interval": 1}
"""After how many seconds, and for `tcp_user_timeout` milliseconds, an unreachable server is given up."""


def connection_settings(url: str, *, process: str, app_role: str) -> dict[str, Any]:
    """Turn a libpq URL into Django's settings for one database."""
    parameters = conninfo_to_dict(url)
    options: dict[str, Any] = {
        # Prepared statements need server-side binding; switch off behind a transaction-mode pooler.
        "server_side_binding": True,
        "prepare_threshold": 5 if value("DATABASE_PREPARED_STATEMENTS") else None,
    }
    default = "short" if process in ("web", "worker") else "long"
    timeouts = value("DATABASE_TIMEOUTS") or default
    if not value("DATABASE_POOLER"):  # a pooler refuses these: roles have the short ones
        settings = TIMEOUTS[timeouts]
        if value("DATABASE_ROLE") == "app":
            settings = {"role": app_role, **settings}
        options["options"] = " ".join(f"-c {name}={value}" for name, value in settings.items())
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    keys = {names[key]: value for key, value in parameters.items() if key in names}
    options.update(NETWORK)
    options.update({key: value for key, value in parameters.items() if key not in names})
    return {
        "ENGINE": "casino.database",
        **keys,
        "OPTIONS": options,
        "GIVE_UP": timeouts == "short",
        "CONN_MAX_AGE": value("DATABASE_CONN_MAX_AGE"),
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": not value("DATABASE_PREPARED_STATEMENTS"),
    }
