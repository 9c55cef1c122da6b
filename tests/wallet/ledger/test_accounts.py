from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.kernel.money import MoneyType
from tests.wallet.ledger.world import ALICE, BOB, OPERATOR, TABLE, account, game
from wallet.ledger.accounts import (
    NAMESPACE,
    NEVER_NEGATIVE,
    OPERATOR_ACCOUNT_KINDS,
    PLAYER_ACCOUNT_KINDS,
    TABLE_ACCOUNT_KINDS,
    AccountKind,
    account_key,
    operator_account,
    rack_account,
    table_account,
)


def test_an_id_follows_from_the_name_and_never_changes() -> None:
    assert account().text == f"account/{OPERATOR}/real/EUR/{ALICE}/"
    assert account().id == UUID("51f2c620-c3a3-5c9d-9970-c0089c0dfbd1")
    assert game().id == UUID("f9817877-b875-519d-8534-3b8bfa282f39")


@given(text=st.text(st.characters(codec="utf-8"), max_size=60))
def test_ids_are_the_version_5_uuids_of_the_names(text: str) -> None:
    assert account_key(kind=text, operator="", money_type="", currency="") == str(uuid5(NAMESPACE, f"{text}/////"))
    assert account().key == str(account().id) == str(uuid5(NAMESPACE, account().text))


def test_every_part_of_the_name_changes_the_id() -> None:
    names = [
        account(),
        account(BOB),
        account(money_type=MoneyType.PLAY),
        game(),
        rack_account(operator=OPERATOR, player=ALICE, table=TABLE, money_type=MoneyType.REAL, currency="EUR"),
        rack_account(operator=BOB, player=ALICE, table=TABLE, money_type=MoneyType.REAL, currency="EUR"),
        rack_account(operator=OPERATOR, player=ALICE, table=TABLE, money_type=MoneyType.REAL, currency="SEK"),
        *(
            table_account(kind=kind, operator=OPERATOR, table=TABLE, money_type=MoneyType.REAL, currency="EUR")
            for kind in TABLE_ACCOUNT_KINDS
        ),
        *(
            operator_account(kind=kind, operator=OPERATOR, money_type=MoneyType.REAL, currency="EUR")
            for kind in OPERATOR_ACCOUNT_KINDS
        ),
    ]
    assert len({name.id for name in names}) == len(names)


def test_each_kind_belongs_to_one_owner() -> None:
    assert set(AccountKind) == PLAYER_ACCOUNT_KINDS | TABLE_ACCOUNT_KINDS | OPERATOR_ACCOUNT_KINDS
    assert PLAYER_ACCOUNT_KINDS - {AccountKind.DEBT} | {AccountKind.STAKES} == NEVER_NEGATIVE
    assert not OPERATOR_ACCOUNT_KINDS & (NEVER_NEGATIVE | TABLE_ACCOUNT_KINDS)


def test_a_table_has_no_deposits_and_an_operator_no_bank() -> None:
    with pytest.raises(ValueError, match="no deposits account"):
        table_account(
            kind=AccountKind.DEPOSITS, operator=OPERATOR, table=TABLE, money_type=MoneyType.REAL, currency="EUR"
        )
    with pytest.raises(ValueError, match="no bank account"):
        operator_account(kind=AccountKind.BANK, operator=OPERATOR, money_type=MoneyType.REAL, currency="EUR")
