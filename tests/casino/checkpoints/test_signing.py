"""Signing: correct checkpoints, one signer, one copy for a number whenever a signer dies, append-only tables."""

import itertools
from datetime import timedelta

import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from psycopg import errors

from casino.checkpoints import keyring, notes, queries, records, signing, storage, tasks, tree
from casino.checkpoints.signing import HistoryDiffers, KeyRefused, NumberTaken
from casino.events.sql import fetch
from casino.kernel import merkle
from tests.casino.checkpoints.signing_here import log_of

TABLES = ["checkpoint", "cosignature", "copy", "node", "key", "retirement", "manifest"]


def leaves(size):
    return [
        merkle.leaf_hash(digest)
        for (digest,) in fetch("SELECT digest FROM events_seal WHERE position <= %s ORDER BY position", [size])
    ]


def significant_events():
    return fetch("SELECT kind, subject FROM significant_significantevent ORDER BY id")


@pytest.mark.django_db
def test_an_empty_log_has_nothing_to_sign(place):
    assert signing.sign_now() is None
    assert signing.sign_if_due() == 0
    assert not place.exists()


@pytest.mark.django_db
def test_a_checkpoint_has_the_root_of_the_log_and_is_copied(place, settings):
    log_of(700)
    made = signing.sign_now()
    assert (made.size, made.root) == (700, merkle.root(leaves(700)))
    assert notes.signer(made) == "development"
    (copy,) = place.iterdir()
    assert copy.name == "000000000001.txt"
    assert copy.read_text() == made.note
    assert copy.read_text().startswith(f"{settings.LOG_ORIGIN}\n700\n")
    assert records.latest_copy().size == 700


@pytest.mark.django_db
def test_each_checkpoint_extends_all_earlier_ones(place):
    made = []
    for count in (1, 255, 10, 300):
        log_of(count, stream=f"round-{len(made)}")
        made.append(signing.sign_now())
    for old, new in itertools.combinations_with_replacement(made, 2):
        proof = queries.consistency_path(old, new)
        assert proof == merkle.consistency(leaves(new.size), old.size)
        assert merkle.is_consistent(old.size, new.size, old.root, new.root, proof)
    assert [file.read_text() for file in sorted(place.iterdir())] == [each.note for each in made]


@pytest.mark.django_db
def test_any_position_is_proven_in_any_checkpoint_that_covers_it_with_two_statements(place):
    log_of(300)
    signing.sign_now()
    log_of(700, stream="round-2")
    signing.sign_now()
    for size, positions in ((300, [1, 256, 257, 300]), (1000, [1, 300, 511, 768, 769, 1000])):
        checkpoint = records.find(size)
        with CaptureQueriesContext(connection) as statements:
            paths = queries.inclusion_paths(positions, checkpoint)
        assert len(statements) == 2
        for position, path in zip(positions, paths, strict=True):
            leaf = leaves(1000)[position - 1]
            assert merkle.is_included(leaf, position - 1, checkpoint.size, path, checkpoint.root)
    with pytest.raises(ValueError, match="no leaf"):
        queries.inclusion_paths([301], records.find(300))


@pytest.mark.django_db
def test_signing_reads_new_events_and_not_the_whole_log(place):
    log_of(600)
    signing.sign_now()
    log_of(3, stream="round-2")
    with CaptureQueriesContext(connection) as statements:
        signing.sign_now()
    baseline = len(statements)
    log_of(300, stream="round-3")
    with CaptureQueriesContext(connection) as statements:
        made = signing.sign_now()
    assert len(statements) <= baseline + 3  # the digests of new tiles, the left edge, the new nodes
    assert made.root == merkle.root(leaves(made.size))


@pytest.mark.django_db
def test_a_long_log_is_signed_in_steps(place, monkeypatch):
    monkeypatch.setattr(signing, "MAX_POSITIONS", 256)
    log_of(600)
    assert signing.sign_if_due() == 1  # the rest is not due yet
    assert signing.sign_now().size == 600
    assert [each.size for each in records.list_after(0)] == [256, 512, 600]
    assert [each.size for each in records.list_copies(after=0)] == [256, 512, 600]


@pytest.mark.django_db
def test_signing_again_without_new_events_does_nothing(place):
    log_of(5)
    first = signing.sign_now()
    assert signing.sign_now() == first
    assert signing.sign_if_due() == 0


@pytest.mark.django_db
def test_a_checkpoint_is_due_by_count_by_time_and_when_asked_for(place, settings):
    settings.CHECKPOINT_POSITIONS = 10
    log_of(5)
    assert signing.sign_if_due() == 1
    log_of(9, stream="round-2")
    assert signing.sign_if_due() == 0
    log_of(1, stream="round-3")
    assert signing.sign_if_due() == 1
    log_of(1, stream="round-4")
    settings.CHECKPOINT_SECONDS = 0
    assert signing.sign_if_due() == 1
    assert signing.sign_if_due() == 0
    log_of(1, stream="round-5")
    settings.CHECKPOINT_SECONDS = 300
    assert signing.sign_if_due() == 0
    records.ask()
    assert signing.sign_if_due() == 1
    log_of(1, stream="round-6")
    assert signing.sign_if_due() == 0
    records.ask()
    assert signing.sign_if_due() == 1
    records.ask()
    assert signing.sign_if_due() == 0, "it covers all that there is"


@pytest.mark.django_db
def test_a_missing_copy_is_made_by_the_next_run_before_anything_else_is_signed(place, settings):
    settings.CHECKPOINT_STORAGE = ""
    log_of(5)
    made = signing.sign_now()
    settings.CHECKPOINT_STORAGE = place.as_uri()
    log_of(1, stream="round-2")
    assert signing.sign_if_due() == 1
    assert (place / storage.object_name(1)).read_text() == made.note
    assert records.latest() == made
    assert not signing.copy_to_storage()
    assert [each.number for each in records.list_copies(after=0)] == [1]


@pytest.mark.django_db
def test_an_unrecorded_copy_is_recorded_by_the_next_run(place, settings):
    settings.CHECKPOINT_STORAGE = ""
    log_of(5)
    made = signing.sign_now()
    settings.CHECKPOINT_STORAGE = place.as_uri()
    storage.configured_storage().write(storage.object_name(1), made.note.encode())
    assert signing.sign_now() == made
    assert (records.latest_copy().number, records.latest_copy().size) == (1, 5)


@pytest.mark.django_db
def test_what_is_signed_for_witnesses_in_between_is_copied_once_it_is_due(place):
    log_of(5)
    assert signing.sign_if_due() == 1
    for number in range(3):
        log_of(1, stream=f"between-{number}")
        assert signing.sign_new()
        assert signing.sign_if_due() == 0
    assert [each.size for each in records.list_after(0)] == [5, 6, 7, 8]
    records.ask()
    assert signing.sign_if_due() == 1
    assert [each.size for each in records.list_copies(after=0)] == [5, 8]


@pytest.mark.django_db
def test_no_second_history_is_signed_when_the_storage_has_the_number(place):
    place.mkdir()
    (place / storage.object_name(1)).write_bytes(b"what another database signed")
    log_of(5)
    with pytest.raises(NumberTaken):
        signing.sign_now()
    assert tasks.sign_due() == 0
    assert tasks.sign_due() == 0
    assert records.latest() is None
    assert significant_events() == [("integrity_failed", "checkpoint:0")]


@pytest.mark.django_db
def test_a_copy_that_differs_is_kept_and_stops_signing(place, settings):
    settings.CHECKPOINT_STORAGE = ""
    log_of(5)
    made = signing.sign_now()
    settings.CHECKPOINT_STORAGE = place.as_uri()
    place.mkdir()
    other = made.note.encode()[:-1]
    (place / storage.object_name(1)).write_bytes(other)
    with pytest.raises(NumberTaken):
        signing.copy_to_storage()
    assert (place / storage.object_name(1)).read_bytes() == other


@pytest.mark.django_db
def test_nothing_is_signed_while_the_storage_is_unavailable(place):
    place.write_bytes(b"a file where the folder should be")
    log_of(5)
    with pytest.raises(storage.StorageUnavailable):
        signing.sign_now()
    assert tasks.sign_due() == 0
    assert records.latest() is None
    assert significant_events() == []


@pytest.mark.django_db
def test_a_new_key_is_registered_when_it_first_signs_and_the_old_one_expires_a_day_later(place, settings):
    settings.CHECKPOINT_KEYS = "one:" + "11" * 32
    log_of(1)
    signing.sign_now()
    assert significant_events() == []
    settings.CHECKPOINT_KEYS = "two:" + "22" * 32 + ",one:" + "11" * 32
    log_of(1, stream="round-2")
    assert notes.signer(signing.sign_now()) == "two"
    one, two = records.registered_keys()
    assert (one.id, two.id, two.until) == ("one", "two", None)
    assert one.until - two.since == timedelta(days=1)
    assert significant_events() == [("key_rotated", "checkpoint key:two")]
    settings.CHECKPOINT_KEYS = "one:" + "11" * 32
    log_of(1, stream="round-3")
    assert notes.signer(signing.sign_now()) == "one"  # a process that still runs with the old keyring


@pytest.mark.django_db
@pytest.mark.parametrize("keys", ["none", "one:" + "22" * 32])
def test_a_key_that_may_not_sign_is_refused(place, settings, keys):
    settings.CHECKPOINT_KEYS = "one:" + "11" * 32
    log_of(1)
    signing.sign_now()
    settings.CHECKPOINT_KEYS = keys
    log_of(1, stream="round-2")
    with pytest.raises(KeyRefused):
        signing.sign_now()


@pytest.mark.django_db
def test_a_replaced_key_expires(place, settings, monkeypatch):
    monkeypatch.setattr("casino.checkpoints.signing.OVERLAP", timedelta(0))
    for number, name in enumerate(("one", "two")):
        settings.CHECKPOINT_KEYS = name + ":" + str(number) * 64
        log_of(1, stream=f"round-{name}")
        signing.sign_now()
    settings.CHECKPOINT_KEYS = "one:" + "0" * 64
    log_of(1)
    with pytest.raises(KeyRefused, match="was replaced"):
        signing.sign_now()


@pytest.mark.django_db
def test_published_keys_have_ids_public_keys_and_times(place):
    log_of(1)
    signing.sign_now()
    (key,) = records.published_keys()
    assert key["id"] == "development"
    assert bytes.fromhex(key["public_key"]) == keyring.checkpoint_keyring().public["development"]
    assert key["valid_from"].endswith("Z")
    assert key["valid_until"] is None


@pytest.mark.django_db
def test_an_incomplete_tree_proves_nothing(place):
    log_of(300)
    made = signing.sign_now()
    with pytest.raises(tree.IncompleteTree):
        tree.hashes([merkle.Range(256, 512)])
    with pytest.raises(tree.IncompleteTree):
        tree.grow(made.size, 600)


def rewrite_seal(database, position):
    with database.owner() as owner:
        owner.execute("ALTER TABLE events_seal DISABLE TRIGGER USER")
        owner.execute("UPDATE events_seal SET digest = sha256(digest) WHERE position = %s", [position])


def test_nothing_is_signed_on_top_of_a_rewritten_tail(database, place):
    log_of(300)
    signing.sign_now()
    rewrite_seal(database, 299)
    log_of(5, stream="round-2")
    with pytest.raises(HistoryDiffers):
        signing.sign_now()


def test_a_dozen_signers_at_once_create_one_checkpoint(database, place, in_threads):
    log_of(20)
    made = in_threads(12, lambda _: signing.sign_now())
    assert {each.size for each in made} == {20}
    assert len(list(place.glob("*.txt"))) == len(records.list_copies(after=0)) == 1


def test_neither_the_application_nor_the_owner_can_remove_a_row(database):
    for url, refused in ((database.url, errors.InsufficientPrivilege), (database.owner_url, errors.RestrictViolation)):
        with psycopg.connect(url, autocommit=True) as connection:
            if refused is errors.InsufficientPrivilege:
                connection.execute("SET ROLE casino_app")
            for name in TABLES:
                for statement in ("DELETE FROM {}", "TRUNCATE {} CASCADE"):
                    with pytest.raises(refused):
                        connection.execute(statement.format(f"checkpoints_{name}"))
