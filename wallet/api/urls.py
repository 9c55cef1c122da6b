"""The wallet's addresses, under /api/v1/."""

from typing import Final

from django.urls import include, path

from wallet.api import (
    accounts,
    adjustments,
    callbacks,
    deposit_methods,
    deposits,
    funding,
    holds,
    limits,
    notices,
    play_money,
    players,
    reality_checks,
    reconciliation,
    table_limit,
    transfers,
    withdrawal_policy,
    withdrawals,
)

MY_URLS: Final = [
    path("balances", accounts.MyBalancesView.as_view(), name="my-balances"),
    path("statement", accounts.MyStatementView.as_view(), name="my-statement"),
    path("table-limit", table_limit.MyTableLimitView.as_view(), name="my-table-limit"),
    path("limits", limits.MyLimitsView.as_view(), name="my-limits"),
    path("limits/confirm", limits.ConfirmMyLimitView.as_view(), name="confirm-my-limit"),
    path("limits/cancel", limits.CancelMyLimitView.as_view(), name="cancel-my-limit"),
    path("reality-check", reality_checks.MyRealityCheckView.as_view(), name="my-reality-check"),
    path("play-money", play_money.MyPlayMoneyView.as_view(), name="my-play-money"),
    path("deposits", deposits.MyDepositListView.as_view(), name="my-deposits"),
    path("deposits/quick", deposits.QuickDepositView.as_view(), name="quick-deposit"),
    path("deposits/<uuid:deposit>", deposits.MyDepositView.as_view(), name="my-deposit"),
    path("withdrawal-quote", withdrawals.MyWithdrawalQuoteView.as_view(), name="my-withdrawal-quote"),
    path("withdrawals", withdrawals.MyWithdrawalListView.as_view(), name="my-withdrawals"),
    path("withdrawals/<uuid:withdrawal>", withdrawals.MyWithdrawalView.as_view(), name="my-withdrawal"),
    path(
        "withdrawals/<uuid:withdrawal>/cancel", withdrawals.CancelWithdrawalView.as_view(), name="cancel-my-withdrawal"
    ),
]
PLAYER_URLS: Final = [
    path("sandbox-credits", players.SandboxCreditsView.as_view(), name="sandbox-credits"),
    path("transfers", transfers.PlayerTransfersView.as_view(), name="player-transfers"),
    path("balances", accounts.PlayerBalancesView.as_view(), name="player-balances"),
    path("statement", accounts.PlayerStatementView.as_view(), name="player-statement"),
    path("limits", limits.PlayerLimitsView.as_view(), name="player-limits"),
    path("reality-check", reality_checks.PlayerRealityCheckView.as_view(), name="player-reality-check"),
]
urlpatterns = [
    path("me/", include(MY_URLS)),
    path("players", players.PlayerListView.as_view(), name="players"),
    path("players/<uuid:player>", players.PlayerDetailView.as_view(), name="player"),
    path("players/<uuid:player>/", include(PLAYER_URLS)),
    path("notices", notices.NoticeListView.as_view(), name="notices"),
    path("notices/<uuid:notice>/read", notices.ReadNoticeView.as_view(), name="read-notice"),
    path("holds", holds.HoldListView.as_view(), name="holds"),
    path("holds/<uuid:hold>", holds.HoldView.as_view(), name="hold"),
    path("holds/<uuid:hold>/assign", holds.AssignHoldView.as_view(), name="assign-hold"),
    path("holds/<uuid:hold>/release", holds.ReleaseHoldView.as_view(), name="release-hold"),
    path("holds/<uuid:hold>/reject", holds.RejectHoldView.as_view(), name="reject-hold"),
    path("adjustments", adjustments.AdjustmentListView.as_view(), name="adjustments"),
    path("adjustment-totals", adjustments.AdjustmentTotalsView.as_view(), name="adjustment-totals"),
    path("adjustments/<uuid:adjustment>", adjustments.AdjustmentView.as_view(), name="adjustment"),
    path("transfers", transfers.TransferListView.as_view(), name="transfers"),
    path("transfers/<str:reference>", transfers.TransferView.as_view(), name="transfer"),
    path("operator/funding", funding.FundingView.as_view(), name="operator-funding"),
    path("operator/limits", limits.OperatorLimitsView.as_view(), name="operator-limits"),
    path("play-money-policy", play_money.PlayMoneyPolicyView.as_view(), name="play-money-policy"),
    path("reconciliations", reconciliation.ReconciliationListView.as_view(), name="reconciliations"),
    path("discrepancies", reconciliation.DiscrepancyListView.as_view(), name="discrepancies"),
    path("discrepancies/<uuid:discrepancy>", reconciliation.DiscrepancyView.as_view(), name="discrepancy"),
    path(
        "discrepancies/<uuid:discrepancy>/assign",
        reconciliation.AssignDiscrepancyView.as_view(),
        name="assign-discrepancy",
    ),
    path(
        "discrepancies/<uuid:discrepancy>/apply-again",
        reconciliation.ApplyDiscrepancyAgainView.as_view(),
        name="apply-discrepancy-again",
    ),
    path(
        "discrepancies/<uuid:discrepancy>/resolve",
        reconciliation.ResolveDiscrepancyView.as_view(),
        name="resolve-discrepancy",
    ),
    path("deposit-methods", deposit_methods.DepositMethodListView.as_view(), name="deposit-methods"),
    path(
        "deposit-methods/<uuid:method>/versions",
        deposit_methods.DepositMethodVersionsView.as_view(),
        name="deposit-method-versions",
    ),
    path("withdrawal-policy", withdrawal_policy.WithdrawalPolicyView.as_view(), name="withdrawal-policy"),
    path("deposits", deposits.DepositListView.as_view(), name="deposits"),
    path("withdrawals", withdrawals.WithdrawalListView.as_view(), name="withdrawals"),
    path("providers/<slug:provider>/callbacks", callbacks.ProviderCallbacksView.as_view(), name="provider-callbacks"),
]
