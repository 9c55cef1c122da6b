from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "casino.reports"
    label = "reports"

    def ready(self) -> None:
        """Have this app's append-only table covered by manifests, and new reports announced in feeds."""
        from casino.checkpoints import table_digests
        from casino.feed.types import FeedType, register_announced
        from casino.reports.generation import ReportMade

        table_digests.register({"reports_report": "number"})
        register_announced(
            FeedType(
                event=ReportMade,
                app="casino",
                name="report.made",
                subject="reports/{report}",
                summary="A version of a report was made; a later version of the same period replaces it.",
            )
        )
