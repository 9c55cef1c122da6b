"""Kinds of tampering by a superuser's SQL, and the finding that the audit reports for each.

One history is played and signed, with copies of its checkpoints in external storage. Independent kinds share a copy
of the database and one audit.
"""

import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.conf import settings
from django.db import connection

from baccarat.audit import engine
from casino.checkpoints import manifests, signing
from casino.significant import notes, recorder
from casino.significant.models import SignificantEvent
from tests.baccarat.audit import kinds_in_log_and_money, kinds_with_recomputed_chain
from tests.baccarat.audit.attacker import WITH_ORIGINAL_CHAIN, WITH_RECOMPUTED_CHAIN, Attacker
from tests.baccarat.audit.kinds_beside_the_log import OTHER_TABLES
from tests.baccarat.audit.playing import IMMUTABLE, play, rechain, seal, sit
from tests.conftest import Database, pointed_at
from tests.wallet.payments import counter

PATIENCE = 3600
KINDS = (kinds_in_log_and_money, kinds_with_recomputed_chain)
"""Imported for the kinds that they register."""


class Copies:
    """Copies of the signed history, with the folder of external copies of checkpoints."""

    def __init__(self, services, place):
        self.services = services
        self.place = place

    @contextlib.contextmanager
    def clone(self):
        """Yield a copy of the database to which Django is connected."""
        name = self.services.clone()
        try:
            with pointed_at(self.services.url(name)):
                url, owner = self.services.url(name), self.services.owner_url(name)
                yield Database(url=url, owner_url=owner, environment=self.services.environment(name))
        finally:
            self.services.drop(name)

    def audit_after(self, kinds, *, recomputed_chain=False):
        """Tamper; return the expected findings by kind, and the reports of one process and of several."""
        with self.clone() as database:
            assert engine.run_audit(max_wait=PATIENCE).findings == ()
            with database.owner() as connection:
                remove_protection(connection)
                expected = {name: change(Attacker(connection)) for name, change in kinds.items()}
            if recomputed_chain:
                rechain(database)
            single = report()
            with Threads(2) as pool:
                return expected, single, report(jobs=2, pool=pool)


def remove_protection(connection):
    """Disable triggers, and drop check and foreign-key constraints."""
    for table in (*IMMUTABLE, *OTHER_TABLES, "checkpoints_checkpoint"):
        connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for (drop,) in connection.execute(
        "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) FROM pg_constraint "
        "WHERE contype IN ('c', 'f') AND conrelid::regclass::text ~ '^(wallet|baccarat)_'"
    ).fetchall():
        connection.execute(drop)


class Threads(ThreadPoolExecutor):
    """Threads instead of the processes of an audit, each with its own connection."""

    def submit(self, work, /, *arguments, **named):
        def close_after():
            try:
                return work(*arguments, **named)
            finally:
                connection.close()

        return super().submit(close_after)


def report(**options):
    return engine.run_audit(max_wait=PATIENCE, **options)


def audit_findings():
    return [(finding.kind, finding.location) for finding in report().findings]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("outside") / "kept"


@pytest.fixture(scope="module")
def copies(played_services, django_db_blocker, place):
    name = played_services.clone()
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "CHECKPOINT_STORAGE", place.as_uri())
        with pointed_at(played_services.url(name)):
            counter.use_provider(patch)
            by = counter.method()
            counter.open_alice()
            deposit = counter.complete_deposit(by)
            for _ in range(2):
                counter.call_back(counter.report(deposit, "completed"))
            counter.withdraw(by)
            for subject in ("table:1", "table:2"):
                recorder.record(
                    kind=recorder.SignificantEventKind.TABLE_STOPPED, operator=None, subject=subject, actor="staff:1"
                )
            notes.acknowledge(SignificantEvent.objects.get(subject="table:1").id, by="staff:2", note="Seen")
            seal()
            signing.sign_now()
            manifests.create_manifests()
        yield Copies(replace(played_services, template=name), place)
    played_services.drop(name)


@pytest.fixture(scope="module")
def original_chain(copies):
    return copies.audit_after(WITH_ORIGINAL_CHAIN)


@pytest.fixture(scope="module")
def recomputed_chain(copies):
    return copies.audit_after(WITH_RECOMPUTED_CHAIN, recomputed_chain=True)


def require_findings(name, expected, single, shared):
    """Require each finding that a kind of tampering leads to."""
    del shared
    findings = [(finding.kind, finding.location) for finding in single.findings]
    pairs = expected[name] if isinstance(expected[name][0], tuple) else (expected[name],)
    for what, where in pairs:
        assert [location for kind, location in findings if kind == what and where in location], (what, where, findings)


def test_there_are_more_than_twenty_five_kinds_of_tampering():
    assert len(WITH_ORIGINAL_CHAIN) + len(WITH_RECOMPUTED_CHAIN) + 2 >= 25


@pytest.mark.parametrize("name", WITH_ORIGINAL_CHAIN)
def test_tampering_is_reported(name, original_chain):
    require_findings(name, *original_chain)


@pytest.mark.parametrize("name", WITH_RECOMPUTED_CHAIN)
def test_tampering_with_a_recomputed_chain_is_reported(name, recomputed_chain):
    require_findings(name, *recomputed_chain)


@pytest.mark.parametrize("copy", ["original_chain", "recomputed_chain"])
def test_several_processes_report_the_same_findings_in_the_same_order(request, copy):
    _, single, shared = request.getfixturevalue(copy)
    assert shared.findings == single.findings
    assert (shared.summary_line(), shared.head) == (single.summary_line(), single.head)


def test_a_restored_backup_is_reported_with_and_without_later_play(copies):
    """Play on and sign a second checkpoint; then restore the earlier backup."""
    with copies.clone():
        play(sit("mini"), 1, banker=2500)
        seal()
        assert signing.sign_now().number == 2
        assert audit_findings() == []
    try:
        with copies.clone():
            assert audit_findings() == [
                ("checkpoint is not in the database", "checkpoint 2"),
                ("tail cut", "checkpoint 2"),
            ]
            play(sit("mini"), 2, player=2500)
            seal()
            assert audit_findings() == [
                ("checkpoint is not in the database", "checkpoint 2"),
                ("log differs from its checkpoint", "checkpoint 2"),
            ]
    finally:
        (copies.place / "000000000002.json").unlink()
