"""Storage: a folder, and an object store over real HTTP; a stored text is never changed."""

import errno
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.exceptions import ImproperlyConfigured

from casino.checkpoints import records, signing, storage
from casino.checkpoints.storage import AlreadyExists, StorageUnavailable
from tests.casino.checkpoints.signing_here import log_of
from tests.threads import serving


class Store(BaseHTTPRequestHandler):
    """A small object store: GET, and PUT that honours `If-None-Match: *`."""

    def do_GET(self):
        kept = self.server.kept.get(self.path)
        self.answer(self.server.error or (404 if kept is None else 200), kept or b"")

    def do_PUT(self):
        text = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.headers.append((self.headers["If-None-Match"], self.headers["Authorization"]))
        if self.server.error:
            self.answer(self.server.error)
        elif self.path in self.server.kept:
            self.answer(412)
        else:
            self.server.kept[self.path] = text
            self.answer(503 if self.server.forgetful else 201)

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Log nothing."""


@pytest.fixture
def store():
    """Run a store: `kept` texts by path, `headers` of every PUT, `error` a status that answers every request."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Store)
    server.kept, server.headers, server.error, server.forgetful = {}, [], 0, False
    with serving(server):
        yield server


def address(server):
    return f"http://127.0.0.1:{server.server_port}/log"


def folder_at(tmp_path):
    return storage.storage_at((tmp_path / "a folder").as_uri())


@pytest.fixture(params=["folder", "store"])
def kept_outside(request, tmp_path):
    """Return each kind of storage."""
    if request.param == "folder":
        return folder_at(tmp_path)
    return storage.storage_at(address(request.getfixturevalue("store")), "word")


def test_a_stored_text_is_read_back_and_never_overwritten(kept_outside):
    assert kept_outside.read("000000000001.json") is None
    kept_outside.write("000000000001.json", b"first")
    with pytest.raises(AlreadyExists):
        kept_outside.write("000000000001.json", b"second")
    assert kept_outside.read("000000000001.json") == b"first"
    assert kept_outside.read("000000000002.json") is None


def test_a_folder_has_only_complete_read_only_files(tmp_path):
    folder = folder_at(tmp_path)
    folder.write("1.json", b"whole")
    with pytest.raises(AlreadyExists):
        folder.write("1.json", b"again")
    (file,) = folder.path.iterdir()
    assert (file.name, file.stat().st_mode & 0o777) == ("1.json", 0o444)


def test_a_full_disk_is_unavailable_and_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    place = storage.storage_at((tmp_path / "full").as_uri())
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StorageUnavailable, match="No space left"):
        place.write("one.json", b"{}")
    assert list((tmp_path / "full").iterdir()) == []


def test_one_of_many_writers_of_a_name_succeeds(tmp_path, in_threads):
    folder = folder_at(tmp_path)
    ended = in_threads(16, lambda number: folder.write("1.json", b"%d" % number))
    assert [type(each) for each in ended].count(AlreadyExists) == 15
    winner = ended.index(None)
    assert folder.read("1.json") == b"%d" % winner


def test_a_store_receives_the_condition_and_the_token(store):
    storage.storage_at(address(store), "word").write("1.json", b"text")
    assert store.headers == [("*", "Bearer word")]
    assert store.kept == {"/log/1.json": b"text"}


def test_an_unavailable_storage_raises_without_showing_the_token(store, tmp_path):
    place = storage.storage_at(address(store), "secret-word")
    store.error = 500
    for request in (lambda: place.read("1.json"), lambda: place.write("1.json", b"")):
        with pytest.raises(StorageUnavailable, match="500") as caught:
            request()
        assert "secret-word" not in f"{caught.value} {place} {place!r}"
    nobody = storage.storage_at("http://127.0.0.1:9")
    with pytest.raises(StorageUnavailable):
        nobody.read("1.json")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageUnavailable):
        storage.storage_at((tmp_path / "file").as_uri()).write("1.json", b"")


@pytest.mark.parametrize("url", ["ftp://host/path", "/folder", "s3:bucket"])
def test_other_urls_stop_the_start(url):
    with pytest.raises(ImproperlyConfigured):
        storage.storage_at(url)


@pytest.mark.parametrize("url", ["s3://bucket/folder", "https://host/path", "/folder"])
def test_months_are_archived_in_a_folder_only(url, settings):
    settings.ARCHIVE_STORAGE = url
    with pytest.raises(ImproperlyConfigured):
        storage.archive_storage()


@pytest.mark.django_db
def test_a_copy_whose_write_was_not_acknowledged_is_found_by_the_next_run(store, settings):
    settings.CHECKPOINT_STORAGE = address(store)
    log_of(3)
    store.forgetful = True
    with pytest.raises(StorageUnavailable):
        signing.sign_now()
    assert records.latest_copy() is None
    made = signing.sign_now()
    assert records.latest_copy().number == 1
    assert store.kept["/log/000000000001.txt"] == made.note.encode()
