"""What a long-running process does once it has started."""

import gc

import pytest

from casino.observability import process


def test_what_a_process_has_loaded_is_left_out_of_garbage_collections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_callbacks", [])
    before, loaded = gc.get_freeze_count(), [[] for _ in range(1000)]
    process.process_started("sealer")
    assert gc.get_freeze_count() >= before + len(loaded)
