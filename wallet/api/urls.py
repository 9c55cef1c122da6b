"""The wallet's addresses, under /api/v1/."""

from django.urls import path

from wallet.api import adjustments_views as adjustments
from wallet.api import limits_views as limits
from wallet.api import notices_views as notices
from wallet.api import payments_views as payments
from wallet.api import reconciliation_views as reconciliation
from wallet.api import responsible_gaming_views as protection
from wallet.api import views

urlpatterns = [
    path("players", views.PlayerListView.as_view(), name="players"),
    path("players/<uuid:player>", views.PlayerDetailView.as_view(), name="player"),
    path("players/<uuid:player>/sandbox-credits", views.SandboxCreditsView.as_view(), name="sandbox-credits"),
    path("players/<uuid:player>/balances", views.PlayerBalancesView.as_view(), name="player-balances"),
    path("players/<uuid:player>/statement", views.PlayerStatementView.as_view(), name="player-statement"),
    path("me/balances", views.MyBalancesView.as_view(), name="my-balances"),
    path("me/statement", views.MyStatementView.as_view(), name="my-statement"),
    path("me/table-limit", limits.MyTableLimitView.as_view(), name="my-table-limit"),
    path("notices", notices.NoticeListView.as_view(), name="notices"),
    path("notices/<uuid:notice>/read", notices.ReadNoticeView.as_view(), name="read-notice"),
    path("adjustments", adjustments.AdjustmentListView.as_view(), name="adjustments"),
    path("adjustment-totals", adjustments.AdjustmentTotalsView.as_view(), name="adjustment-totals"),
    path("adjustments/<uuid:adjustment>", adjustments.AdjustmentView.as_view(), name="adjustment"),
    path(
        "adjustments/<uuid:adjustment>/approve", adjustments.ApproveAdjustmentView.as_view(), name="approve-adjustment"
    ),
    path("adjustments/<uuid:adjustment>/reject", adjustments.RejectAdjustmentView.as_view(), name="reject-adjustment"),
    path("limits", protection.OperatorLimitsView.as_view(), name="limits"),
    path("players/<uuid:player>/limits", protection.PlayerLimitsView.as_view(), name="player-limits"),
    path("me/limits", protection.MyLimitsView.as_view(), name="my-limits"),
    path("me/limits/confirm", protection.ConfirmMyLimitView.as_view(), name="confirm-my-limit"),
    path("me/limits/cancel", protection.CancelMyLimitView.as_view(), name="cancel-my-limit"),
    path(
        "players/<uuid:player>/reality-check", protection.PlayerRealityCheckView.as_view(), name="player-reality-check"
    ),
    path("me/reality-check", protection.MyRealityCheckView.as_view(), name="my-reality-check"),
    path("me/play-money", protection.MyPlayMoneyView.as_view(), name="my-play-money"),
    path("play-money-policy", protection.PlayMoneyPolicyView.as_view(), name="play-money-policy"),
    path("reconciliations", reconciliation.ReconciliationListView.as_view(), name="reconciliations"),
    path("differences", reconciliation.DiscrepancyListView.as_view(), name="differences"),
    path("differences/<uuid:difference>", reconciliation.DiscrepancyView.as_view(), name="difference"),
    path(
        "differences/<uuid:difference>/assign", reconciliation.AssignDiscrepancyView.as_view(), name="assign-difference"
    ),
    path(
        "differences/<uuid:difference>/resolve",
        reconciliation.ResolveDiscrepancyView.as_view(),
        name="resolve-difference",
    ),
    path("deposit-methods", payments.DepositMethodListView.as_view(), name="deposit-methods"),
    path(
        "deposit-methods/<uuid:method>/versions",
        payments.DepositMethodVersionsView.as_view(),
        name="deposit-method-versions",
    ),
    path("withdrawal-policy", payments.WithdrawalPolicyView.as_view(), name="withdrawal-policy"),
    path("deposits", payments.DepositListView.as_view(), name="deposits"),
    path("withdrawals", payments.WithdrawalListView.as_view(), name="withdrawals"),
    path("me/deposits", payments.MyDepositListView.as_view(), name="my-deposits"),
    path("me/deposits/quick", payments.QuickDepositView.as_view(), name="quick-deposit"),
    path("me/deposits/<uuid:deposit>", payments.MyDepositView.as_view(), name="my-deposit"),
    path("me/withdrawal-quote", payments.MyWithdrawalQuoteView.as_view(), name="my-withdrawal-quote"),
    path("me/withdrawals", payments.MyWithdrawalListView.as_view(), name="my-withdrawals"),
    path("me/withdrawals/<uuid:withdrawal>", payments.MyWithdrawalView.as_view(), name="my-withdrawal"),
    path(
        "me/withdrawals/<uuid:withdrawal>/cancel", payments.CancelWithdrawalView.as_view(), name="cancel-my-withdrawal"
    ),
    path("providers/<slug:provider>/callbacks", payments.ProviderCallbacksView.as_view(), name="provider-callbacks"),
]
