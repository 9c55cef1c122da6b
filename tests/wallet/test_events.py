import pytest

from casino.kernel.money import MoneyType
from tests.wallet.ledger.world import ALICE, OPERATOR, account
from wallet.events import CATALOGUE, entry_for
from wallet.ledger.accounts import AccountKind, operator_account
from wallet.ledger.entries import NewEntry, NewPosting
from wallet.ledger.events import PlayerAccountOpened, SandboxCredited

OPENED = PlayerAccountOpened(OPERATOR, ALICE, "EUR", (MoneyType.REAL, MoneyType.PLAY))
CREDITED = SandboxCredited(OPERATOR, ALICE, MoneyType.REAL, "EUR", 2500, "welcome")


def test_opening_an_account_moves_no_money() -> None:
    assert entry_for(OPENED, 1) is None


def test_a_sandbox_credit_comes_from_the_sandbox_account() -> None:
    sandbox = operator_account(kind=AccountKind.SANDBOX, operator=OPERATOR, money_type=MoneyType.REAL, currency="EUR")
    assert entry_for(CREDITED, 9) == NewEntry(
        "sandbox_credit", 9, (NewPosting(sandbox, -2500), NewPosting(account(), 2500))
    )


def test_an_event_of_another_part_is_an_error() -> None:
    with pytest.raises(TypeError, match="str is not an event of the wallet"):
        entry_for("a round", 1)


@pytest.mark.parametrize("event", [OPENED, CREDITED])
def test_decoding_an_encoded_event_returns_the_event(event: object) -> None:
    draft = CATALOGUE.encode(event)
    assert CATALOGUE.decode(draft.type, draft.schema, draft.data) == event
