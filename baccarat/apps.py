from functools import partial
from pathlib import Path
from typing import Any

from django.apps import AppConfig


class BaccaratConfig(AppConfig):
    name = "baccarat"
    label = "baccarat"

    def ready(self) -> None:
        """Register reports, feed types, checks and personal data with the lower layers."""
        from baccarat import acts, feed
        from baccarat.compliance import personal_data
        from baccarat.queries.rules_versions import check_rules_in_force
        from baccarat.services import (
            kill_switch,
            rules_lifecycle,
            table_lifecycle,
            void_policy,
            voiding,
            witness_chains,
        )
        from baccarat.storage import own_rounds, shoe_seeds
        from casino.api.compression import register_dictionary
        from casino.api.jwks import register_keys
        from casino.compliance import attestation
        from casino.events import schema
        from casino.feed.asyncapi import register_channel
        from casino.feed.types import register
        from casino.observability import health
        from casino.staff import duties
        from wallet.ledger.queries import register_wagers

        schema.describe_in(Path(self.path) / "schema")
        duties.register(*acts.ACTS)
        register_wagers("wager", "settlement", "void", find=own_rounds.wagers_of)
        _register_reports()
        attestation.register(rules_check=check_rules_in_force, stop_play=kill_switch.stop_for_integrity)
        personal_data.register()
        for changed_by_two in (void_policy, voiding, rules_lifecycle, table_lifecycle, kill_switch, witness_chains):
            changed_by_two.register()
        register_dictionary((Path(self.path) / "api" / "stored_response.json").read_bytes())
        register(*feed.SOURCES)
        register_channel(_stream_channel)
        register_keys(_keys)
        _watch_dealing()
        health.readiness.register("shoe_keys", shoe_seeds.check_keys)


def _register_reports() -> None:
    from baccarat.reports import breakdowns, performance, revenue, significant, variance, voids
    from casino.reports.definition import register_reports

    register_reports(
        performance.PERFORMANCE,
        revenue.REVENUE,
        breakdowns.BRANDS,
        breakdowns.PLAYERS,
        breakdowns.HOURS,
        voids.VOIDS,
        significant.SIGNIFICANT,
        variance.VARIANCE,
    )


def _watch_dealing() -> None:
    """Count rounds by phase, and check that none is overdue and no table waits for a witness."""
    from baccarat.services import witness_watch
    from casino.alerts.metrics import SOURCES, GaugeSource
    from casino.observability import health

    oldest = """
        SELECT extract(epoch FROM clock_timestamp() - min(due_at)) FROM baccarat_duetable WHERE NOT closes
    """
    by_phase = """
        SELECT round.phase, count(*) FROM baccarat_table AS playing
          JOIN baccarat_round AS round ON round.id = playing.round_id GROUP BY 1
        UNION ALL SELECT 'overdue', count(*) FROM baccarat_duetable
         WHERE NOT closes AND due_at <= clock_timestamp()
    """
    for name in (witness_watch.TABLES_WAIT, witness_watch.AWAY):
        health.house.checks[name] = partial(witness_watch.find, name)
    SOURCES["casino_rounds"] = GaugeSource("Rounds that are played, by phase, and those overdue.", "phase", by_phase)
    health.watch("dealing", oldest, limit=5.0)


def _stream_channel() -> Any:
    """Load the stream's views only in processes that are asked for the document."""
    from baccarat.streaming.views import CHANNEL

    return CHANNEL


def _keys() -> Any:
    """Load what makes packs and receipts only in processes that are asked for their keys."""
    from baccarat.proofs import dispute_pack
    from baccarat.queries import receipt_keys

    return [*dispute_pack.published_keys(), *receipt_keys.published_keys()]
