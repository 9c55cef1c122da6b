"""A database in which all five presets were played, for the audit's tests: played once, cloned for each test."""

from collections.abc import Generator
from dataclasses import replace

import pytest
from pytest_django import DjangoDbBlocker

from baccarat.audit import engine
from tests.baccarat.audit.playing import play, seal, sit
from tests.conftest import Database, pointed_at
from tests.services import Services

PATIENCE = 3600.0


@pytest.fixture(scope="session")
def played_services(services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Services]:
    """Services whose template holds two rounds at a table of each preset, sealed."""
    name = services.clone()
    services.flush()
    with django_db_blocker.unblock(), pointed_at(services.url(name)):
        play(sit("overview"), 2, banker=2500, tie=500)
        play(sit("mini"), 2, banker=2500, player=1000)
        play(sit("classic"), 2, tie=500)
        play(sit("atlantic_city", players=2), 2, banker=100)
        play(sit("big_table", players=2), 2, banker=2500)
        seal()
    yield replace(services, template=name)
    services.drop(name)


@pytest.fixture
def played(played_services: Services, django_db_blocker: DjangoDbBlocker) -> Generator[Database]:
    """Yield a copy of the played database, and drop it at the end."""
    name = played_services.clone()
    try:
        with django_db_blocker.unblock(), pointed_at(played_services.url(name)):
            yield Database(
                url=played_services.url(name),
                owner_url=played_services.owner_url(name),
                environment=played_services.environment(name),
            )
    finally:
        played_services.drop(name)


@pytest.fixture
def audit_findings():
    """Return a function that audits and returns the kind and location of every finding; `oldest` is in seconds."""

    def run(*, oldest=PATIENCE, **options):
        return [(finding.kind, finding.location) for finding in engine.run_audit(max_wait=oldest, **options).findings]

    return run
