from django.apps import AppConfig


class BaccaratConfig(AppConfig):
    name = "baccarat"
    label = "baccarat"

    def ready(self) -> None:
        """Register reports, the check of rules in force, the kill switch, and what compliance must know of tables."""
        from baccarat.compliance import personal_data
        from baccarat.queries.rules_versions import check_rules_in_force
        from baccarat.reports import performance, revenue, significant, variance, voids
        from baccarat.services.kill_switch import stop_for_integrity
        from casino.compliance import attestation
        from casino.reports import registry

        registry.register(
            performance.PERFORMANCE,
            revenue.REVENUE,
            voids.VOIDS,
            significant.SIGNIFICANT,
            variance.VARIANCE,
        )
        attestation.register(rules_check=check_rules_in_force, stop_play=stop_for_integrity)
        personal_data.register()
