"""What operators learn of money and of responsible gaming: the types of feed items."""

from collections.abc import Callable
from functools import partial
from typing import Final
from uuid import UUID

import msgspec

from casino.api.shapes import CurrencyCode
from casino.feed.types import FeedSource, FeedType
from wallet.adjustments import events as ae
from wallet.events import CATALOGUE
from wallet.funding.events import FundingChanged
from wallet.ledger import events as le
from wallet.payments import events as pe
from wallet.reconciliation import events as rec
from wallet.remote import events as re
from wallet.responsible_gaming import events as rg
from wallet.responsible_gaming.reminders import RealityCheckDue
from wallet.transfers.events import MoneyTransferred

_type: Final[Callable[..., FeedType]] = partial(FeedType, app="wallet")
_of_player: Final[Callable[..., FeedType]] = partial(_type, subject="players/{player}")
_of_deposit: Final[Callable[..., FeedType]] = partial(_type, subject="deposits/{deposit}")
_of_withdrawal: Final[Callable[..., FeedType]] = partial(_type, subject="withdrawals/{withdrawal}")
_of_adjustment: Final[Callable[..., FeedType]] = partial(_type, subject="adjustments/{adjustment}")
_of_operator: Final[Callable[..., FeedType]] = partial(_type, subject="operator")
_of_discrepancy: Final[Callable[..., FeedType]] = partial(_type, subject="discrepancies/{discrepancy}")

_of_remote: Final[Callable[..., FeedType]] = partial(_type, subject="wallet-transactions/{transaction}")
_of_party: Final[Callable[..., FeedType]] = partial(
    _of_remote,
    without=frozenset({"party"}),
    facts={"player": UUID, "table": UUID, "currency": CurrencyCode},
    derive=lambda event: msgspec.to_builtins(event.party),
)

TYPES: Final = (
    _of_player(event=le.PlayerAccountOpened, name="player.account_opened", summary="A player's accounts were opened."),
    _of_player(
        event=le.SandboxCredited, name="sandbox.credited", summary="A sandbox operator credited money to a player."
    ),
    _of_deposit(event=pe.DepositRequested, name="deposit.requested", summary="A player wants to pay in."),
    _of_deposit(event=pe.DepositSent, name="deposit.sent", summary="The provider accepted the deposit."),
    _of_deposit(
        event=pe.DepositCompleted, name="deposit.completed", summary="`amount` less `fee` was credited to the account."
    ),
    _of_deposit(event=pe.DepositFailed, name="deposit.failed", summary="No money comes."),
    _of_deposit(event=pe.DepositReversed, name="deposit.reversed", summary="The provider took the money back."),
    _of_player(event=pe.DebtCollected, name="debt.collected", summary="A debt was taken from the account."),
    _of_withdrawal(event=pe.WithdrawalRequested, name="withdrawal.requested", summary="A player wants a pay-out."),
    _of_withdrawal(event=pe.WithdrawalApproved, name="withdrawal.approved", summary="A person approved the pay-out."),
    _of_withdrawal(event=pe.WithdrawalRejected, name="withdrawal.rejected", summary="The money is the player's again."),
    _of_withdrawal(
        event=pe.WithdrawalCancelled, name="withdrawal.cancelled", summary="The player cancelled the pay-out."
    ),
    _of_withdrawal(event=pe.WithdrawalSent, name="withdrawal.sent", summary="The provider may have the pay-out."),
    _of_withdrawal(event=pe.WithdrawalPaid, name="withdrawal.paid", summary="The provider paid out."),
    _of_withdrawal(event=pe.WithdrawalReturned, name="withdrawal.returned", summary="The money came back."),
    _type(
        event=MoneyTransferred,
        name="transfer.completed",
        subject="transfers/{reference}",
        summary="Money moved from or to your own wallet, by your reference.",
    ),
    _of_party(event=re.TransactionRequested, name="remote.requested", summary="Your own wallet is asked."),
    _of_party(event=re.TransactionAccepted, name="remote.accepted", summary="Your own wallet did it."),
    _of_remote(event=re.TransactionRefused, name="remote.refused", summary="Your own wallet did not do it."),
    _of_party(event=re.RollbackRequested, name="remote.rollback_requested", summary="A debit is taken back."),
    _of_party(event=re.DebitRolledBack, name="remote.rolled_back", summary="Your own wallet took a debit back."),
    _type(
        event=re.WagerNotTaken,
        name="wager.not_taken",
        subject="rounds/{round}",
        summary="A wager is in no round, because your own wallet refused its debit (`code` is its own), did not answer "
        "(`no_answer`), or answered when it could not be confirmed any more (`too_late`).",
    ),
    _of_operator(event=FundingChanged, name="funding.changed", summary="Your players come by money in another way."),
    _of_adjustment(
        event=ae.AdjustmentPosted,
        name="adjustment.posted",
        summary="A balance was corrected; the change of this id says who agreed.",
        without=frozenset({"message"}),
    ),
    _of_player(event=rg.PlayLimitSet, name="limit.set", summary="A limit on play was set or lowered."),
    _of_player(
        event=rg.PlayLimitIncreaseRequested, name="limit.increase_requested", summary="Can be confirmed after a while."
    ),
    _of_player(event=rg.PlayLimitIncreased, name="limit.increased", summary="A limit on play was raised."),
    _of_player(
        event=rg.PlayLimitIncreaseCancelled, name="limit.increase_cancelled", summary="The limit stays as it was."
    ),
    _of_player(event=rg.TableLimitSet, name="limit.table_set", summary="The player's own table limit was set."),
    _of_operator(event=rg.OperatorLimitSet, name="limit.operator_set", summary="A limit for all players was set."),
    _of_player(event=rg.CoolingOffStarted, name="exclusion.cooling_off_started", summary="A cooling-off began."),
    _of_player(event=rg.SelfExcluded, name="exclusion.started", summary="The player was excluded, by whom `by` says."),
    _of_player(event=rg.SelfExclusionEnded, name="exclusion.ended", summary="The exclusion ended."),
    _of_player(event=rg.RealityCheckSet, name="reality_check.set", summary="The interval of reality checks was set."),
    _of_player(event=rg.PlayerBlocked, name="player.blocked", summary="A kill switch stops the player."),
    _of_player(event=rg.PlayerUnblocked, name="player.unblocked", summary="The player may play again."),
    _of_player(
        event=rg.PlayerFrozen,
        name="player.frozen",
        summary="Compliance froze the account: no play here. Never tell the player.",
        without=frozenset({"reason"}),
    ),
    _of_player(event=rg.PlayerUnfrozen, name="player.unfrozen", summary="The account is not frozen any more."),
    _of_operator(
        event=rec.ReconciliationCompleted,
        name="reconciliation.completed",
        summary="A day's payments were compared with the provider's records.",
    ),
    _of_discrepancy(event=rec.DiscrepancyDetected, name="discrepancy.detected", summary="A payment differs."),
    _of_discrepancy(event=rec.DiscrepancyCleared, name="discrepancy.cleared", summary="The records agree again."),
    _of_discrepancy(event=rec.DiscrepancyResolved, name="discrepancy.resolved", summary="A person resolved it."),
)
SOURCE: Final = FeedSource(CATALOGUE, TYPES, lambda _: {})
ANNOUNCED: Final = (
    _of_player(
        event=RealityCheckDue,
        name="reality_check.due",
        summary="A player's reality check is due. Our own page shows it; show or send yours if you have one.",
    ),
)
