"""Append-only tables with a retention period, enforced by PostgreSQL triggers.

Like `casino.events.immutability`, but a row may be deleted at the end of its legal retention period. For use in any
app's migrations, after `staff` 0001_initial.
"""

from typing import Final

from casino.events.immutability import app_role, grant_all, safe_identifier

FUNCTION: Final = """
CREATE FUNCTION staff_refuse_young() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND TG_LEVEL = 'ROW' THEN
        IF (to_jsonb(OLD) ->> TG_ARGV[0])::timestamptz < clock_timestamp() - TG_ARGV[1]::interval THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION '% keeps its rows for %', TG_TABLE_NAME, TG_ARGV[1] USING ERRCODE = 'restrict_violation';
    END IF;
    RAISE EXCEPTION '% is never changed', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$
"""
"""Allows DELETE of a row whose time, in the column of argument 0, is older than argument 1."""
DROP_FUNCTION: Final = "DROP FUNCTION staff_refuse_young()"


def retain_for_sql(table: str, *, column: str, days: int) -> tuple[str, ...]:
    """Return the statements that make a table append-only, except for deleting rows of this many days or more.

    `column` is the time of a row. Reverse with `drop_retain_for_sql`.
    """
    name, role = safe_identifier(table), app_role()
    refuse = f"EXECUTE FUNCTION staff_refuse_young('{safe_identifier(column)}', '{int(days)} days')"
    return (
        f"REVOKE ALL ON TABLE {name} FROM PUBLIC, {role}",
        f"GRANT SELECT, INSERT, DELETE ON TABLE {name} TO {role}",
        f"CREATE TRIGGER {name}_keeps_young BEFORE DELETE ON {name} FOR EACH ROW {refuse}",
        f"CREATE TRIGGER {name}_never_changes BEFORE UPDATE OR TRUNCATE ON {name} FOR EACH STATEMENT {refuse}",
        f"ALTER TABLE {name} ENABLE ALWAYS TRIGGER {name}_keeps_young",
        f"ALTER TABLE {name} ENABLE ALWAYS TRIGGER {name}_never_changes",
    )


def drop_retain_for_sql(table: str) -> tuple[str, ...]:
    """Return the statements that undo `retain_for_sql`, for a migration's reverse."""
    name = safe_identifier(table)
    return (
        f"DROP TRIGGER {name}_never_changes ON {name}",
        f"DROP TRIGGER {name}_keeps_young ON {name}",
        *grant_all(table),
    )
