"""SQL for migrations that makes tables append-only.

There are two layers: the application's role is granted only SELECT and INSERT; and triggers, enabled ALWAYS so that no
session setting skips them, refuse UPDATE, DELETE and TRUNCATE to everyone, including the table's owner.
"""

import re
from typing import Final

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,47}", re.ASCII)


def app_role() -> str:
    """Return the application's role, safe to use in SQL. Raises ImproperlyConfigured for an unsafe name."""
    return safe_identifier(settings.DATABASE_APP_ROLE)


def append_only(table: str) -> tuple[str, ...]:
    """Return the statements that allow rows of `table` to be read and added, but not changed or removed.

    Run them after the table is created and after `casino.events` 0001_initial. Raises ImproperlyConfigured when `table`
    is not a plain lower-case name. Reverse with `lift_append_only`.
    """
    name, role = safe_identifier(table), app_role()
    refuse = "EXECUTE FUNCTION events_refuse_change()"
    return (
        f"REVOKE ALL ON TABLE {name} FROM PUBLIC, {role}",
        f"GRANT SELECT, INSERT ON TABLE {name} TO {role}",
        f"CREATE TRIGGER {name}_keeps_rows BEFORE UPDATE OR DELETE ON {name} FOR EACH ROW {refuse}",
        f"CREATE TRIGGER {name}_refuses BEFORE UPDATE OR DELETE OR TRUNCATE ON {name} FOR EACH STATEMENT {refuse}",
        f"ALTER TABLE {name} ENABLE ALWAYS TRIGGER {name}_keeps_rows",
        f"ALTER TABLE {name} ENABLE ALWAYS TRIGGER {name}_refuses",
    )


def lift_append_only(table: str) -> tuple[str, ...]:
    """Return the statements that undo `append_only(table)`, for reverse migrations."""
    name = safe_identifier(table)
    return (f"DROP TRIGGER {name}_refuses ON {name}", f"DROP TRIGGER {name}_keeps_rows ON {name}", *grant_all(table))


def grant_all(table: str) -> tuple[str, ...]:
    """Return the statements that let the application's role read and write rows of an ordinary table."""
    name, role = safe_identifier(table), app_role()
    return (
        f"REVOKE ALL ON TABLE {name} FROM PUBLIC, {role}",
        f"GRANT SELECT, INSERT, UPDATE, DELETE ON TABLE {name} TO {role}",
    )


def safe_identifier(name: str) -> str:
    """Return a name that is safe to use in SQL. Raises ImproperlyConfigured for an unsafe one."""
    if _NAME.fullmatch(name) is None:
        raise ImproperlyConfigured(f"{name!r} is not a plain lower-case SQL name.")
    return name
