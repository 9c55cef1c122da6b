"""Compare triggers, functions, privileges, roles, rules and row security with what migrations made.

What they should be is read from the SQL of the migrations themselves, so it is declared once. An owner can switch a
trigger off, change a row and switch it on again: the audit of the rows finds that, and this finds what was left.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from django.apps import apps
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import RunSQL, SeparateDatabaseAndState

from casino.events.immutability import app_role
from casino.events.sql import fetch
from casino.kernel.findings import Finding

DIFFERS: Final = "guard differs from the migrations"
_TRIGGER: Final = re.compile(r"CREATE (?:CONSTRAINT )?TRIGGER (\w+) (?:BEFORE|AFTER) (.+?) ON (\w+)[^;]*", re.DOTALL)
_ALWAYS: Final = re.compile(r"ALTER TABLE \w+ ENABLE ALWAYS TRIGGER (\w+)")
_FUNCTION: Final = re.compile(r"CREATE (?:OR REPLACE )?FUNCTION (\w+)\s*\(.*?AS (\$\w*\$)(.*?)\2", re.DOTALL)
_PRIVILEGE: Final = re.compile(r"(GRANT|REVOKE) ([^;]+?) ON TABLE ([\w, ]+?) (?:TO|FROM) ([\w, ]+)")
_WITH_COLUMNS: Final = re.compile(r"(\w+) ?\(([^)]*)\)|(\w+)")
_TRIGGERS: Final = """
    SELECT tgname::text, relname::text, relispartition, pg_get_triggerdef(pg_trigger.oid), tgenabled::text
      FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid AND relnamespace = 'public'::regnamespace
     WHERE NOT tgisinternal
"""
_FUNCTIONS: Final = """
    SELECT proname::text, prosrc, prosecdef FROM pg_proc WHERE pronamespace = 'public'::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
"""
_TABLE_PRIVILEGES: Final = """
    SELECT relname::text, coalesce(pg_roles.rolname, 'PUBLIC')::text, privilege_type, NULL
      FROM pg_class CROSS JOIN LATERAL aclexplode(relacl) LEFT JOIN pg_roles ON pg_roles.oid = grantee
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND grantee <> relowner
    UNION ALL
    SELECT relname::text, coalesce(pg_roles.rolname, 'PUBLIC')::text, privilege_type, attname::text
      FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid CROSS JOIN LATERAL aclexplode(attacl)
      LEFT JOIN pg_roles ON pg_roles.oid = grantee
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND grantee <> relowner
"""
_ROLE: Final = """
    WITH own AS (SELECT * FROM pg_roles WHERE rolname = %s)
    SELECT attribute FROM own, LATERAL (VALUES
        ('SUPERUSER', rolsuper), ('CREATEROLE', rolcreaterole), ('CREATEDB', rolcreatedb), ('BYPASSRLS', rolbypassrls),
        ('REPLICATION', rolreplication), ('CREATE in public', has_schema_privilege(own.oid, 'public', 'CREATE'))
    ) AS has (attribute, given) WHERE given
    UNION ALL SELECT 'member of ' || roleid::regrole FROM own JOIN pg_auth_members ON member = own.oid
     WHERE roleid::regrole::text <> 'pg_use_reserved_connections'
    UNION ALL SELECT 'owner of ' || relname FROM own JOIN pg_class ON relowner = own.oid
     WHERE relnamespace = 'public'::regnamespace
    ORDER BY 1
"""
_OTHERS: Final = """
    SELECT 'rule ' || rulename || ' on ' || tablename FROM pg_rules WHERE schemaname = 'public'
    UNION ALL
    SELECT 'row security on ' || relname FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND (relrowsecurity OR relforcerowsecurity)
    ORDER BY 1
"""


def check() -> list[Finding]:
    """Return what differs."""
    statements = migration_sql()
    return [*_check_triggers(statements), *_check_functions(statements), *_check_privileges(statements), *_extra()]


@cache
def migration_sql() -> str:
    """Return the SQL that the migrations of the code contain."""
    migrations = MigrationLoader(None, ignore_no_migrations=True).disk_migrations
    return "\n;\n".join(statement for key in sorted(migrations) for statement in _sql_of(migrations[key].operations))


def _sql_of(operations: Iterable[object]) -> Iterator[str]:
    for operation in operations:
        if isinstance(operation, SeparateDatabaseAndState):
            yield from _sql_of(operation.database_operations)
        elif isinstance(operation, RunSQL):
            yield from [operation.sql] if isinstance(operation.sql, str) else map(str, operation.sql)


def _check_triggers(statements: str) -> Iterator[Finding]:
    always = set(_ALWAYS.findall(statements))
    made = {
        match[1]: (_normalise(match[0], match[2]), "A" if match[1] in always else "O")
        for match in _TRIGGER.finditer(statements)
    }
    stored, tables = {}, _known_tables(statements)
    for name, table, is_partition, definition, enabled in fetch(_TRIGGERS):
        if table not in tables and not is_partition:
            continue
        match = _TRIGGER.match(definition.replace(" ON public.", " ON ", 1))
        stored[name] = (definition if match is None else _normalise(match[0], match[2]), enabled)
    yield from _compare("trigger", made, stored)


def _known_tables(statements: str) -> set[str]:
    """Return the tables that this release knows; a later one, beside which it runs, may have added others."""
    models = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}  # noqa: SLF001  (documented)
    return models | {match[3] for match in _TRIGGER.finditer(statements)} | set(_privileges(statements))


def _normalise(definition: str, events: str) -> str:
    """Write a trigger's definition with single spaces and its events in order."""
    ordered = " OR ".join(sorted(" ".join(events.split()).split(" OR ")))
    return " ".join(definition.replace(events, ordered, 1).split())


def _check_functions(statements: str) -> Iterator[Finding]:
    made = {match[1]: (match[3], "SECURITY DEFINER" in match[0]) for match in _FUNCTION.finditer(statements)}
    stored = {name: (source, definer) for name, source, definer in fetch(_FUNCTIONS)}
    yield from _compare("function", made, stored)


def _check_privileges(statements: str) -> Iterator[Finding]:
    """Compare the application's privileges in the tables that migrations name; nobody else may write to any."""
    role, made = app_role(), _privileges(statements)
    stored: dict[str, set[str]] = {table: set() for table in made}
    for table, grantee, privilege, column in fetch(_TABLE_PRIVILEGES):
        text = privilege if column is None else f"{privilege} ({column})"
        if grantee == role:
            stored.setdefault(table, set()).add(text)
        elif privilege != "SELECT":
            yield Finding(DIFFERS, f"privileges of {grantee} in {table}", "to read at most", text)
    for table in sorted(made):
        if made[table] != stored[table]:
            expected, actual = (", ".join(sorted(each)) for each in (made[table], stored[table]))
            yield Finding(DIFFERS, f"privileges of {role} in {table}", expected, actual)


def _privileges(statements: str) -> dict[str, set[str]]:
    """Apply every GRANT and REVOKE in order, from the REVOKE ALL of a table on."""
    tables: dict[str, set[str]] = {}
    for verb, privileges, names, _ in _PRIVILEGE.findall(statements):
        for table in names.replace(" ", "").split(","):
            if privileges.startswith("ALL"):
                tables[table] = set()
            elif table in tables:
                named = set(_each(privileges))
                tables[table] = tables[table] | named if verb == "GRANT" else tables[table] - named
    return tables


def _each(privileges: str) -> Iterator[str]:
    for name, columns, alone in _WITH_COLUMNS.findall(privileges):
        yield from (f"{name} ({column.strip()})" for column in columns.split(",")) if name else (alone,)


def _extra() -> Iterator[Finding]:
    role = app_role()
    for (more,) in fetch(_ROLE, [role]):
        yield Finding(DIFFERS, f"role {role}", "a role of no special rights, that owns nothing", more)
    for (name,) in fetch(_OTHERS):
        yield Finding(DIFFERS, name, "none", "there")


def _compare(kind: str, made: Mapping[str, object], stored: Mapping[str, object]) -> Iterator[Finding]:
    for name in sorted({*made, *stored}):
        if made.get(name) != stored.get(name):
            expected, actual = (" ".join(str(each.get(name, "none")).split())[:300] for each in (made, stored))
            yield Finding(DIFFERS, f"{kind} {name}", expected, actual)
