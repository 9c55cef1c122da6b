from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "casino.reports"
    label = "reports"

    def ready(self) -> None:
        """Have this app's append-only table covered by manifests."""
        from casino.checkpoints import table_digests

        table_digests.register({"reports_report": "number"})
