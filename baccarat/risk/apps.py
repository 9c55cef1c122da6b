from collections.abc import Mapping
from typing import Final

from django.apps import AppConfig

PLAYER_FILES: Final[Mapping[str, str]] = {
    "activity": "SELECT * FROM risk_activity WHERE player_id = %(player)s ORDER BY slot, currency",
    "risk_alerts": """
        SELECT id, kind, currency, amount, count, hours, details, slot, case_id, at FROM risk_riskalert
        WHERE player_id = %(player)s ORDER BY id
    """,
    "networks": """
        SELECT encode(network, 'hex') AS network, last_used_at FROM risk_playernetwork WHERE player_id = %(player)s
        ORDER BY last_used_at
    """,
    "statuses": "SELECT * FROM risk_playerstatus WHERE player_id = %(player)s ORDER BY id",
    "notes_about_player": "SELECT * FROM risk_playernote WHERE player_id = %(player)s ORDER BY id",
    "cases": """
        SELECT id, kind, subject, details, opened_at FROM compliance_case
        WHERE split_part(subject, ' ', 1) = 'player:' || %(player)s::text ORDER BY id
    """,
    "case_entries": """
        SELECT entry.case_id, entry.kind, entry.text, entry.evidence, entry.sha256, entry.due_at, entry.by, entry.at
          FROM compliance_caseentry AS entry JOIN compliance_case ON compliance_case.id = entry.case_id
         WHERE split_part(compliance_case.subject, ' ', 1) = 'player:' || %(player)s::text ORDER BY entry.id
    """,
}
NEEDS: Final[Mapping[str, str]] = {
    "activity": "risk.view_riskalert",
    "risk_alerts": "risk.view_riskalert",
    "networks": "risk.view_riskalert",
    "statuses": "risk.view_playerstatus",
    "notes_about_player": "risk.view_playernote",
    "cases": "compliance.view_case",
    "case_entries": "compliance.view_case",
}


class RiskConfig(AppConfig):
    name = "baccarat.risk"
    label = "risk"

    def ready(self) -> None:
        """Register the tables for manifests, retention and exports. Players get nothing of it in their own exports."""
        from baccarat.queries import staked
        from baccarat.risk import detection, players, rule_changes
        from casino.checkpoints import table_digests
        from casino.compliance import cases, exports, retention
        from casino.compliance.exports import OperatorFile
        from casino.compliance.retention import RetentionPolicy
        from wallet.payments import gate_facts

        rule_changes.register()
        cases.register_concern(detection.is_other_of_case)
        gate_facts.register(players.assess, staked.staked_between)
        retention.register_reviewed(
            f"""SELECT other_id FROM risk_riskalert JOIN compliance_case AS opened ON opened.id = case_id
                 WHERE other_id IS NOT NULL AND {cases.IS_OPEN}"""  # noqa: S608  (a constant)
        )
        retention.register(
            permanent={},
            policies={
                "activity": RetentionPolicy(
                    {"risk_activity": "slot", "risk_playerpair": "slot"}, 1, 92, of_players=True
                ),
                "networks": RetentionPolicy({"risk_playernetwork": "last_used_at"}, 1, 92, of_players=True),
            },
        )
        exports.register_player_files(files=PLAYER_FILES, streams=(), own={}, needs=NEEDS)
        exports.register_operator_files(
            {
                "risk_rules": OperatorFile("* FROM risk_riskrule", "at", state=True),
                "risk_alerts": OperatorFile("* FROM risk_riskalert", "at"),
                "player_statuses": OperatorFile("* FROM risk_playerstatus", "at", state=True),
                "player_notes": OperatorFile("* FROM risk_playernote", "at"),
            }
        )
        table_digests.register({"risk_riskalert": "id", "risk_playerstatus": "id", "risk_playernote": "id"})
