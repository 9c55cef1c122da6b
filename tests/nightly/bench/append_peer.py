"""A writer process of the peer's: `eventsourcing` with its PostgreSQL recorder as it comes, without our Django."""

import functools
import importlib
import os
import uuid
from typing import Any

from psycopg.conninfo import conninfo_to_dict

from tests.nightly.bench.worker import serve

PAYLOAD = b'{"cards":["KS","7H","2C","9D"],"note":"' + b"x" * 96 + b'"}'


@functools.cache
def recorder(*, create: bool = False) -> Any:
    """Connect the peer's recorder; `create` makes its table first."""
    connection = conninfo_to_dict(os.environ["BENCH_OWNER_URL"])
    settings = {
        "PERSISTENCE_MODULE": "eventsourcing.postgres",
        "POSTGRES_DBNAME": str(connection["dbname"]),
        "POSTGRES_HOST": str(connection.get("host", "")),
        "POSTGRES_PORT": str(connection.get("port", "5432")),
        "POSTGRES_USER": str(connection.get("user", "")),
        "POSTGRES_PASSWORD": str(connection.get("password", "")),
        "POSTGRES_POOL_SIZE": "1",
        "CREATE_TABLE": "y" if create else "n",
    }
    environment = importlib.import_module("eventsourcing.utils").Environment("Bench", settings)
    return importlib.import_module("eventsourcing.postgres").PostgresFactory(environment).application_recorder()


def make() -> bool:
    """Make the peer's table."""
    recorder(create=True)
    return True


def run(*, transactions: int, batch: int) -> int:
    """Insert `batch` events in each of so many transactions, and return how many events that were."""
    stored, own = importlib.import_module("eventsourcing.persistence").StoredEvent, recorder()
    for _ in range(transactions):
        stream = uuid.uuid4()
        own.insert_events([stored(stream, version + 1, "bench:Dealt", PAYLOAD) for version in range(batch)])
    return transactions * batch


if __name__ == "__main__":
    serve({"create": make, "append": run})
