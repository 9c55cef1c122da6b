"""The house trusts the witnesses that it is configured with: of a good round it says so, and by whom."""

from datetime import UTC, datetime
from typing import Any

import pytest

from baccarat.proofs import house
from casino.checkpoints import records
from tests.baccarat.proofs.forging import COSIGNER, encode, golden, witness_keys
from tests.baccarat.proofs.test_verifying import key

pytestmark = pytest.mark.django_db
ROUND = "cosigned/settled"


@pytest.fixture(autouse=True)
def signing_key() -> None:
    """Register the key that has signed the round's checkpoint as ours."""
    records.add_key("golden", bytes.fromhex(key()), since=datetime(2026, 1, 1, tzinfo=UTC))


def use(settings: Any, *, links: bool = True) -> None:
    """Configure the witness of the round: one that gives out links, or one that only cosigns."""
    vkey, release = sorted(witness_keys(golden(ROUND)), key=lambda each: "+" not in each)
    settings.WITNESSES = f"https://witness.example {vkey} {release if links else '-'}"


def test_a_good_round_is_verified_and_the_sentence_names_the_witness(settings: Any) -> None:
    use(settings)

    result = house.verify(encode(golden(ROUND)))

    assert result["verdict"] == "verified"
    assert f"cosigned by {COSIGNER.name} at " in house.conclude(result)
    assert "Missing" not in house.conclude(result)


@pytest.mark.parametrize("configured", ["nobody", "cosigner"])
def test_a_witness_that_is_not_configured_is_what_is_missing_in_one_sentence(settings: Any, configured: str) -> None:
    settings.WITNESSES = ""
    if configured == "cosigner":
        use(settings, links=False)

    result = house.verify(encode(golden(ROUND)))

    missing = house.conclude(result).rpartition("Missing: ")[2]
    assert result["verdict"] != "verified"
    assert "witnesses: the links of" in missing
    assert ("cosignatures: " in missing) is (configured == "nobody")


def test_a_round_that_was_changed_is_wrong_for_the_house_too(settings: Any) -> None:
    use(settings)
    document = golden(ROUND)
    document["round"]["number"] += 1

    result = house.verify(encode(document))

    assert result["verdict"] == "failed"
    assert house.conclude(result).startswith("Wrong: ")
