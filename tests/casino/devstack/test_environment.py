"""What a command is told that attaches to a stack which runs."""

from dataclasses import replace
from pathlib import Path

import pytest

from casino.crypto.rsa_keys import parse_rsa_key
from casino.devstack.services import Addresses, environment_for, process_environment, public_keys, read_running

PLAIN = Addresses(url="postgresql://app@/casino", owner_url="postgresql://owner@/casino", redis_url="redis://x")
WITH_PROVIDER = Addresses(
    url=PLAIN.url,
    owner_url=PLAIN.owner_url,
    redis_url=PLAIN.redis_url,
    providers="sandbox=http://127.0.0.1:9",
    provider_secrets="sandbox=hush",
)


def test_the_environment_has_the_sandbox_provider_unless_another_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_web_has_a_login_of_its_own_if_there_is_one() -> None:
    environment = environment_for(replace(PLAIN, web_url="postgresql://web@/casino"), secrets=None)
    assert process_environment("web", environment)["DATABASE_URL"] == "postgresql://web@/casino"
    assert process_environment("worker", environment)["DATABASE_URL"] == PLAIN.url
    assert process_environment("web", environment_for(PLAIN, secrets=None))["DATABASE_URL"] == PLAIN.url


def test_word_left_by_an_older_stack_is_understood(tmp_path: Path) -> None:
    (tmp_path / "running.json").write_text('{"url": "a", "owner_url": "b", "redis_url": "c"}', encoding="utf-8")
    assert read_running(tmp_path) == Addresses(url="a", owner_url="b", redis_url="c")


def test_a_home_stores_its_checkpoints_and_their_signing_keys(tmp_path, monkeypatch):
    for name in (
        "DATABASE_URL",
        "CHECKPOINT_KEYS",
        "CHECKPOINT_KEYS_FILE",
        "CHECKPOINT_PUBLIC_KEYS",
        "CHECKPOINT_STORAGE",
    ):
        monkeypatch.delenv(name, raising=False)
    told = environment_for(PLAIN, secrets=None, folder=tmp_path)
    file = tmp_path / "checkpoint-keys"
    assert told["CHECKPOINT_KEYS_FILE"] == str(file)
    assert told["CHECKPOINT_STORAGE"] == (tmp_path / "checkpoints" / "own").as_uri()
    assert file.stat().st_mode & 0o777 == 0o600
    kept, rsa_key = file.read_text(), Path(told["WALLET_RSA_KEY_FILE"])
    assert (rsa_key.parent, rsa_key.stat().st_mode & 0o777) == (tmp_path, 0o600)
    assert parse_rsa_key("WALLET_RSA_KEY", rsa_key.read_text().strip()).key_size == 2048
    (name, public), *_ = public_keys("CHECKPOINT_KEYS", told)
    web = process_environment("web", told)
    assert web["CHECKPOINT_PUBLIC_KEYS"] == f"{name}:{public.hex()}"
    assert not {"CHECKPOINT_KEYS", "CHECKPOINT_KEYS_FILE"} & web.keys()
    environment_for(PLAIN, secrets=None, folder=tmp_path)
    assert (file.read_text(), Path(told["WALLET_RSA_KEY_FILE"]).read_text()) == (kept, rsa_key.read_text())
    monkeypatch.setenv("DATABASE_URL", "postgresql:///another")
    monkeypatch.setenv("CHECKPOINT_KEYS", "mine:" + "5c" * 32)
    other = environment_for(PLAIN, secrets=None, folder=tmp_path)
    assert other["CHECKPOINT_STORAGE"] != told["CHECKPOINT_STORAGE"]
    assert "CHECKPOINT_KEYS_FILE" not in other


@pytest.mark.parametrize(
    ("process", "names"),
    [
        ("web", {"DATABASE_URL", "SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS", "PAYMENT_SECRETS"}),
        ("worker", {"DATABASE_URL", "SHOE_KEYS"}),
        ("sealer", {"DATABASE_URL"}),
        ("provider", {"PROVIDER_SECRET"}),
        ("operator", set()),
    ],
)
def test_a_process_of_the_stack_holds_its_own_secrets_only(process: str, names: set[str]) -> None:
    secret = {"SECRET_KEY", "SHOE_KEYS", "PERSONAL_KEYS", "CHECKPOINT_KEYS_FILE", "PAYMENT_SECRETS", "PROVIDER_SECRET"}
    environment = dict.fromkeys({*secret, "DATABASE_OWNER_URL", "DATABASE_URL"}, "a secret") | {"LANG": "C"}
    own = process_environment(process, environment)
    assert set(own) - {"CASINO_PROCESS"} == {*names, "LANG"}
