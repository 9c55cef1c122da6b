from django.apps import AppConfig


class WalletConfig(AppConfig):
    name = "wallet"
    label = "wallet"

    def ready(self) -> None:
        """Register reports, feed types, and the wallet's tables for retention, exports and erasure."""
        from casino.feed.types import register, register_announced
        from casino.observability import health
        from casino.reports.definition import register_reports
        from wallet import compliance, feed
        from wallet.payments import changes as payment_changes
        from wallet.reports import ACCOUNTS, ADJUSTMENTS, LIABILITY
        from wallet.responsible_gaming import changes as protection_changes

        register_reports(LIABILITY, ACCOUNTS, ADJUSTMENTS)
        compliance.register()
        payment_changes.register()
        protection_changes.register()
        register(feed.SOURCE)
        register_announced(*feed.ANNOUNCED)
        oldest = "SELECT extract(epoch FROM clock_timestamp() - min(next_try_at)) FROM wallet_payment_due"
        health.watch("payments", oldest, limit=60.0, what="a payment has been due")
