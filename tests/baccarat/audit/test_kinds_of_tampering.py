"""Kinds of tampering by a superuser's SQL, and the finding that the audit reports for each.

One history is played and signed, with copies of its checkpoints in external storage. Independent kinds share a copy
of the database and one audit.
"""

import contextlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection

from baccarat.audit import engine, ranges
from baccarat.audit.ranges import AuditStart
from casino.checkpoints import manifests, records, signing
from casino.checkpoints.table_digests import COVERED_TABLES
from casino.compliance import erasure
from casino.events import row_digests
from casino.events.immutability import app_role
from casino.events.row_digests import held_tables
from casino.events.sql import execute
from casino.operators import changes
from casino.significant import notes, recorder
from casino.significant.models import SignificantEvent
from casino.staff import act_audit
from tests.baccarat.audit import (
    kinds_beside_the_log,
    kinds_in_log_and_money,
    kinds_of_display,
    kinds_of_identity,
    kinds_of_preimages,
    kinds_with_recomputed_chain,
    seeding,
)
from tests.baccarat.audit.attacker import WITH_ORIGINAL_CHAIN, WITH_RECOMPUTED_CHAIN, Attacker
from tests.baccarat.audit.playing import IMMUTABLE, play, rechain, seal, sit
from tests.conftest import Database, pointed_at
from tests.support import frozen
from tests.support.changes import waiting_change
from tests.wallet.adjustments.test_services import approve, request_adjustment
from tests.wallet.payments import counter
from wallet.responsible_gaming import services as restrictions
from wallet.responsible_gaming.services import PlayerContext
from wallet.responsible_gaming.state import Initiator, LimitPeriod, LimitType

PATIENCE = 3600
KINDS = (
    kinds_in_log_and_money,
    kinds_beside_the_log,
    kinds_of_display,
    kinds_of_identity,
    kinds_of_preimages,
    kinds_with_recomputed_chain,
)
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
        """Tamper; return the expected findings by kind, and the reports of one process, of several, and in parts."""
        with self.clone() as database:
            checkpoint, states = records.latest(), {}
            clean = engine.run_audit(max_wait=PATIENCE, save_at=checkpoint.size, save=states.__setitem__)
            assert clean.findings == ()
            with database.owner() as connection:
                remove_protection(connection)
                expected = {name: change(Attacker(connection)) for name, change in kinds.items()}
            if recomputed_chain:
                rechain(database)
            single = report()
            with Threads(2) as pool:
                shared = report(jobs=2, pool=pool)
            state = states[checkpoint.size]
            parts = [
                ranges.audit_since(AuditStart(checkpoint, state), max_wait=PATIENCE),
                ranges.replay_range(0, checkpoint.size, state=None, end=state),
                ranges.audit_other_streams(max_wait=PATIENCE),
            ]
            return expected, single, shared, [finding for part in parts for finding in part.findings]

    def audit_insider(self, kinds, folder):
        """Tamper, and sign everything again with the house's own key; return the expected findings that are missing."""
        with self.clone() as database:
            with database.owner() as connection:
                remove_protection(connection)
                expected = {name: change(Attacker(connection)) for name, change in kinds.items()}
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(settings, "CHECKPOINT_STORAGE", folder.as_uri())
                sign_all_again(database)
                single = report()
        findings = [(finding.kind, finding.location) for finding in single.findings]
        return {name: missing for name, each in expected.items() if (missing := missing_findings(each, findings))}


def sign_all_again(database):
    """Write digests of rows, manifests, positions, seals and checkpoints again, into a storage that is empty."""
    with database.owner() as connection:
        for table in ("checkpoints_manifest", "checkpoints_copy", "checkpoints_node", "events_unsealed"):
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for table in ("manifest", "copy", "checkpoint", "node"):
            connection.execute(f"DELETE FROM checkpoints_{table}")  # noqa: S608  (constants)
        connection.execute("DELETE FROM events_rowdigest")
        for table, held in held_tables().items():
            present = row_digests._present(table, held)
            connection.execute(row_digests._RECORD.format(role=app_role(), present=present))
        made = connection.execute("DELETE FROM events_event WHERE stream = %s RETURNING id", [manifests.STREAM])
        connection.execute("DELETE FROM events_unsealed WHERE event_id = ANY (%s)", [[key for (key,) in made]])
        connection.execute(RENUMBER)
        connection.execute("UPDATE events_seal SET position = position - 1000000000")
        connection.execute("DELETE FROM events_chainhead")
        connection.execute(
            "INSERT INTO events_chainhead (position, digest) "
            "SELECT position, digest FROM events_seal ORDER BY position DESC LIMIT 1"
        )
    rechain(database)
    signing.sign_now()
    manifests.create_manifests()


SIGNED_AWAY = {
    "original": {
        "chain rewritten", "checkpoint is forged", "digest differs", "event missing", "order differs",
        "position missing", "replica differs", "row differs from its digest", "row was not written by the application",
        "rows differ from their manifest",
    },
    "recomputed": {"log differs from its checkpoint"},
}  # fmt: skip
"""Findings that need a signature, a digest or a copy that whoever has all keys and stores can make again."""
CANNOT_BE_SEALED = "an event with an infinite time"
RENUMBER = """
WITH kept AS (
    SELECT position, row_number() OVER (ORDER BY position) AS number
      FROM events_seal JOIN events_event ON events_event.id = event_id
), dropped AS (
    DELETE FROM events_seal WHERE NOT EXISTS (SELECT FROM events_event WHERE id = event_id)
)
UPDATE events_seal SET position = 1000000000 + kept.number FROM kept WHERE kept.position = events_seal.position
"""


def remove_protection(connection):
    """Disable triggers, and drop check and foreign-key constraints."""
    for table in {*IMMUTABLE, *held_tables(), *COVERED_TABLES, "checkpoints_checkpoint"}:
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
            seeding.seed()
            kinds_of_preimages.play()
            deposit = counter.complete_deposit(by)
            for _ in range(2):
                counter.call_back(counter.report(deposit, "completed"))
            counter.withdraw(by)
            restrict_alice()
            approve(request_adjustment())
            for _ in range(3):
                change = waiting_change("withdrawal_policy", operator=None, by="desk:anna")
                changes.decline(change.pk, by="desk:bert")
            erase_a_seeded_player()
            for subject in ("table:1", "table:2", "table:3"):
                recorder.record(
                    kind=recorder.SignificantEventKind.TABLE_STOPPED, operator=None, subject=subject, actor="staff:1"
                )
            notes.acknowledge(SignificantEvent.objects.get(subject="table:1").id, by="staff:2", note="Seen")
            seal()
            signing.sign_now()
            manifests.create_manifests()
        yield Copies(replace(played_services, template=name), place)
    played_services.drop(name)


def erase_a_seeded_player():
    """Erase a player of whom the history has nothing else."""
    who = UUID(int=seeding.FIRST)
    asked = erasure.request(operator=who, player=who, by="desk:anna", reason="player_request", overrides_retention=True)
    changes.confirm(asked.pk, by="desk:bert")


def restrict_alice():
    """Limit, exclude and block a player for a while."""
    who = PlayerContext(operator=counter.OPERATOR, player=counter.ALICE, currency="EUR", metadata=counter.METADATA)
    restrictions.set_limit(
        context=who, by=Initiator.PLAYER, limit_type=LimitType.STAKE, period=LimitPeriod.DAY, limit=100_000
    )
    restrictions.cool_off(context=who, by=Initiator.PLAYER, hours=24)
    restrictions.block_player(context=who, player_message="Please call us")


@pytest.fixture(scope="module")
def original_chain(copies):
    return copies.audit_after(WITH_ORIGINAL_CHAIN)


@pytest.fixture(scope="module")
def recomputed_chain(copies):
    return copies.audit_after(WITH_RECOMPUTED_CHAIN, recomputed_chain=True)


def require_findings(name, expected, single, shared, parts):
    """Require each finding that a kind of tampering leads to, also in the audits of parts."""
    del shared
    frozen.require("tampering.txt", name, ", ".join(kind for kind, _ in pairs_of(expected[name])))
    findings = [(finding.kind, finding.location) for finding in single.findings]
    assert missing_findings(expected[name], findings) == [], findings
    in_parts = [(finding.kind, finding.location) for finding in parts]
    assert missing_findings(expected[name], in_parts) == [], in_parts


def missing_findings(expected, findings):
    """Return the expected findings that are not among these."""
    return [
        (what, where)
        for what, where in pairs_of(expected)
        if not any(kind == what and where in location for kind, location in findings)
    ]


def pairs_of(expected):
    return expected if isinstance(expected[0], tuple) else (expected,)


def test_no_kind_of_tampering_is_lost():
    frozen.require_no_others("tampering.txt", {*WITH_ORIGINAL_CHAIN, *WITH_RECOMPUTED_CHAIN})
    assert len(WITH_ORIGINAL_CHAIN) + len(WITH_RECOMPUTED_CHAIN) >= 180


@pytest.mark.parametrize("name", WITH_ORIGINAL_CHAIN)
def test_tampering_is_reported(name, original_chain):
    require_findings(name, *original_chain)


@pytest.mark.parametrize("name", WITH_RECOMPUTED_CHAIN)
def test_tampering_with_a_recomputed_chain_is_reported(name, recomputed_chain):
    require_findings(name, *recomputed_chain)


@pytest.mark.parametrize("copy", ["original_chain", "recomputed_chain"])
def test_several_processes_report_the_same_findings_in_the_same_order(request, copy):
    _, single, shared, _ = request.getfixturevalue(copy)
    assert shared.findings == single.findings
    assert (shared.summary_line(), shared.head) == (single.summary_line(), single.head)


@pytest.mark.parametrize("name", SIGNED_AWAY)
def test_who_has_database_storage_and_signing_key_hides_only_what_contradicts_no_rule(copies, name, tmp_path):
    """The stated assumption: somebody else has kept a checkpoint, or a witness has cosigned one.

    Of each kind the log, a digest of a row or a manifest is changed, and their root with it, which the audit compares
    with what witnesses have cosigned.
    """
    group = {"original": WITH_ORIGINAL_CHAIN, "recomputed": WITH_RECOMPUTED_CHAIN}[name]
    kinds = {each: change for each, change in group.items() if each != CANNOT_BE_SEALED}
    missing = copies.audit_insider(kinds, tmp_path / "empty")
    assert {kind for pairs in missing.values() for kind, _ in pairs} == SIGNED_AWAY[name]


def test_a_restored_backup_is_reported_with_and_without_later_play(copies):
    """Play on and sign a second checkpoint; then restore the earlier backup."""
    with copies.clone():
        play(sit("mini"), 1, banker=2500)
        seal()
        signing.sign_now()
        assert records.latest_copy().number == 2
        assert audit_findings() == []
    try:
        with copies.clone():
            assert audit_findings() == [
                ("checkpoint is not in the database", "copy 2"),
                ("tail cut", "copy 2"),
            ]
            play(sit("mini"), 2, player=2500)
            seal()
            assert audit_findings() == [
                ("checkpoint is not in the database", "copy 2"),
                ("log differs from its checkpoint", "copy 2"),
            ]
    finally:
        (copies.place / "000000000002.txt").unlink()


def test_a_row_written_as_the_application_has_no_act_and_its_digest_cannot_be_taken_back(copies):
    digests = "table_name = 'auth_user' AND row_key = '903'"
    try:
        with copies.clone() as database:
            execute(kinds_beside_the_log.MEMBER_OF_STAFF, [903, "walter"])
            seal()
            manifests.create_manifests()
            seal()
            assert audit_findings() == [
                (act_audit.UNDONE, f"{table} 903") for table in ("auth_user", "staff_staffaccount")
            ]
            with database.owner() as connection:
                remove_protection(connection)
                connection.execute(f"DELETE FROM events_rowdigest WHERE {digests}")  # noqa: S608
                connection.execute("DELETE FROM staff_staffaccount WHERE user_id = 903")
                connection.execute("DELETE FROM auth_user WHERE id = 903")
            assert "rows differ from their manifest" in {kind for kind, _ in audit_findings()}
    finally:
        (copies.place / manifests.object_name(2)).unlink(missing_ok=True)
