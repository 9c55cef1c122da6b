"""Checkpoints, their tree, keys and log id are the database's to keep: nobody removes a row."""

import psycopg
import pytest
from psycopg import errors

TABLES = ["log", "checkpoint", "copy", "node", "key", "retirement"]


def test_no_row_is_removed_or_truncated_by_the_application_or_the_owner_and_a_log_has_one_id(database):
    for url, refused in ((database.url, errors.InsufficientPrivilege), (database.owner_url, errors.RestrictViolation)):
        with psycopg.connect(url, autocommit=True) as connection:
            if refused is errors.InsufficientPrivilege:
                connection.execute("SET ROLE casino_app")
            for name in TABLES:
                for statement in ("DELETE FROM {}", "TRUNCATE {} CASCADE"):
                    with pytest.raises(refused):
                        connection.execute(statement.format(f"checkpoints_{name}"))
    with database.owner() as owner, pytest.raises(errors.UniqueViolation):
        owner.execute("INSERT INTO checkpoints_log DEFAULT VALUES")
