from django.apps import AppConfig


class ComplianceConfig(AppConfig):
    name = "casino.compliance"

    def ready(self) -> None:
        """Attest each process when it starts, and have this app's append-only tables covered by manifests."""
        from casino.checkpoints import table_digests
        from casino.compliance import attestation
        from casino.observability import startup

        startup.on_process_start(attestation.start_monitoring)
        table_digests.register(
            {
                "compliance_measurement": "id",
                "compliance_approval": "id",
                "compliance_decision": "number",
                "compliance_erasure": "number",
                "compliance_case": "number",
                "compliance_caseaction": "id",
            }
        )
