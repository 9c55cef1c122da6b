"""Signatures that one verifier accepts and another refuses are told from those that every verifier accepts."""

import pytest

from casino.crypto import ed25519

SEED = bytes([9]) * 32
CRAFTED = {
    "its first half is of order 1": (
        b"message",
        ed25519.public_key(SEED).hex(),
        "01" + "00" * 31 + "91b762467074176bb0467aba660f01d60972211b15d8d95a812b35158f3d2702",
    ),
    "its key is of order 8": (
        b"m1",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a" + "00" * 32,
    ),
}


@pytest.mark.parametrize("name", CRAFTED)
def test_a_signature_made_so_that_verifiers_disagree_is_told_from_others(name: str) -> None:
    message, public, signature = CRAFTED[name]
    given = message, bytes.fromhex(signature)
    assert ed25519.is_signed(*given, public=bytes.fromhex(public))
    assert not ed25519.is_signed_for_all(*given, public=bytes.fromhex(public))


def test_a_signature_by_an_ordinary_key_is_one_for_all() -> None:
    public = ed25519.public_key(SEED)
    signature = ed25519.sign(SEED, b"message")
    assert ed25519.is_signed_for_all(b"message", signature, public=public)
    assert not ed25519.is_signed_for_all(b"massage", signature, public=public)
    assert not ed25519.is_signed_for_all(b"message", b"", public=public)
