from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "casino.reports"
    label = "reports"

    def ready(self) -> None:
        """Have this app's append-only table covered by manifests, and new reports announced in feeds."""
        from casino.checkpoints import table_digests
        from casino.feed.types import FeedType, register_announced
        from casino.observability import health
        from casino.reports import acts, saved
        from casino.reports.generation import ReportMade
        from casino.staff import duties

        oldest = """
            SELECT extract(epoch FROM clock_timestamp() - min(created_at)) FROM reports_reportdelivery
             WHERE sent_at IS NULL
        """
        health.watch("report_deliveries", oldest, limit=3600.0)
        duties.register(*acts.ACTS)
        saved.register()
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
