"""What a command is told that attaches to a stack which runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from casino.devstack.services import Addresses, environment_for, read_running

PLAIN = Addresses(url="postgresql://app@/casino", owner_url="postgresql://owner@/casino", redis_url="redis://x")
WITH_PROVIDER = Addresses(
    url=PLAIN.url,
    owner_url=PLAIN.owner_url,
    redis_url=PLAIN.redis_url,
    providers="sandbox=http://127.0.0.1:9",
    provider_secrets="sandbox=hush",
)


def test_it_knows_the_sandbox_provider_unless_another_is_set_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAYMENT_PROVIDERS", "PAYMENT_SECRETS"):
        monkeypatch.delenv(name, raising=False)
    assert "PAYMENT_PROVIDERS" not in environment_for(PLAIN, secrets=None)
    told = environment_for(WITH_PROVIDER, secrets=None)
    assert (told["PAYMENT_PROVIDERS"], told["PAYMENT_SECRETS"]) == ("sandbox=http://127.0.0.1:9", "sandbox=hush")
    monkeypatch.setenv("PAYMENT_PROVIDERS", "bank=https://bank.example")
    assert environment_for(WITH_PROVIDER, secrets=None)["PAYMENT_PROVIDERS"] == "bank=https://bank.example"


def test_a_stack_that_is_tried_out_measures_itself_and_stops_nothing_by_that(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DEMO_OPERATOR", "INTEGRITY_AT_START", "INTEGRITY_STOPS_PLAY"):
        monkeypatch.delenv(name, raising=False)
    told = environment_for(replace(PLAIN, demo="demo"), secrets=None)
    assert (told["DEMO_OPERATOR"], told["INTEGRITY_AT_START"]) == ("demo", "true")
    assert "INTEGRITY_STOPS_PLAY" not in told
    assert not {"DEMO_OPERATOR", "INTEGRITY_AT_START"} & environment_for(PLAIN, secrets=None).keys()


def test_word_left_by_an_older_stack_is_understood(tmp_path: Path) -> None:
    (tmp_path / "running.json").write_text('{"url": "a", "owner_url": "b", "redis_url": "c"}', encoding="utf-8")
    assert read_running(tmp_path) == Addresses(url="a", owner_url="b", redis_url="c")


def test_a_home_keeps_its_checkpoints_and_the_keys_that_sign_them(tmp_path, monkeypatch):
    for name in ("DATABASE_URL", "CHECKPOINT_KEYS", "CHECKPOINT_KEYS_FILE", "CHECKPOINT_STORAGE"):
        monkeypatch.delenv(name, raising=False)
    told = environment_for(PLAIN, secrets=None, folder=tmp_path)
    file = tmp_path / "checkpoint-keys"
    assert told["CHECKPOINT_KEYS_FILE"] == str(file)
    assert told["CHECKPOINT_STORAGE"] == (tmp_path / "checkpoints" / "own").as_uri()
    assert file.stat().st_mode & 0o777 == 0o600
    kept = file.read_text()
    environment_for(PLAIN, secrets=None, folder=tmp_path)
    assert file.read_text() == kept
    monkeypatch.setenv("DATABASE_URL", "postgresql:///another")
    monkeypatch.setenv("CHECKPOINT_KEYS", "mine:" + "5c" * 32)
    other = environment_for(PLAIN, secrets=None, folder=tmp_path)
    assert other["CHECKPOINT_STORAGE"] != told["CHECKPOINT_STORAGE"]
    assert "CHECKPOINT_KEYS_FILE" not in other
