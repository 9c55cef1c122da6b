"""Notes over the log, cosigned by a running witness, and what the audit says when one of them was changed."""

import pytest
from django.db import transaction
from django.utils import timezone

from casino.checkpoints import audit, cosigning, note_audit, notes, records, replicas, signing, storage, tree
from casino.checkpoints.keyring import checkpoint_keyring
from casino.crypto import signed_note
from casino.crypto.signed_note import NoteKey, SignatureType, SignedNote, TreeHead
from casino.kernel import merkle
from casino.witness import client as witness_client
from casino.witness.client import WitnessClient
from tests.casino.checkpoints.signing_here import log_of
from tests.casino.witness import running as witnesses
from tests.casino.witness.running import CLOSING_KEY, CLOSING_PRIVATE


@pytest.fixture
def witness(database, tmp_path, settings, monkeypatch):
    """Run a witness that cosigns for this log, and configure it."""
    public = next(iter(checkpoint_keyring().public.values()))
    log_key = NoteKey(settings.LOG_ORIGIN, SignatureType.NOTE, public)
    monkeypatch.setattr(witnesses, "HOUSES", f"{log_key.vkey} {CLOSING_KEY.hex()}\n")
    with witnesses.running(tmp_path / "witness") as witness:
        address = witness.address
        settings.WITNESSES = f"{witness.url} {address.cosigner.vkey} {address.release_key.hex()}"
        client = WitnessClient([address], [CLOSING_PRIVATE])
        witness_client.configured_client.cache_clear()
        monkeypatch.setattr(note_audit, "configured_client", lambda: client)
        witness.cosigning = cosigning.Cosigning(client)
        yield witness
        client.close()


def findings():
    with transaction.atomic():
        found = audit.check(replicas.read_unknown_copies(), now=timezone.now())
    return {(each.kind, each.location) for each in found}


def change(database, *statements):
    """Change tables as their owner, with the triggers off."""
    with database.owner() as owner:
        for table in ("checkpoints_checkpoint", "checkpoints_cosignature", "events_seal"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        for statement in statements:
            owner.execute(statement)


def test_a_note_is_signed_and_cosigned_and_says_what_the_tree_says(witness):
    log_of(300)
    assert notes.latest_cosigned().size == 0
    assert witness.cosigning.run_once() == 1
    cosigned = notes.latest_cosigned()
    assert (cosigned.size, cosigned.root) == (300, tree.root_of(300))
    keys = [*notes.log_keys(), witness.address.cosigner]
    assert len(SignedNote.parse(notes.oldest_cosigned(300).cosigned).verified_by(keys)) == 2
    assert witness.cosigning.run_once() == 0
    assert notes.protection_window().seconds == 0
    assert findings() == set()


def test_each_note_continues_the_one_before_whoever_signs(witness):
    for number in range(4):
        log_of(170, stream=f"round-{number}")
        assert witness.cosigning.run_once() == 1
        if number % 2:
            signing.sign_now()
    assert notes.latest_cosigned().size == 680
    assert notes.protection_window().cosigned_size == 680
    assert findings() == set()


def test_a_cosignature_that_was_lost_on_the_way_is_fetched_again(witness):
    log_of(10)
    signing.sign_new()
    note = SignedNote.parse(records.latest().note)
    head = TreeHead.parse(note.text)
    witness.cosigning._submit(witness.address, 0, note, head).result()
    assert notes.latest_cosigned().size == 0
    assert witness.cosigning.run_once() == 1
    assert notes.latest_cosigned().size == 10


def test_a_witness_that_is_away_holds_up_nothing_and_is_caught_up_with(witness):
    log_of(10)
    witness.kill()
    assert witness.cosigning.run_once() == 0
    log_of(10, stream="round-2")
    assert notes.protection_window().seconds >= 0
    again = witnesses.start(witness.folder, port=witness.port)
    try:
        assert witness.cosigning.run_once() == 2
        assert notes.latest_cosigned().size == 20
    finally:
        again.kill()


def test_a_quorum_needs_more_than_half_of_the_witnesses(witness, settings):
    other = NoteKey("witness.test/w2", SignatureType.COSIGNATURE, b"\x01" * 32)
    settings.WITNESSES += f", http://127.0.0.1:1 {other.vkey} -"
    assert notes.quorum() == 2
    log_of(5)
    assert witness.cosigning.run_once() == 1
    assert notes.latest_cosigned().size == 0
    settings.WITNESS_QUORUM = 1
    assert notes.latest_cosigned().size == 5


def test_a_log_that_was_rewritten_below_a_cosigned_note_is_refused_and_found(witness, settings):
    log_of(20)
    witness.cosigning.run_once()
    root = merkle.root([merkle.leaf_hash(bytes([each])) for each in range(25)])
    head = TreeHead(settings.LOG_ORIGIN, 25, root)
    ring = checkpoint_keyring()
    private = ring.private[ring.active].private_bytes_raw()
    forged = SignedNote(str(head), (signed_note.sign(str(head), name=head.origin, private=private),))
    log_of(5, stream="round-2")
    with pytest.raises(cosigning.WitnessObjects):
        witness.cosigning._cosign(records.SignedCheckpoint(25, root, str(forged), timezone.now()))


def test_a_database_that_was_restored_from_a_backup_signs_nothing_that_its_witnesses_would_not_cosign(
    database, witness
):
    log_of(20)
    witness.cosigning.run_once()
    log_of(5, stream="round-2")
    witness.cosigning.run_once()
    change(
        database,
        "DELETE FROM checkpoints_cosignature WHERE size = 25",
        "DELETE FROM checkpoints_checkpoint WHERE size = 25",
        "DELETE FROM events_seal WHERE position > 20",
    )
    with pytest.raises(signing.HistoryDiffers):
        witness.cosigning.run_once()
    started_later = cosigning.Cosigning(witness.cosigning._client)
    started_later._lease = witness.cosigning._lease
    with pytest.raises(cosigning.WitnessObjects):
        started_later.run_once()
    assert records.latest().size == 20


def test_a_database_behind_its_witness_is_found(database, witness):
    log_of(20)
    witness.cosigning.run_once()
    change(
        database,
        "DELETE FROM checkpoints_cosignature",
        "DELETE FROM checkpoints_checkpoint",
        "DELETE FROM events_seal WHERE position > 15",
    )
    assert any(kind == audit.TAIL_CUT and "witness.test/w1" in where for kind, where in findings())


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("UPDATE checkpoints_checkpoint SET root = sha256(root)", note_audit.FORGED),
        ("UPDATE checkpoints_checkpoint SET note = replace(note, E'\\n20\\n', E'\\n19\\n')", note_audit.FORGED),
        ("UPDATE checkpoints_checkpoint SET note = 'nothing'", note_audit.FORGED),
        ("UPDATE checkpoints_cosignature SET line = replace(line, 'A', 'B')", note_audit.COSIGNATURE_FORGED),
        ("UPDATE events_seal SET digest = sha256(digest) WHERE position = 7", audit.DIFFERS),
    ],
)
def test_what_was_changed_is_named(database, witness, statement, kind):
    log_of(20)
    witness.cosigning.run_once()
    change(database, statement)
    assert kind in {each for each, _ in findings()}


def sign_all_again(database, folder, origin):
    """Write another log with its checkpoint and copy, all signed by the log's own key."""
    with database.owner() as owner:
        for table in ("events_seal", "checkpoints_checkpoint", "checkpoints_cosignature"):
            owner.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        owner.execute("UPDATE events_seal SET digest = sha256(digest)")
        owner.execute("DELETE FROM checkpoints_cosignature")
        digests = [bytes(row[0]) for row in owner.execute("SELECT digest FROM events_seal ORDER BY position")]
        head = TreeHead(origin, len(digests), merkle.root([merkle.leaf_hash(each) for each in digests]))
        ring = checkpoint_keyring()
        private = ring.private[ring.active].private_bytes_raw()
        note = str(SignedNote(str(head), (signed_note.sign(str(head), name=origin, private=private),)))
        owner.execute("UPDATE checkpoints_checkpoint SET root = %s, note = %s", [head.root, note])
        copy = folder / storage.object_name(1)
        copy.unlink()  # nobody may write into it
        copy.write_text(note)


def test_what_holds_database_storage_and_key_rewrites_is_known_to_the_witness_alone(
    database, witness, settings, tmp_path
):
    """Without a witness, and with nobody who kept a checkpoint, nothing shows it: the audit's stated assumption."""
    settings.CHECKPOINT_STORAGE = (tmp_path / "kept").as_uri()
    log_of(20)
    signing.sign_now()
    witness.cosigning.run_once()
    assert findings() == set()
    sign_all_again(database, tmp_path / "kept", settings.LOG_ORIGIN)
    assert findings() == {(audit.DIFFERS, "checkpoint 20 at witness.test/w1")}
    settings.WITNESSES = ""
    assert findings() == set()


def test_a_witness_that_does_not_answer_is_a_finding_and_not_silence(witness):
    log_of(3)
    witness.cosigning.run_once()
    witness.kill()
    assert findings() == {(note_audit.NOT_WITNESSED, "witness.test/w1")}
