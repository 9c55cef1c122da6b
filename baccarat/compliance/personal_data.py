"""Data of tables, chats and the table page for retention, exports and erasure."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from baccarat.storage import own_rounds
from casino.compliance import erasure, exports, retention
from casino.compliance.erasure import PlayerActivity
from casino.compliance.exports import OperatorFile
from casino.compliance.retention import FIVE_YEARS, TEN_YEARS, RetentionPolicy
from casino.events.records import METADATA
from casino.events.sql import fetch

PLAYER_FILES: Final[Mapping[str, str]] = {
    "wagers": "SELECT * FROM baccarat_wager WHERE player_id = %(player)s ORDER BY confirmed_at, id",
    "rounds": """
        SELECT id, table_id, number, rules, currency, phase, opened_at, ended_at, cards, outcome, player_total,
        banker_total FROM baccarat_round WHERE id IN (SELECT round_id FROM baccarat_wager WHERE player_id =
        %(player)s) ORDER BY id
    """,
    "seats": """
        SELECT table_id, seat, money_type, at FROM baccarat_sitting WHERE player_id = %(player)s ORDER BY at
    """,
    "preferences": "SELECT * FROM baccarat_playerpreferences WHERE player_id = %(player)s",
    "stops": """
        SELECT active, reason, message, at FROM baccarat_killswitch WHERE scope = 'player' AND subject =
        %(player)s::text ORDER BY at
    """,
    "chats": """
        SELECT id, table_id, seat, text, displayed_text, sent_at FROM chat_chatmessage WHERE player_id =
        %(player)s ORDER BY id
    """,
    "reports_made": """
        SELECT id, table_id, seat, message_id, reason, reported_at FROM chat_chatreport WHERE reporter_id =
        %(player)s ORDER BY id
    """,
    "moderation": """
        SELECT id, kind, reason, until, note, by, acted_at FROM chat_moderationaction WHERE player_id =
        %(player)s ORDER BY id
    """,
    "chat_moderation": """
        SELECT muted_until, mute_reason, banned_until, ban_reason FROM chat_playermoderation WHERE player_id =
        %(player)s
    """,
    "play": f"""
        SELECT id, transaction, stream, version, type, data::jsonb - 'seats' - 'wagers' AS data,
               recorded_at, (SELECT currency FROM baccarat_table WHERE id = "right"(stream, 36)::uuid UNION ALL
                SELECT currency FROM baccarat_round WHERE id = "right"(stream, 36)::uuid) AS currency
          FROM events_event AS event
         WHERE stream = ANY (
               ARRAY(SELECT 'table-' || table_id FROM baccarat_sitting WHERE player_id = %(player)s)
               || ARRAY(SELECT 'round-' || round_id FROM baccarat_wager WHERE player_id = %(player)s))
           AND (data->>'player' = %(player)s::text OR {METADATA}->>'actor' = 'player:' || %(player)s::text)
         ORDER BY id
    """,  # noqa: S608  (constants)
}
OWN_FILES: Final[Mapping[str, frozenset[str]]] = {
    "wagers": frozenset(),
    "rounds": frozenset(),
    "seats": frozenset(),
    "preferences": frozenset(),
    "chats": frozenset(),
    "reports_made": frozenset(),
    "moderation": frozenset({"note", "by"}),
}
PLAYER_STREAMS: Final = ("ARRAY['chat-' || %(player)s::text, 'stop-player-' || %(player)s::text]",)
_ROUNDS: Final = """
    id, table_id, number, rules, currency, phase, opened_at, ended_at, cards, outcome, player_total, banker_total
      FROM baccarat_round
"""
_WAGERS: Final = """
    id, round_id, table_id, player_id, seat, preset, money_type, currency, stakes, staked, won, pushed, commission,
    returned, confirmed_at, settled_at, voided_at FROM baccarat_wager
"""
OPERATOR_FILES: Final[Mapping[str, OperatorFile]] = {
    "tables": OperatorFile(
        """id, name, preset, rules, currency, money_types, seats, rounds, suspension_reason, in_lobby, brands, opened_at
             FROM baccarat_table""",
        "opened_at",
        state=True,
    ),
    "rounds": OperatorFile(_ROUNDS, "opened_at", own_rounds.OPENED),
    "wagers": OperatorFile(_WAGERS, "confirmed_at", f"round_id IN ({own_rounds.PLAYED})"),
    "rules": OperatorFile("* FROM baccarat_rulesversion", "drafted_at", state=True),
    "void_policies": OperatorFile("* FROM baccarat_voidpolicy", "created_at", state=True),
    "kill_switches": OperatorFile("* FROM baccarat_killswitch", "at", state=True),
    "seats": OperatorFile("table_id, player_id, seat, money_type, at FROM baccarat_sitting", "at"),
    "chat_messages": OperatorFile(
        "id, table_id, seat, player_id, text, displayed_text, sent_at FROM chat_chatmessage", "sent_at"
    ),
    "chat_reports": OperatorFile(
        """report.id, report.table_id, report.seat, report.player_id, report.reporter_id, report.message_id,
           report.reason, report.reported_at, closure.outcome, closure.note, closure.by AS closed_by, closure.closed_at
             FROM chat_chatreport report LEFT JOIN chat_chatreportclosure closure ON closure.report_id = report.id""",
        "report.reported_at",
        own="report.operator_id = %(operator)s",
    ),
    "moderation_actions": OperatorFile(
        "id, player_id, kind, reason, until, note, by, acted_at FROM chat_moderationaction", "acted_at"
    ),
    "filter_words": OperatorFile("id, word, added_at FROM chat_filterword", "added_at", state=True),
}
CHAT_TEXTS: Final = RetentionPolicy(
    {
        "chat_chatreportclosure": "closed_at",
        "chat_chatreport": "reported_at",
        "chat_moderationaction": "acted_at",
        "chat_chatmessage": "sent_at",
    },
    FIVE_YEARS,
    TEN_YEARS,
)
_ACTIVITY: Final = """
    SELECT EXISTS (SELECT FROM baccarat_sitting WHERE player_id = %(player)s AND seat IS NOT NULL)
        OR EXISTS (SELECT FROM baccarat_wager
                    WHERE player_id = %(player)s AND settled_at IS NULL AND voided_at IS NULL),
        (SELECT max(confirmed_at) FROM baccarat_wager WHERE player_id = %(player)s)
"""


def player_activity(operator: UUID, player: UUID) -> PlayerActivity:
    """Return seats, open wagers and the last wager."""
    del operator
    ((active, last_wager),) = fetch(_ACTIVITY, {"player": player})
    return PlayerActivity(active=active, last_used_at=last_wager)


def register() -> None:
    retention.register(permanent={}, policies={"chat_texts": CHAT_TEXTS})
    exports.register_player_files(files=PLAYER_FILES, streams=PLAYER_STREAMS, own=OWN_FILES)
    exports.register_operator_files(OPERATOR_FILES)
    erasure.register_check(player_activity)
