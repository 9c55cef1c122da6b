"""One whole system on this run's servers: two players in a round, `kill -9` of worker and web, and an audit."""

import asyncio
from pathlib import Path
from typing import Final

from pytest_django import DjangoDbBlocker

from tests.conftest import Database
from tests.support.books import audit
from tests.support.kills import kill_in_a_round
from tests.support.whole_system import running_system

SHARED: Final = ("DATABASE_URL", "DATABASE_OWNER_URL", "REDIS_URL", "SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS")


def test_a_round_outlives_the_worker_and_the_web_server(
    database: Database, tmp_path: Path, django_db_blocker: DjangoDbBlocker
) -> None:
    given = {name: database.environment[name] for name in SHARED}
    with running_system(tmp_path, name="smoke", WEB_PROCESSES="1", **given) as system:
        asyncio.run(kill_in_a_round(system, lambda system: system.kill("worker", "web")))
        assert audit(system, django_db_blocker).findings == ()
