from django.apps import AppConfig


class WalletConfig(AppConfig):
    name = "wallet"
    label = "wallet"

    def ready(self) -> None:
        """Register reports, and what compliance must know of the wallet's tables."""
        from casino.reports import registry
        from wallet import compliance
        from wallet.reports import accounts, adjustments, liability

        registry.register(liability.LIABILITY, accounts.ACCOUNTS, adjustments.ADJUSTMENTS)
        compliance.register()
