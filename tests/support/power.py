"""What somebody could do harm with, read from the database: money, odds, stops, access, controls; each as a level."""

import re
from collections.abc import Mapping
from typing import Any, Final

from baccarat.domain.rules.odds import player_edge_spots
from baccarat.domain.rules.presets import PRESETS, rules_for
from baccarat.domain.rules.recorded import record
from baccarat.domain.tables.kill_switch import StopRank
from casino.events.sql import fetch

Powers = Mapping[tuple[str, str], float]

_EUROS: Final = [rules_for(preset, currency="EUR") for preset in PRESETS]
_OF_PRESETS: Final = ", ".join(f"'{record(rules).digest}'" for rules in _EUROS if not player_edge_spots(rules))
"""Presets by which the house has the edge: who opens a table with one has gained nothing."""
_STOPS: Final = {f"play despite a stop of rank {rank}": rank for rank in StopRank}
_LEVELS: Final[Mapping[str, str]] = {
    "real money": """SELECT a.operator_id, sum(b.balance)
        FROM wallet_account a JOIN wallet_balance b ON b.account_id = a.id
        JOIN operator o ON o.id = a.operator_id
        WHERE a.money_type = 'real' AND (a.player_id IS NOT NULL OR a.kind = 'stakes') GROUP BY 1""",
    "paytable": f"""SELECT table_id || ' ' || digest, 1 FROM baccarat_rulesversion v
        JOIN operator o ON o.id = v.operator_id WHERE status = 'in_force' AND digest NOT IN ({_OF_PRESETS})""",  # noqa: S608
    **{
        what: f"SELECT id, (NOT active)::int FROM baccarat_killswitch WHERE rank = '{rank}'"  # noqa: S608
        for what, rank in _STOPS.items()
    },
    "key": "SELECT key_id || ' ' || scope, 1 FROM key, unnest(scopes) AS scope",
    "key from anywhere": "SELECT key_id, (networks = '{}')::int FROM key",
    "key unsigned": "SELECT key_id, 1 - signatures_required::int FROM key",
    "key until": """SELECT key_id, coalesce(extract(epoch FROM expires_at)::float8, 'infinity') FROM key""",
    "key without limits": """SELECT key_id, (count(l.id) = 0)::int
        FROM key LEFT JOIN operators_keylimit l USING (key_id) GROUP BY 1""",
    "key limit": """SELECT key_id || movement || currency || part, coalesce(most::float8, 'infinity')
        FROM operators_keylimit, LATERAL (VALUES ('request', per_request), ('day', per_day)) AS each (part, most)""",
    "signing key": "SELECT key_id || ' ' || keyid, 1 FROM operators_signingkey",
    "assertion key": "SELECT id, 1 FROM operators_assertionkey WHERE removed_at IS NULL",
    "unsigned requests": "SELECT id, 1 - signatures_required::int FROM operator WHERE NOT sandbox",
    "origin": "SELECT id || ' ' || origin, 1 FROM operator, unnest(origins) AS origin",
    "staff from anywhere": "SELECT id, (staff_networks = '{}')::int FROM operator",
    "staff network": "SELECT id || ' ' || place, 1 FROM operator, unnest(staff_networks) AS place",
    "return floor": "SELECT id, 100000 - return_floor FROM operator",
    "jurisdiction": "SELECT id || jurisdiction, 1 FROM operator",
    "superuser": "SELECT id, is_superuser::int FROM auth_user",
    "role": "SELECT user_id || ' ' || group_id, 1 FROM auth_user_groups",
    "role's function": "SELECT group_id || ' ' || permission_id, 1 FROM auth_group_permissions",
    "own function": "SELECT user_id || ' ' || permission_id, 1 FROM auth_user_user_permissions",
    "membership": """SELECT user_id || ' ' || operator_id, 1 FROM operators_staffmembership
        JOIN auth_user_groups USING (user_id)""",
    "person": "SELECT user_id || ' ' || operator_id || ' ' || subject, 1 FROM operators_staffsubject",
    "account": """SELECT id || password || lower(email), is_active::int FROM auth_user
        WHERE id IN (SELECT user_id FROM auth_user_groups)""",
    "without second factor": """SELECT u.user_id, (count(d.id) = 0)::int FROM auth_user_groups u
        LEFT JOIN staff_authenticator d USING (user_id) GROUP BY 1""",
    "identity provider": "SELECT id, 1 FROM staff_identityprovider",
    "threshold": """SELECT operator_id || currency || part, lowest FROM (
        SELECT DISTINCT ON (operator_id, currency) * FROM significant_threshold ORDER BY operator_id, currency, id DESC
        ) AS newest, LATERAL (VALUES ('wager', wager), ('wager_day', wager_day), ('win', win), ('win_day', win_day),
        ('payment', payment)) AS each (part, lowest)""",
    "risk rule": """SELECT coalesce(operator_id::text, '') || jurisdiction || kind || currency || part,
        CASE WHEN enabled THEN coalesce(lowest, 0)::float8 ELSE 'infinity' END FROM (
        SELECT DISTINCT ON (operator_id, jurisdiction, kind, currency) * FROM risk_riskrule
        ORDER BY operator_id, jurisdiction, kind, currency, id DESC) AS newest,
        LATERAL (VALUES ('amount', newest.amount), ('count', newest.count), ('share', newest.share)) AS each
        (part, lowest)""",
    "limits of a group": """SELECT operator_id || name || currency || part, coalesce(most::float8, 'infinity')
        FROM operators_limitsgroup, LATERAL (VALUES ('maximum', maximum), ('stake_day', stake_day),
        ('loss_day', loss_day)) AS each (part, most)""",
    "payment terms": "SELECT md5(m::text), 1 FROM wallet_deposit_method m JOIN operator o ON o.id = m.operator_id",
    "withdrawal policy": "SELECT md5(p::text), 1 FROM wallet_withdrawal_policy p",
    "funding": "SELECT md5(f::text), 1 FROM wallet_funding f",
    "void policy": "SELECT md5(v::text), 1 FROM baccarat_voidpolicy v",
    "pay-out": "SELECT id, (status IN ('approved', 'sent', 'paid'))::int FROM wallet_withdrawal",
    "reader outside": """SELECT 'webhook ' || id, 1 FROM feed_webhookendpoint WHERE status <> 'waiting'
        UNION ALL SELECT 'report ' || id, 1 FROM reports_reportdestination""",
}
_OLD: Final = """WITH operator AS (SELECT * FROM operators_operator WHERE created_at < now()),
    key AS (SELECT k.* FROM operators_apikey k JOIN operator o ON o.id = k.operator_id WHERE revoked_at IS NULL) """
"""An operator that is made in the same transaction has no players to harm."""
_READ: Final = _OLD + " UNION ALL ".join(
    f"SELECT $${what}$$, of::text, level::float8 FROM ({rows}) AS known (of, level)"  # noqa: S608  (constants)
    for what, rows in _LEVELS.items()
)
_TOUCHED: Final = """SELECT relname, n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_xact_user_tables
    WHERE relname = ANY (%s) ORDER BY 1"""
_TABLES: Final = sorted(
    {name for rows in _LEVELS.values() for name in re.findall(r"(?:FROM|JOIN) (\w+)", rows)}
    | {"operators_operator", "operators_apikey"}
)
"""The tables that say who has which power."""


def read() -> Powers:
    """Return the level of each power; a greater one could do more harm."""
    return {(what, of): level for what, of, level in fetch(_READ)}


def touched() -> list[tuple[Any, ...]]:
    """Return how often this transaction has written to each table of which powers are read, undone writes included."""
    return fetch(_TOUCHED, [_TABLES])


def gained(before: Powers, after: Powers) -> set[str]:
    """Name the powers that grew: whoever lifts a stop, as which its rank counted before, gains play."""
    if before == after:
        return set()
    plays = {of for (what, of), level in after.items() if what in _STOPS and level}
    return {
        *(key[0] for key, level in after.items() if key[0] not in _STOPS and level > before.get(key, 0)),
        *(what for (what, of), level in before.items() if what in _STOPS and not level and of in plays),
    }
