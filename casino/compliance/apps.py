from django.apps import AppConfig


class ComplianceConfig(AppConfig):
    name = "casino.compliance"

    def ready(self) -> None:
        """Check and attest each process when it starts, and have this app's append-only tables covered by manifests."""
        from casino.checkpoints import table_digests
        from casino.compliance import acts, attestation, clocks, erasure, threshold_changes
        from casino.observability import health
        from casino.observability.process import on_process_start
        from casino.staff import duties

        duties.register(*acts.ACTS)
        _register_feed()
        threshold_changes.register()
        erasure.register()
        attestation.register_change()
        health.readiness.register("clock", clocks.check_clock)
        on_process_start(
            lambda process: health.refuse_to_start(process, "clock", "currencies", "personal_keys", "shoe_keys")
        )
        on_process_start(attestation.start_monitoring)
        table_digests.register(
            {
                "compliance_measurement": "id",
                "compliance_erasure": "number",
                "compliance_case": "number",
                "compliance_caseaction": "id",
                "compliance_caseentry": "id",
                "compliance_clockreading": "id",
            }
        )


def _register_feed() -> None:
    from casino.compliance import complaints
    from casino.feed.types import FeedSource, FeedType, register

    answered = FeedType(
        event=complaints.ComplaintAnswered,
        app="casino",
        name="complaint.answered",
        subject="players/{player}",
        summary="The player of a complaint was told how it stands. Our own page shows it; send yours if you have one: "
        "the entries of the case have what staff wrote.",
    )
    register(FeedSource(complaints.COMPLAINT_EVENTS, (answered,), lambda _: {}))
