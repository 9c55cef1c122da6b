"""The installation's keys are public, and the next one is published before it signs."""

from base64 import urlsafe_b64decode
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from django.test import Client, override_settings
from jwt import PyJWK

from baccarat.proofs import dispute_pack
from casino.checkpoints import keyring

SECRETS = {name: bytes([number]) * 32 for number, name in enumerate(("old", "present", "next"))}
PRIVATE = {name: f"{name}:{secret.hex()}" for name, secret in SECRETS.items()}
PUBLIC = {name: keyring.parse(key, "").public[name] for name, key in PRIVATE.items()}


def published(purpose: str) -> dict[str, bytes]:
    """Return the published keys of one purpose by their names, after a check of each with another library."""
    answer = Client().get("/.well-known/jwks.json")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/jwk-set+json")
    keys: list[dict[str, Any]] = answer.json()["keys"]
    assert len({key["kid"] for key in keys}) == len(keys)
    for key in keys:
        assert "d" not in key
        assert PyJWK(key).key_id == key["kid"]
    return {key["name"]: urlsafe_b64decode(key["x"] + "=") for key in keys if key["purpose"] == purpose}


def configured(*, private: str, public: tuple[str, ...] = ()) -> override_settings:
    """Configure a private key that signs, and public ones."""
    trusted = ",".join(f"{name}:{PUBLIC[name].hex()}" for name in public)
    return override_settings(CHECKPOINT_KEYS=PRIVATE[private], CHECKPOINT_PUBLIC_KEYS=trusted)


def test_the_next_key_of_checkpoints_is_published_before_it_signs_and_the_old_one_after() -> None:
    with configured(private="present", public=("next",)):
        before = published("checkpoint")
        assert keyring.checkpoint_keyring().active == "present"
    with configured(private="next", public=("present",)):
        after = published("checkpoint")
        signature = keyring.checkpoint_keyring().private["next"].sign(b"a checkpoint")
    assert before == after == {"present": PUBLIC["present"], "next": PUBLIC["next"]}
    Ed25519PublicKey.from_public_bytes(before["next"]).verify(signature, b"a checkpoint")


def test_a_process_without_private_keys_publishes_the_public_ones() -> None:
    trusted = f"present:{PUBLIC['present'].hex()}"
    with override_settings(CHECKPOINT_KEYS="none", CHECKPOINT_PUBLIC_KEYS=trusted):
        assert published("checkpoint") == {"present": PUBLIC["present"]}


@pytest.mark.parametrize("place", ["SECRET_KEY", "SECRET_KEY_FALLBACKS"])
def test_the_next_key_of_packs_is_published_while_it_is_a_fallback(place: str) -> None:
    present, coming = "p" * 50, "n" * 50
    first, second = (present, coming) if place == "SECRET_KEY_FALLBACKS" else (coming, present)
    with override_settings(SECRET_KEY=first, SECRET_KEY_FALLBACKS=[second], PACK_PUBLIC_KEYS=[]):
        names = list(published("dispute-pack"))
        assert names == dispute_pack.public_keys()
        assert len(names) == 2
    with override_settings(SECRET_KEY=second, SECRET_KEY_FALLBACKS=[first], PACK_PUBLIC_KEYS=[]):
        assert list(published("dispute-pack")) == names[::-1]


def test_receipts_of_a_key_that_was_dropped_can_still_be_checked() -> None:
    with override_settings(SECRET_KEY="p" * 50, SECRET_KEY_FALLBACKS=[]):
        before = published("receipt")
    with override_settings(SECRET_KEY="n" * 50, SECRET_KEY_FALLBACKS=["p" * 50], RECEIPT_PUBLIC_KEYS=list(before)):
        during = published("receipt")
    with override_settings(SECRET_KEY="n" * 50, SECRET_KEY_FALLBACKS=[], RECEIPT_PUBLIC_KEYS=list(before)):
        assert published("receipt") == during
    assert len(during) == 2
    assert list(during)[1:] == list(before)


def test_only_reading_is_allowed() -> None:
    assert Client().post("/.well-known/jwks.json").status_code == 405
