"""Everything that there is about one player, as one ZIP of JSON, made while it is sent.

Amounts are in minor units of the currency beside them; times are in UTC. What is sealed is opened.
"""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from casino.crypto import crypto_shredding
from casino.operators.queries import require_player

BATCH: Final = 500
"""Rows that are read, opened and compressed at a time."""
FILES: Final[Mapping[str, str]] = {
    "player": "SELECT id, operator_id, reference, nickname, created_at FROM operators_player WHERE id = %(player)s",
    "sessions": "SELECT 'session:' || left(encode(token_hash, 'hex'), 32) AS session, created_at, expires_at, "
    "last_used_at, ended_at, ended_reason FROM operators_playersession "
    "WHERE player_id = %(player)s ORDER BY created_at",
    "removal": "SELECT until FROM operators_playerban WHERE player_id = %(player)s",
    "accounts": "SELECT id, kind, money_type, currency, table_id, balance FROM wallet_account "
    "JOIN wallet_balance ON account_id = id WHERE player_id = %(player)s ORDER BY id",
    "money": "SELECT posting.id, entry.kind, entry.recorded_at, account.id AS account, account.kind AS account_kind, "
    "account.money_type, account.currency, posting.amount, posting.balance, posting.sequence FROM wallet_account AS account "
    "JOIN wallet_posting AS posting ON posting.account_id = account.id JOIN wallet_entry AS entry "
    "ON entry.id = posting.entry_id WHERE account.player_id = %(player)s ORDER BY posting.id",
    "deposits": "SELECT * FROM wallet_deposit WHERE player_id = %(player)s ORDER BY id",
    "withdrawals": "SELECT * FROM wallet_withdrawal WHERE player_id = %(player)s ORDER BY id",
    "adjustments": "SELECT made.*, words.note, words.message, words.answer FROM wallet_adjustment AS made "
    "LEFT JOIN wallet_adjustment_text AS words ON words.adjustment_id = made.id "
    "WHERE made.player_id = %(player)s ORDER BY made.id",
    "limits": "SELECT * FROM wallet_playerrestrictions WHERE player_id = %(player)s",
    "exclusions": "SELECT * FROM wallet_exclusion_note WHERE player_id = %(player)s ORDER BY since",
    "notices": "SELECT * FROM wallet_notice WHERE player_id = %(player)s ORDER BY id",
    "wagers": "SELECT * FROM baccarat_wager WHERE player_id = %(player)s ORDER BY confirmed_at, id",
    "rounds": "SELECT id, table_id, number, rules, currency, phase, opened_at, ended_at, cards, outcome, player_total, "
    "banker_total FROM baccarat_round WHERE id IN (SELECT round_id FROM baccarat_wager WHERE player_id = %(player)s) "
    "ORDER BY id",
    "seats": "SELECT table_id, seat, money_type, at FROM baccarat_sitting WHERE player_id = %(player)s ORDER BY at",
    "preferences": "SELECT * FROM web_preferences WHERE player_id = %(player)s",
    "chats": "SELECT id, table_id, seat, text, displayed_text, sent_at FROM chat_chatmessage "
    "WHERE player_id = %(player)s ORDER BY id",
    "reports_made": "SELECT id, table_id, seat, message_id, reason, reported_at FROM chat_chatreport "
    "WHERE reporter_id = %(player)s ORDER BY id",
    "moderation": "SELECT id, kind, reason, until, note, by, acted_at FROM chat_moderationaction "
    "WHERE player_id = %(player)s ORDER BY id",
    "significant_events": "SELECT number, kind, reason, before, after, money, currency, at FROM "
    "significant_significantevent WHERE subject = 'player:' || %(player)s::text "
    "OR actor = 'player:' || %(player)s::text OR after->>'player' = %(player)s::text ORDER BY number",
    "remarks": "SELECT event.number, remark.acknowledges, remark.text, remark.at FROM significant_note AS remark "
    "JOIN significant_significantevent AS event ON event.id = remark.event_id WHERE event.subject = 'player:' || "
    "%(player)s::text OR event.actor = 'player:' || %(player)s::text OR event.after->>'player' = %(player)s::text "
    "ORDER BY remark.id",
    "differences": "SELECT said.discrepancy_id, said.note, said.created_at FROM wallet_discrepancy_note AS said "
    "JOIN wallet_discrepancy AS found ON found.id = said.discrepancy_id JOIN ("
    "SELECT id::text FROM wallet_deposit WHERE player_id = %(player)s UNION ALL "
    "SELECT id::text FROM wallet_withdrawal WHERE player_id = %(player)s) AS payment ON payment.id = found.payment "
    "ORDER BY said.id",
    "views": "SELECT at, user_id, subject, path FROM staff_accesslogentry "
    "WHERE subject = 'player:' || %(player)s::text ORDER BY id",
    "stops": "SELECT stopped, reason, message, at FROM baccarat_switch WHERE scope = 'player' AND subject = "
    "%(player)s::text ORDER BY at",
    "erasures": "SELECT id, reason, requested_at FROM compliance_erasure WHERE player_id = %(player)s ORDER BY id",
    "played": "SELECT slot FROM wallet_played WHERE player_id = %(player)s ORDER BY slot",
    "table_limits": "SELECT * FROM wallet_table_limit WHERE player_id = %(player)s",
    "chat_standing": "SELECT muted_until, mute_reason, banned_until, ban_reason FROM chat_playermoderation "
    "WHERE player_id = %(player)s",
    "events": "SELECT id, stream, version, type, data, recorded_at FROM events_event WHERE stream = ANY (ARRAY["
    "'wallet-' || %(player)s::text, 'chat-' || %(player)s::text, 'limit-' || %(player)s::text, "
    "'responsible-gaming-' || %(player)s::text, 'debt-' || %(player)s::text, 'switch-player-' || %(player)s::text] "
    "|| ARRAY(SELECT 'deposit-' || id FROM wallet_deposit WHERE player_id = %(player)s) "
    "|| ARRAY(SELECT 'withdrawal-' || id FROM wallet_withdrawal WHERE player_id = %(player)s) "
    "|| ARRAY(SELECT 'adjustment-' || id FROM wallet_adjustment WHERE player_id = %(player)s)) ORDER BY id",
    # What the player did at tables, and what was done about the player there: without what is of others, too.
    "play": "SELECT id, stream, version, type, data - 'seats' - 'wagers' AS data, recorded_at FROM events_event "
    "WHERE stream = ANY (ARRAY(SELECT 'table-' || table_id FROM baccarat_sitting WHERE player_id = %(player)s) "
    "|| ARRAY(SELECT 'round-' || round_id FROM baccarat_wager WHERE player_id = %(player)s)) "
    "AND (data->>'player' = %(player)s::text OR metadata->>'actor' = 'player:' || %(player)s::text) ORDER BY id",
}
"""A file for each; every statement has one player's rows and nobody else's."""


class _Sink(io.RawIOBase):
    """Takes what the ZIP writes, until it is sent."""

    def __init__(self) -> None:
        self.waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.waiting += data
        return len(data)

    def take(self) -> bytes:
        taken, self.waiting = bytes(self.waiting), bytearray()
        return taken


def export(*, operator: UUID, player: UUID, now: datetime) -> Iterator[bytes]:
    """Make the ZIP of all that there is about a player, piece by piece. Raises UnknownPlayer at once."""
    require_player(operator=operator, player=player)
    return _pieces(player, now)


def _pieces(player: UUID, now: datetime) -> Iterator[bytes]:
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive, transaction.atomic():
        counts = {}
        for name, statement in FILES.items():
            with archive.open(f"{name}.json", "w", force_zip64=True) as file:
                counts[name] = 0
                for batch in _batches(statement, player):
                    for row in batch:
                        file.write((b"[\n" if counts[name] == 0 else b",\n") + json.dumps(row, sort_keys=True).encode())
                        counts[name] += 1
                    yield sink.take()
                file.write(b"\n]\n" if counts[name] else b"[]\n")
        told = {"format": "casino.player.v1", "player": str(player), "made_at": now.isoformat(), "rows": counts}
        archive.writestr("manifest.json", json.dumps({**told, "amounts": "minor units"}, indent=1))
    yield sink.take()


def _batches(statement: str, player: UUID) -> Iterator[list[dict[str, Any]]]:
    with connection.chunked_cursor() as cursor:
        cursor.execute(f"SELECT to_jsonb(found)::text FROM ({statement}) AS found", {"player": player})  # noqa: S608
        while rows := cursor.fetchmany(BATCH):
            yield _opened([json.loads(text) for (text,) in rows])


def _opened(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sealed = list(_sealed(rows))
    said = dict(zip(sealed, crypto_shredding.decrypt_many(sealed), strict=True))
    return [{name: _legible(value, said) for name, value in row.items()} for row in rows]


def _sealed(value: Any) -> Iterator[str]:
    """Every text within a value that is sealed, or quotes what is."""
    if isinstance(value, str) and crypto_shredding.PREFIX in value:
        yield value
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _sealed(each)


def _legible(value: Any, said: Mapping[str, str | None]) -> Any:
    if isinstance(value, dict):
        return {name: _legible(each, said) for name, each in value.items()}
    if isinstance(value, list):
        return [_legible(each, said) for each in value]
    return said.get(value, value) if isinstance(value, str) else value
