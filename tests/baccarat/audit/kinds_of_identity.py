"""Kinds of tampering with who may do what, and with texts that serve as evidence: a change or removal of one row.

Staff, roles, second factors, identities, keys, operators and their settings, players, sessions, and what was written.
"""

# ruff: noqa: S608  (SQL made of constants)

from collections import Counter
from typing import Final

from casino.checkpoints.table_digests import COVERED_TABLES
from casino.events.row_digests import held_tables
from tests.baccarat.audit.attacker import WITH_ORIGINAL_CHAIN, Attacker
from tests.baccarat.audit.kinds_beside_the_log import ROW_DIFFERS
from tests.baccarat.audit.seeding import ROWS

REMOVED: Final = ""
"""In the place of a change."""

CHANGES: Final[dict[str, tuple[str, str]]] = {
    # members of staff
    "a password of staff replaced": ("auth_user", "password = 'mine'"),
    "a member of staff made a superuser": ("auth_user", "is_superuser = true"),
    "a member of staff under another name": ("auth_user", "username = 'nobody'"),
    "a disabled member of staff revived": ("staff_staffaccount", "disabled_at = NULL"),
    "a password made younger": ("staff_staffaccount", "password_changed_at = now()"),
    "a role taken from a member of staff": ("auth_user_groups", REMOVED),
    "a role of a member of staff for longer": ("staff_roleend", "ends_at = ends_at + interval '1 year'"),
    "a role of a member of staff for good": ("staff_roleend", REMOVED),
    "a permission taken from a role": ("auth_group_permissions", REMOVED),
    "a permission given past all roles": (
        "auth_user_user_permissions",
        "permission_id = (SELECT min(id) FROM auth_permission)",
    ),
    "a permission taken from a member of staff": ("auth_user_user_permissions", REMOVED),
    "a second factor taken over": ("staff_authenticator", "wrapped = sha256('mine')"),
    "a second factor confirmed without a code": ("staff_authenticator", "confirmed = true"),
    "a used code made good again": ("staff_authenticator", "last_step = -1"),
    "a second factor removed": ("staff_authenticator", REMOVED),
    "a recovery code replaced": ("staff_recoverycode", "digest = sha256('mine')"),
    "a used recovery code made good again": ("staff_recoverycode", "used_at = NULL"),
    "an identity linked to another person": ("staff_staffidentity", "subject = 'mine'"),
    "an identity removed": ("staff_staffidentity", REMOVED),
    "an identity provider at another address": ("staff_identityprovider", "issuer = 'https://mine.example'"),
    "a removed identity provider revived": ("staff_identityprovider", "removed_at = NULL"),
    "what an identity provider says of its keys replaced": ("staff_providerdescription", "document = '{}'"),
    "an identity provider trusted with second factors": ("staff_identityprovider", "second_factors = '{any}'"),
    "an identity provider confirmed by somebody else": ("staff_identityprovider", "confirmed_by = 'mine'"),
    "a member of staff of an operator for longer": ("operators_staffmembership", "since = since - interval '1 year'"),
    "a member of staff removed from an operator": ("operators_staffmembership", REMOVED),
    "a subject of an operator's staff replaced": ("operators_staffsubject", "subject = 'mine'"),
    # what staff did
    "a staff action removed": ("django_admin_log", REMOVED),
    "a staff action with another text": ("django_admin_log", "change_message = 'nothing'"),
    "a staff action of another day": ("django_admin_log", "action_time = action_time - interval '1 day'"),
    "a staff action on another object": ("django_admin_log", "object_id = '1'"),
    # operators, their keys and settings
    "a revoked key revived": ("operators_apikey", "revoked_at = NULL"),
    "a key with more scopes": ("operators_apikey", "scopes = '{everything}'"),
    "a key with another secret": ("operators_apikey", "secret_hash = sha256('mine')"),
    "a key that no longer expires": ("operators_apikey", "expires_at = NULL"),
    "a daily limit of a key raised": ("operators_keylimit", "per_day = 1000000000"),
    "a limit of a key removed": ("operators_keylimit", REMOVED),
    "a signing key replaced": ("operators_signingkey", "public_key = sha256('mine')"),
    "a signing key removed": ("operators_signingkey", REMOVED),
    "a key for assertions replaced": ("operators_assertionkey", 'jwk = \'{"kty": "OKP"}\''),
    "a removed key for assertions revived": ("operators_assertionkey", "removed_at = NULL"),
    "an operator made a sandbox": ("operators_operator", "sandbox = NOT sandbox"),
    "a floor of returns lowered": ("operators_operator", "return_floor = return_floor - 1"),
    "an origin added to an operator": ("operators_operator", "origins = '{https://mine.example}'"),
    "signatures no longer required": ("operators_operator", "signatures_required = NOT signatures_required"),
    "a brand that shares its players": ("operators_brand", "shares_players = NOT shares_players"),
    "a currency with another number of decimals": ("operators_declaredcurrency", "exponent = exponent + 1"),
    "a limits group raised": ("operators_limitsgroup", "maximum = 1000000000"),
    "a limits group removed": ("operators_limitsgroup", REMOVED),
    "a daily cap raised": ("operators_dailycap", "amount = 1000000000"),
    "a daily cap removed": ("operators_dailycap", REMOVED),
    "a webhook sent elsewhere": ("feed_webhookendpoint", "url = 'https://mine.example'"),
    "a webhook signed by another key": ("feed_webhooksecret", "wrapped = sha256('mine')"),
    "a skin with another logo": ("baccarat_skin", "logo = 'mine'"),
    # players
    "a player of another reference": ("operators_player", "reference = 'mine'"),
    "a player out of the limits group": ("operators_player", "limits_group = 'none'"),
    "a player registered earlier": ("operators_player", "created_at = created_at - interval '1 year'"),
    "a PIN replaced": ("operators_playerpin", "pin_hash = 'mine'"),
    "a lock of a PIN moved": ("operators_playerpin", "locked_until = now()"),
    "a PIN removed": ("operators_playerpin", REMOVED),
    "an ended session revived": ("operators_playersession", "ended_at = NULL"),
    "a reality check shown as answered": ("operators_playersession", "reality_check_at = now()"),
    "a session that lasts longer": ("operators_playersession", "expires_at = 'infinity'"),
    "a session opened by somebody else": ("operators_playersession", "opened_by = 'mine'"),
    "a nickname shown against its player's choice": ("baccarat_playerpreferences", "show_nickname = true"),
    "a key of personal data destroyed": ("crypto_personalkey", "wrapped = NULL"),
    "a key of personal data replaced": ("crypto_personalkey", "wrapped = sha256('mine')"),
    # what was written, and who is called
    "a note of a discrepancy removed": ("wallet_discrepancy_note", REMOVED),
    "a note of an exclusion replaced": ("wallet_exclusion_note", "note = 'asked for'"),
    "a notice to a player replaced": ("wallet_notice", "message = 'nothing'"),
    "a notice to a player removed": ("wallet_notice", REMOVED),
    "a closed chat opened again": ("chat_closedchat", REMOVED),
    "an attested component replaced": ("compliance_componentdigest", "items = '{\"mine\": 1}'"),
    "reports sent elsewhere": ("reports_reportdestination", "address = 'mine@example.com'"),
    # what only grows, under manifests
    "a sign-in removed": ("staff_signin", REMOVED),
    "a look at personal data removed": ("staff_accesslogentry", REMOVED),
    "a policy of voids replaced": ("baccarat_voidpolicy", "forgive = NOT forgive"),
    "a policy of withdrawals replaced": ("wallet_withdrawal_policy", "auto_approve_up_to = 0"),
    "an approval of other code": ("compliance_approval", "code = 'mine'"),
    "a measurement with another verdict": ("compliance_measurement", "verdict = 'ok'"),
    "an erasure requested by somebody else": ("compliance_erasure", "requested_by = 'staff:1'"),
    "a case with other details": ("compliance_case", "details = '{\"mine\": 1}'"),
    "an action of a case removed": ("compliance_caseaction", REMOVED),
    "a clock shown as right": ("compliance_clockreading", "offset_ms = 0"),
    "a report with other figures": ("reports_report", "figures = '{\"mine\": 1}'"),
    "an audit with another verdict": ("checkpoints_auditrun", "verdict = 'audit: ok'"),
    "an audit removed": ("checkpoints_auditrun", REMOVED),
    "a threshold of significant events raised": ("significant_threshold", "win = win * 10"),
}
"""By name: the table, and what is set in one row of it, or that it is removed. Each kind has a row of its own."""

_used: Final[Counter[str]] = Counter()
_keys: Final[dict[str, list[object]]] = {}
"""The rows that are tampered with, read before the first of them is."""


def _register(name: str, table: str, change: str) -> None:
    place = _used[table]
    _used[table] += 1

    def tamper(attacker: Attacker) -> tuple[str, str]:
        held = held_tables().get(table)
        number = COVERED_TABLES.get(table) if held is None else held.key[0]
        if table not in _keys:
            query = f"SELECT {number} FROM {table} ORDER BY {number} DESC LIMIT {ROWS}"
            _keys[table] = [key for (key,) in attacker.connection.execute(query)]
        key = _keys[table][place]
        statement = f"UPDATE {table} SET {change}" if change else f"DELETE FROM {table}"
        attacker.do(f"{statement} WHERE {number} = %s", key)
        if held is None:
            return "rows differ from their manifest", f"{table} 1 to"
        return ROW_DIFFERS, f"{table} \\x{key.hex()}" if isinstance(key, bytes) else f"{table} {key}"

    WITH_ORIGINAL_CHAIN[name] = tamper


for _name, (_table, _change) in CHANGES.items():
    _register(_name, _table, _change)
