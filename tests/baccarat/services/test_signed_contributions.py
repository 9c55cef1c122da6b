"""Players sign their contributions to a cut: nobody else contributes in their name, and everybody can see that."""

from dataclasses import replace

import pytest

from baccarat.audit import engine
from baccarat.domain.fairness.cut import ContributionSignature
from baccarat.domain.rounds.refusals import ContributionSignatureInvalid
from baccarat.domain.tables.events import ShoeCutContributed
from baccarat.services import betting
from casino.crypto import ed25519
from casino.events import sealer
from tests.support.examples import B
from tests.support.house import At, House, deal_all
from tests.support.signatures import PUBLIC_KEY, sign_contribution


@pytest.fixture
def ann(house: House) -> At:
    """Seat a player at a table that shuffles each round."""
    return house.seated(house.table("mini"))


def contribute(at: At, contribution: str, signature: ContributionSignature | None) -> None:
    betting.contribute_to_cut(actor=at.guest, contribution=contribution, contribution_signature=signature)


def contributions(house: House, at: At) -> list[ShoeCutContributed]:
    return [event for _, _, event in house.events(at.guest.table) if isinstance(event, ShoeCutContributed)]


@pytest.mark.usefixtures("database")
def test_a_signed_contribution_is_kept_with_its_signature_and_its_key_is_in_the_cut(house: House, ann: At) -> None:
    signature = sign_contribution(ann.guest.table, "00ff")
    contribute(ann, "00ff", signature)
    assert [each.signature for each in contributions(house, ann)] == [signature]

    for _ in range(2):
        state = betting.deal(actor=ann.guest, stakes={B: 1000}, currency="EUR")
        deal_all()
    assert [(each.contribution, each.public_key) for each in state.terms.contributions] == [("00ff", PUBLIC_KEY)]
    sealer.seal_all()
    assert engine.run_audit(max_wait=3600).findings == ()


def test_a_deal_may_carry_a_signed_contribution(house: House, ann: At) -> None:
    signature = sign_contribution(ann.guest.table, "aa")
    betting.deal(actor=ann.guest, stakes={B: 1000}, currency="EUR", contribution="aa", contribution_signature=signature)
    assert [each.signature for each in contributions(house, ann)] == [signature]


def test_the_same_bytes_signed_afterwards_are_another_contribution(house: House, ann: At) -> None:
    contribute(ann, "aa", None)
    contribute(ann, "aa", sign_contribution(ann.guest.table, "aa"))
    contribute(ann, "aa", sign_contribution(ann.guest.table, "aa"))
    assert [each.signature is None for each in contributions(house, ann)] == [True, False]


@pytest.mark.parametrize("what", ["contribution", "seat", "shoe", "signature", "key"])
def test_a_signature_that_does_not_fit_is_refused_and_nothing_changes(house: House, ann: At, what: str) -> None:
    table = ann.guest.table
    signature = sign_contribution(table, "bb" if what == "contribution" else "aa", seat=2 if what == "seat" else 1)
    if what == "shoe":
        betting.deal(actor=ann.guest, stakes={B: 1000}, currency="EUR")
        deal_all()
    elif what == "signature":
        signature = replace(signature, signature="00" * 64)
    elif what == "key":
        signature = replace(signature, public_key=f"01{ed25519.public_key(bytes(32)).hex()}")

    with pytest.raises(ContributionSignatureInvalid):
        contribute(ann, "aa", signature)
    assert contributions(house, ann) == []
