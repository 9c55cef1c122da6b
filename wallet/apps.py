from django.apps import AppConfig


class WalletConfig(AppConfig):
    name = "wallet"
    label = "wallet"

    def ready(self) -> None:
        """Register reports, feed types, and the wallet's tables for retention, exports and erasure."""
        from casino.api.jwks import register_keys
        from casino.compliance import complaints
        from casino.feed import outbound
        from casino.feed.types import register, register_announced
        from casino.observability import health
        from casino.reports.definition import register_reports
        from casino.staff import duties
        from wallet import acts, compliance, feed, notices
        from wallet.adjustments import services as adjustments
        from wallet.funding import conformance
        from wallet.funding import services as funding
        from wallet.ledger.queries import register_wagers
        from wallet.payments import changes as payment_changes
        from wallet.payments import holds, withdrawals
        from wallet.reconciliation import messages
        from wallet.reconciliation import queries as reconciliation
        from wallet.remote import delivery, records, signing
        from wallet.reports import ACCOUNTS, ADJUSTMENTS, LIABILITY
        from wallet.responsible_gaming import changes as protection_changes

        register_reports(LIABILITY, ACCOUNTS, ADJUSTMENTS)
        duties.register(*acts.ACTS)
        register_wagers("remote_debit", "remote_owed", "remote_paid", find=records.wagers_of)
        compliance.register()
        adjustments.register()
        funding.register()
        payment_changes.register()
        withdrawals.register()
        holds.register()
        protection_changes.register()
        messages.register()
        complaints.register_teller(notices.tell_of_complaint)
        register(feed.SOURCE)
        register_announced(*feed.ANNOUNCED)
        health.house.register("open_discrepancies", reconciliation.find_waiting)
        outbound.register_loop(delivery.deliver_until)
        register_keys(signing.published_keys)
        register_keys(conformance.published_keys)
        _watch_payments()


def _watch_payments() -> None:
    """Count payments that have another step to go, and check that none is overdue."""
    from casino.alerts.metrics import SOURCES, GaugeSource
    from casino.observability import health

    oldest = "SELECT extract(epoch FROM clock_timestamp() - min(due_at)) FROM wallet_payment_due"
    due = """
        SELECT kind, count(due) FROM unnest(ARRAY['deposit', 'withdrawal']) AS known (kind)
          LEFT JOIN wallet_payment_due AS due USING (kind) GROUP BY 1
    """
    SOURCES["casino_payments_due"] = GaugeSource("Payments that have another step to go.", "kind", due)
    health.watch("payments", oldest, limit=60.0)
