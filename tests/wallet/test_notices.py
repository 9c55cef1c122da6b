"""What the house did with a player's money or play is told to the player, in the transaction that did it."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from casino.crypto import crypto_shredding
from tests.support.payouts import pay_unplayed
from tests.wallet.ledger.world import ALICE, METADATA, OPERATOR
from tests.wallet.payments.counter import complete_deposit, method, open_alice, report, use_provider, withdraw
from wallet import notices
from wallet.notices import Notice, NoticeKind
from wallet.payments import deposits, withdrawals
from wallet.responsible_gaming import services as responsible_gaming
from wallet.responsible_gaming.events import Initiator, LimitPeriod, LimitType
from wallet.responsible_gaming.services import PlayerContext

pytestmark = pytest.mark.django_db
CONTEXT = PlayerContext(operator=OPERATOR, player=ALICE, currency="EUR", metadata=METADATA)
LIMIT: dict[str, Any] = {"context": CONTEXT, "limit_type": LimitType.LOSS, "period": LimitPeriod.DAY}


@pytest.fixture(autouse=True)
def alice(monkeypatch: pytest.MonkeyPatch) -> None:
    use_provider(monkeypatch)
    open_alice()


def told() -> list[Notice]:
    listed = notices.list_notices(operator=OPERATOR, player=ALICE, unread=True, before=None, limit=50)
    return [each.notice for each in reversed(listed)]


def fund_alice() -> tuple[UUID, Callable[[], UUID]]:
    pay_unplayed(OPERATOR)
    card = method(fee_fixed=0, fee_ppm=0)
    return complete_deposit(card, 5000), lambda: withdraw(card, 1000)


def test_a_rejected_withdrawal_is_told_without_the_reason_of_staff() -> None:
    withdrawal = fund_alice()[1]()
    withdrawals.reject(withdrawal, staff="staff:2", reason="who is this", metadata=METADATA)

    details = {"amount": 1000, "currency": "EUR", "money_type": "real"}
    assert told() == [
        Notice(OPERATOR, ALICE, kind, withdrawal, details)
        for kind in (NoticeKind.IN_REVIEW, NoticeKind.WITHDRAWAL_REJECTED)
    ]


def test_a_reversed_deposit_is_told_once_with_what_is_owed() -> None:
    deposit, withdraw_ten = fund_alice()
    withdraw_ten()
    reversed_by_the_bank = report(deposit, "reversed", reason="chargeback")

    assert deposits.apply(reversed_by_the_bank, provider="sandbox") == "applied"
    assert deposits.apply(reversed_by_the_bank, provider="sandbox") == "no_change"

    details = {"amount": 5000, "owed": 1000, "currency": "EUR", "money_type": "real"}
    assert told()[1:] == [Notice(OPERATOR, ALICE, NoticeKind.DEPOSIT_REVERSED, deposit, details)]


def test_each_limit_that_the_house_sets_is_told_and_the_players_own_is_not() -> None:
    responsible_gaming.set_limit(**LIMIT, by=Initiator.PLAYER, limit=9000)
    for limit in (5000, 4000, None):
        responsible_gaming.set_limit(**LIMIT, by=Initiator.OPERATOR, limit=limit)

    assert [notice.kind for notice in told()] == [NoticeKind.LIMIT_SET] * 2
    assert told()[-1].details == {"limit_type": "loss", "period": "day", "limit": 4000, "currency": "EUR"}


def test_an_exclusion_by_the_house_is_told_and_the_players_own_is_not() -> None:
    responsible_gaming.cool_off(context=CONTEXT, by=Initiator.PLAYER, hours=24)
    assert told() == []

    cooling = responsible_gaming.cool_off(context=CONTEXT, by=Initiator.OPERATOR, hours=48).exclusion
    responsible_gaming.self_exclude(context=CONTEXT, by=Initiator.OPERATOR, months=6)
    responsible_gaming.self_exclude(context=CONTEXT, by=Initiator.OPERATOR, months=None)

    kinds = [NoticeKind.COOLING_OFF, NoticeKind.EXCLUDED, NoticeKind.EXCLUDED_PERMANENTLY]
    assert [notice.kind for notice in told()] == kinds
    assert cooling is not None
    assert cooling.until is not None
    assert told()[0].details == {"until": cooling.until.isoformat()}
    assert told()[2].details == {}


def test_a_block_is_told_with_what_staff_wrote_to_the_player_and_with_nothing_else() -> None:
    written = crypto_shredding.encrypt_text(ALICE, "Please call us.")
    responsible_gaming.block_player(context=CONTEXT, player_message=written)
    responsible_gaming.unblock_player(context=CONTEXT)
    responsible_gaming.block_player(context=CONTEXT, player_message="Play is stopped.")

    assert [(notice.kind, notice.message) for notice in told()] == [
        (NoticeKind.BLOCKED, "Please call us."),
        (NoticeKind.BLOCKED, ""),
    ]
