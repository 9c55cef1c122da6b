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
    path("players", views.Players.as_view(), name="players"),
    path("players/<uuid:player>", views.OnePlayer.as_view(), name="player"),
    path("players/<uuid:player>/sandbox-credits", views.SandboxCredits.as_view(), name="sandbox-credits"),
    path("players/<uuid:player>/balances", views.PlayerBalances.as_view(), name="player-balances"),
    path("players/<uuid:player>/statement", views.PlayerStatement.as_view(), name="player-statement"),
    path("me/balances", views.MyBalances.as_view(), name="my-balances"),
    path("me/statement", views.MyStatement.as_view(), name="my-statement"),
    path("me/table-limit", limits.MyTableLimit.as_view(), name="my-table-limit"),
    path("notices", notices.Notices.as_view(), name="notices"),
    path("notices/<uuid:notice>/read", notices.ReadNotice.as_view(), name="read-notice"),
    path("adjustments", adjustments.Adjustments.as_view(), name="adjustments"),
    path("adjustment-totals", adjustments.AdjustmentsReport.as_view(), name="adjustment-totals"),
    path("adjustments/<uuid:adjustment>", adjustments.OneAdjustment.as_view(), name="adjustment"),
    path("adjustments/<uuid:adjustment>/approve", adjustments.ApproveAdjustment.as_view(), name="approve-adjustment"),
    path("adjustments/<uuid:adjustment>/reject", adjustments.RejectAdjustment.as_view(), name="reject-adjustment"),
    path("limits", protection.Limits.as_view(), name="limits"),
    path("players/<uuid:player>/limits", protection.PlayerLimits.as_view(), name="player-limits"),
    path("me/limits", protection.MyLimits.as_view(), name="my-limits"),
    path("me/limits/confirm", protection.ConfirmMyLimit.as_view(), name="confirm-my-limit"),
    path("me/limits/cancel", protection.CancelMyLimit.as_view(), name="cancel-my-limit"),
    path("players/<uuid:player>/reality-check", protection.PlayerRealityCheck.as_view(), name="player-reality-check"),
    path("me/reality-check", protection.MyRealityCheck.as_view(), name="my-reality-check"),
    path("me/play-money", protection.MyPlayMoney.as_view(), name="my-play-money"),
    path("play-money-policy", protection.PlayMoneyPolicy.as_view(), name="play-money-policy"),
    path("reconciliations", reconciliation.Reconciliations.as_view(), name="reconciliations"),
    path("differences", reconciliation.Differences.as_view(), name="differences"),
    path("differences/<uuid:difference>", reconciliation.OneDifference.as_view(), name="difference"),
    path("differences/<uuid:difference>/assign", reconciliation.AssignDifference.as_view(), name="assign-difference"),
    path(
        "differences/<uuid:difference>/resolve", reconciliation.ResolveDifference.as_view(), name="resolve-difference"
    ),
    path("deposit-methods", payments.DepositMethods.as_view(), name="deposit-methods"),
    path("deposit-methods/<uuid:method>/versions", payments.OneDepositMethod.as_view(), name="deposit-method-versions"),
    path("withdrawal-policy", payments.WithdrawalPolicy.as_view(), name="withdrawal-policy"),
    path("deposits", payments.Deposits.as_view(), name="deposits"),
    path("withdrawals", payments.Withdrawals.as_view(), name="withdrawals"),
    path("me/deposits", payments.MyDeposits.as_view(), name="my-deposits"),
    path("me/deposits/quick", payments.QuickDeposit.as_view(), name="quick-deposit"),
    path("me/deposits/<uuid:deposit>", payments.MyDeposit.as_view(), name="my-deposit"),
    path("me/withdrawal-quote", payments.MyWithdrawalQuote.as_view(), name="my-withdrawal-quote"),
    path("me/withdrawals", payments.MyWithdrawals.as_view(), name="my-withdrawals"),
    path("me/withdrawals/<uuid:withdrawal>", payments.MyWithdrawal.as_view(), name="my-withdrawal"),
    path("me/withdrawals/<uuid:withdrawal>/cancel", payments.CancelWithdrawal.as_view(), name="cancel-my-withdrawal"),
    path("providers/<slug:provider>/callbacks", payments.Callbacks.as_view(), name="provider-callbacks"),
]
