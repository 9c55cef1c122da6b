from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.kernel.money import Book
from tests.wallet.ledger.world import ALICE, BOB, OPERATOR, TABLE, account, game
from wallet.ledger.accounts import (
    NAMESPACE,
    NEVER_NEGATIVE,
    OF_A_PLAYER,
    OF_A_TABLE,
    OF_AN_OPERATOR,
    AccountKind,
    key_of,
    operator_account,
    rack,
    table_account,
)


def test_an_id_follows_from_the_name_and_never_changes() -> None:
    assert account().text == f"account/{OPERATOR}/real/EUR/{ALICE}/"
    assert account().id == UUID("51f2c620-c3a3-5c9d-9970-c0089c0dfbd1")
    assert game().id == UUID("f9817877-b875-519d-8534-3b8bfa282f39")


@given(text=st.text(st.characters(codec="utf-8"), max_size=60))
def test_ids_are_the_version_5_uuids_of_the_names(text: str) -> None:
    assert key_of(kind=text, operator="", book="", currency="") == str(uuid5(NAMESPACE, f"{text}/////"))
    assert account().key == str(account().id) == str(uuid5(NAMESPACE, account().text))


def test_every_part_of_the_name_changes_the_id() -> None:
    names = [
        account(),
        account(BOB),
        account(book=Book.PLAY),
        game(),
        rack(operator=OPERATOR, player=ALICE, table=TABLE, book=Book.REAL, currency="EUR"),
        rack(operator=BOB, player=ALICE, table=TABLE, book=Book.REAL, currency="EUR"),
        rack(operator=OPERATOR, player=ALICE, table=TABLE, book=Book.REAL, currency="SEK"),
        *(
            table_account(kind=kind, operator=OPERATOR, table=TABLE, book=Book.REAL, currency="EUR")
            for kind in OF_A_TABLE
        ),
        *(operator_account(kind=kind, operator=OPERATOR, book=Book.REAL, currency="EUR") for kind in OF_AN_OPERATOR),
    ]
    assert len({name.id for name in names}) == len(names)


def test_each_kind_belongs_to_one_owner() -> None:
    assert set(AccountKind) == OF_A_PLAYER | OF_A_TABLE | OF_AN_OPERATOR
    assert OF_A_PLAYER - {AccountKind.DEBT} | {AccountKind.STAKES} == NEVER_NEGATIVE
    assert not OF_AN_OPERATOR & (NEVER_NEGATIVE | OF_A_TABLE)


def test_a_table_has_no_deposits_and_an_operator_no_bank() -> None:
    with pytest.raises(ValueError, match="no deposits account"):
        table_account(kind=AccountKind.DEPOSITS, operator=OPERATOR, table=TABLE, book=Book.REAL, currency="EUR")
    with pytest.raises(ValueError, match="no bank account"):
        operator_account(kind=AccountKind.BANK, operator=OPERATOR, book=Book.REAL, currency="EUR")
