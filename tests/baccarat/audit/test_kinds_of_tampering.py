"""Kinds of tampering by a superuser's SQL, and the finding that the audit reports for each.

One history is played and signed, with copies of its checkpoints in external storage. Independent kinds share a copy
of the database and one audit.
"""

# ruff: noqa: S608  (SQL made of constants)

import contextlib
import json
import uuid
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from django.conf import settings
from django.db import connection

from baccarat.audit import engine
from casino.checkpoints import manifests, signing
from casino.significant import notes, recorder
from casino.significant.models import SignificantEvent
from tests.baccarat.audit.playing import IMMUTABLE, play, rechain, seal, sit
from tests.conftest import Database, pointed_at
from tests.wallet.payments import counter

PATIENCE = 3600
HELD = (
    "auth_group", "auth_group_permissions", "auth_user", "auth_user_groups", "crypto_blindindexkey", "events_rowdigest",
    "operators_apikey", "operators_operator", "staff_authenticator", "staff_staffaccount", "wallet_providercallback",
)  # fmt: skip
OTHER_TABLES = ("significant_significantevent", "significant_note", "wallet_deposit_method", *HELD)
WITH_ORIGINAL_CHAIN, WITH_RECOMPUTED_CHAIN = {}, {}
"""Kinds by name: those that leave the chain as it is, and those after which the whole chain is recomputed."""


def kind(group):
    """Register a way to tamper: a function of a cursor that returns the expected finding and a part of its location."""

    def register(change):
        group[change.__name__.replace("_", " ")] = change
        return change

    return register


class Attacker:
    """A superuser's connection."""

    def __init__(self, connection):
        self.connection = connection

    def do(self, statement, *parameters):
        assert self.connection.execute(statement, parameters).rowcount, statement

    def row(self, statement, *parameters):
        return self.connection.execute(statement, parameters).fetchone()

    def event(self, preset, number, kind):
        """Return id, stream, version and position of an event of the table's round."""
        return self.row(
            "SELECT event.id, stream, version, position FROM events_event AS event "
            "JOIN events_seal ON event_id = event.id WHERE stream = %s AND type = %s ORDER BY version LIMIT 1",
            f"round-{self.round(preset, number)}", kind,
        )  # fmt: skip

    def terms(self, preset, number):
        """Return id and stream of the event that fixed the terms of a settled round."""
        return self.row(
            "SELECT event.id, stream FROM events_event AS event JOIN baccarat_round AS round "
            "ON stream = 'table-' || table_id AND data ->> 'number' = number::text "
            "WHERE round.id = %s AND type = 'TermsFixed'",
            self.round(preset, number),
        )

    def round(self, preset, number):
        """Return the first, second … settled round at the preset's table."""
        return self.row(
            "SELECT id FROM baccarat_round WHERE split_part(rules, '@', 1) = %s AND phase = 'settled' "
            "ORDER BY number OFFSET %s LIMIT 1",
            preset, number - 1,
        )[0]  # fmt: skip

    def entry(self, kind, place):
        """Return the cause of the place-th entry of a kind."""
        query = "SELECT cause FROM wallet_entry WHERE kind = %s ORDER BY cause OFFSET %s LIMIT 1"
        return self.row(query, kind, place)[0]

    def last_posting(self, place):
        """Return account and number of the last posting of the place-th account by their number of postings."""
        return self.row(
            "SELECT account_id, max(sequence) FROM wallet_posting GROUP BY 1 ORDER BY 2 DESC, 1 OFFSET %s LIMIT 1",
            place,
        )

    def change(self, event, change):
        data = json.loads(self.row("SELECT data::text FROM events_event WHERE id = %s", event)[0])
        change(data)
        self.do("UPDATE events_event SET data = %s::jsonb WHERE id = %s", json.dumps(data), event)

    def insert_event(self, stream):
        """Append an event that our code did not write."""
        return self.row(
            "INSERT INTO events_event (stream, version, type, schema, data, metadata) "
            "SELECT %s, 1, type, schema, data, metadata FROM events_event WHERE type = 'TableOpened' LIMIT 1 "
            "RETURNING id",
            stream,
        )[0]


# -- the log, its chain left as it is ------------------------------------------------------------------------------


@kind(WITH_ORIGINAL_CHAIN)
def a_byte_of_an_events_data_changed(attacker):
    event, stream, version, _ = attacker.event("overview", 1, "BettingClosed")
    attacker.do(
        'UPDATE events_event SET data = data::jsonb || \'{"closed_at": "2026-01-01T00:00:00Z"}\' WHERE id = %s', event
    )
    return "digest differs", f"{stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def the_actor_of_an_event_changed(attacker):
    event, stream, version, _ = attacker.event("overview", 2, "BettingClosed")
    attacker.do('UPDATE events_event SET metadata = metadata::jsonb || \'{"actor": "x"}\' WHERE id = %s', event)
    return "digest differs", f"{stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def the_time_of_an_event_moved_by_a_microsecond(attacker):
    event, stream, version, _ = attacker.event("mini", 1, "BettingClosed")
    attacker.do("UPDATE events_event SET recorded_at = recorded_at + interval '1 microsecond' WHERE id = %s", event)
    return "digest differs", f"{stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def an_event_with_another_type(attacker):
    event, stream, version, _ = attacker.event("mini", 2, "BettingClosed")
    attacker.do("UPDATE events_event SET type = 'RoundLapsed' WHERE id = %s", event)
    return "digest differs", f"{stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def an_event_removed(attacker):
    event, _, _, position = attacker.event("classic", 1, "BettingClosed")
    attacker.do("DELETE FROM events_event WHERE id = %s", event)
    return "event missing", f"position {position}"


@kind(WITH_ORIGINAL_CHAIN)
def an_event_inserted_without_a_seal(attacker):
    return "never sealed", f"event {attacker.insert_event('table-slipped-in')},"


@kind(WITH_ORIGINAL_CHAIN)
def an_event_inserted_with_a_forged_seal(attacker):
    event = attacker.insert_event("table-sealed-by-hand")
    attacker.do("INSERT INTO events_seal SELECT max(position) + 1, %s, sha256('made up') FROM events_seal", event)
    return "digest differs", "table-sealed-by-hand version 1"


@kind(WITH_ORIGINAL_CHAIN)
def two_events_in_swapped_order(attacker):
    second, stream, version, later = attacker.event("atlantic_city", 1, "CardsDealt")
    first, earlier = attacker.row(
        "SELECT id, position FROM events_event JOIN events_seal ON event_id = id WHERE stream = %s AND version = %s",
        stream, version - 1,
    )  # fmt: skip
    attacker.do("UPDATE events_seal SET event_id = -1 WHERE position = %s", earlier)
    attacker.do("UPDATE events_seal SET event_id = %s WHERE position = %s", first, later)
    attacker.do("UPDATE events_seal SET event_id = %s WHERE position = %s", second, earlier)
    return "order differs", f"position {earlier}, {stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def a_seal_removed(attacker):
    event, stream, _, position = attacker.event("big_table", 2, "BettingClosed")
    attacker.do("DELETE FROM events_seal WHERE event_id = %s", event)
    return ("position missing", f"position {position}"), ("never sealed", f"event {event}, {stream}")


@kind(WITH_ORIGINAL_CHAIN)
def a_seal_pointed_at_another_event(attacker):
    event, stream, _, position = attacker.event("atlantic_city", 2, "BettingClosed")
    attacker.do(
        "UPDATE events_seal SET event_id = %s WHERE position = %s",
        attacker.insert_event("table-in-its-place"),
        position,
    )
    return ("digest differs", "table-in-its-place"), ("never sealed", f"event {event}, {stream}")


@kind(WITH_ORIGINAL_CHAIN)
def a_rewritten_head_of_the_chain(attacker):
    attacker.do("UPDATE events_chainhead SET digest = sha256(digest)")
    return "chain rewritten", f"position {attacker.row('SELECT max(position) FROM events_chainhead')[0]}"


@kind(WITH_ORIGINAL_CHAIN)
def a_sealed_event_queued_again(attacker):
    event, *_ = attacker.event("classic", 2, "BettingClosed")
    attacker.do("INSERT INTO events_unsealed VALUES (%s)", event)
    return "sealed and queued", f"event {event}"


@kind(WITH_ORIGINAL_CHAIN)
def a_subscriber_set_beyond_the_log(attacker):
    attacker.do("INSERT INTO events_subscription VALUES ('ahead', 1000000)")
    return "tail cut", "subscription ahead"


# -- money ---------------------------------------------------------------------------------------------------------


@kind(WITH_ORIGINAL_CHAIN)
def a_balance_edited(attacker):
    (account,) = attacker.row("SELECT account_id FROM wallet_balance WHERE balance > 0 ORDER BY 1 LIMIT 1")
    attacker.do("UPDATE wallet_balance SET balance = balance + 100 WHERE account_id = %s", account)
    return "balance is not the sum of its postings", f"account {account}"


@kind(WITH_ORIGINAL_CHAIN)
def an_entry_deleted(attacker):
    entry = attacker.entry("buy_in", 0)
    attacker.do("DELETE FROM wallet_entry WHERE cause = %s", entry)
    return "entry is missing", f"event {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def a_posting_with_the_opposite_sign(attacker):
    entry = attacker.entry("buy_in", 1)
    attacker.do("UPDATE wallet_posting SET amount = -amount WHERE amount > 0 AND entry_id = %s", entry)
    return "entry does not sum to zero", f"entry {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def a_posting_deleted(attacker):
    entry = attacker.entry("buy_in", 2)
    attacker.do("DELETE FROM wallet_posting WHERE amount > 0 AND entry_id = %s", entry)
    return "entry moves something else", f"event {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def a_balanced_entry_with_a_higher_credit(attacker):
    entry = attacker.entry("wager", 0)
    attacker.do("UPDATE wallet_posting SET amount = amount * 2 WHERE entry_id = %s", entry)
    return "entry moves something else", f"event {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def an_entry_without_its_event(attacker):
    event, *_ = attacker.event("overview", 1, "ChipsPlaced") or attacker.event("overview", 1, "RoundOpened")
    attacker.do("INSERT INTO wallet_entry (kind, cause) VALUES ('sandbox_credit', %s)", event)
    return "entry that no event leads to", f"event {event}"


@kind(WITH_ORIGINAL_CHAIN)
def an_entry_moved_to_another_day(attacker):
    entry = attacker.entry("buy_in", 1)
    attacker.do("UPDATE wallet_entry SET recorded_at = recorded_at - interval '1 day' WHERE cause = %s", entry)
    return "entry of another time than its event", f"entry {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def an_entry_of_another_kind(attacker):
    entry = attacker.entry("buy_in", 3)
    attacker.do("UPDATE wallet_entry SET kind = 'sandbox_credit' WHERE cause = %s", entry)
    return "entry is of another kind", f"event {entry}"


@kind(WITH_ORIGINAL_CHAIN)
def a_running_balance_of_a_statement_changed(attacker):
    posting = attacker.last_posting(0)
    attacker.do("UPDATE wallet_posting SET balance = balance + 100 WHERE (account_id, sequence) = (%s, %s)", *posting)
    return "running balance is wrong", "account {} posting {}".format(*posting)


@kind(WITH_ORIGINAL_CHAIN)
def a_statement_line_with_another_number(attacker):
    account, last = attacker.last_posting(1)
    which = "(account_id, sequence) = (%s, %s)"
    attacker.do(f"UPDATE wallet_posting SET sequence = sequence + 7 WHERE {which}", account, last)
    return "posting out of sequence", f"account {account} posting {last + 7}"


@kind(WITH_ORIGINAL_CHAIN)
def an_account_given_to_another_player(attacker):
    (account,) = attacker.row("SELECT id FROM wallet_account WHERE kind = 'account' ORDER BY id LIMIT 1")
    attacker.do("UPDATE wallet_account SET player_id = gen_random_uuid() WHERE id = %s", account)
    return "account id is not that of its name", f"account {account}"


@kind(WITH_ORIGINAL_CHAIN)
def a_deposit_made_larger(attacker):
    (deposit,) = attacker.row("SELECT id FROM wallet_deposit")
    attacker.do("UPDATE wallet_deposit SET amount = amount * 10")
    return "row differs", f"wallet_deposit {deposit} amount"


@kind(WITH_ORIGINAL_CHAIN)
def a_withdrawal_shown_as_paid(attacker):
    (withdrawal,) = attacker.row("SELECT id FROM wallet_withdrawal")
    attacker.do("UPDATE wallet_withdrawal SET status = 'paid'")
    return "row differs", f"wallet_withdrawal {withdrawal} status"


# -- read models and secrets ---------------------------------------------------------------------------------------


@kind(WITH_ORIGINAL_CHAIN)
def cards_swapped_in_the_row_of_a_round(attacker):
    round_ = attacker.round("overview", 1)
    attacker.do("UPDATE baccarat_round SET cards = 'As Ah Ad Ac' WHERE id = %s", round_)
    return "row differs", f"baccarat_round {round_} cards"


@kind(WITH_ORIGINAL_CHAIN)
def a_round_with_an_infinite_end(attacker):
    round_ = attacker.round("mini", 2)
    attacker.do("UPDATE baccarat_round SET ended_at = 'infinity' WHERE id = %s", round_)
    return "row differs", f"baccarat_round {round_} ended_at"


@kind(WITH_ORIGINAL_CHAIN)
def an_event_with_an_infinite_time(attacker):
    event, stream, version, _ = attacker.event("overview", 2, "CardsDealt")
    attacker.do("UPDATE events_event SET recorded_at = '-infinity' WHERE id = %s", event)
    return "digest differs", f"{stream} version {version}"


@kind(WITH_ORIGINAL_CHAIN)
def a_deleted_row_of_a_round(attacker):
    round_ = attacker.round("mini", 1)
    attacker.do("DELETE FROM baccarat_round WHERE id = %s", round_)
    return "row is missing", f"baccarat_round {round_}"


@kind(WITH_ORIGINAL_CHAIN)
def a_win_raised_in_the_row_of_a_wager(attacker):
    (wager,) = attacker.row("SELECT id FROM baccarat_wager WHERE round_id = %s", attacker.round("overview", 2))
    attacker.do("UPDATE baccarat_wager SET won = won + 100 WHERE id = %s", wager)
    return "row differs", f"baccarat_wager {wager} won"


@kind(WITH_ORIGINAL_CHAIN)
def an_invented_wager(attacker):
    (wager,) = attacker.row("SELECT id FROM baccarat_wager WHERE round_id = %s", attacker.round("classic", 2))
    made_up = uuid.UUID(int=wager.int + 100)
    columns = [name for (name,) in attacker.connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'baccarat_wager'::regclass AND attnum > 0 "
        "AND NOT attisdropped AND attgenerated = '' ORDER BY attnum"
    ).fetchall()]  # fmt: skip
    values = ", ".join("%s" if name == "id" else name for name in columns)
    attacker.do(
        f"INSERT INTO baccarat_wager ({', '.join(columns)}) SELECT {values} FROM baccarat_wager WHERE id = %s",
        made_up, wager,
    )  # fmt: skip
    return "row is extra", f"baccarat_wager {made_up}"


@kind(WITH_ORIGINAL_CHAIN)
def a_tables_state_edited(attacker):
    (table,) = attacker.row("SELECT id FROM baccarat_table WHERE preset = 'classic'")
    attacker.do("UPDATE baccarat_table SET state = jsonb_set(state, '{rounds}', '77') WHERE id = %s", table)
    return "row differs", f"baccarat_table {table} state"


@kind(WITH_ORIGINAL_CHAIN)
def a_player_seated_elsewhere(attacker):
    (sitting,) = attacker.row("SELECT id FROM baccarat_sitting ORDER BY id LIMIT 1")
    attacker.do("UPDATE baccarat_sitting SET seat = 14 WHERE id = %s", sitting)
    return "row differs", f"baccarat_sitting {sitting} seat"


@kind(WITH_ORIGINAL_CHAIN)
def a_secret_of_a_shoe_in_play_swapped(attacker):
    (shoe,) = attacker.row("SELECT shoe_id FROM baccarat_shoesecret ORDER BY 1 LIMIT 1")
    attacker.do("UPDATE baccarat_shoesecret SET nonce = substring(sha256(nonce) FOR 12) WHERE shoe_id = %s", shoe)
    return "secret can't be read", str(shoe)


# -- checkpoints ---------------------------------------------------------------------------------------------------


@kind(WITH_ORIGINAL_CHAIN)
def a_checkpoint_forged(attacker):
    attacker.do("UPDATE checkpoints_checkpoint SET root = sha256('mine'), signature = decode(repeat('ab', 64), 'hex')")
    return ("checkpoint signature is wrong", "checkpoint 1"), ("replica differs", "checkpoint 1")


# -- what stands beside the log ------------------------------------------------------------------------------------


@kind(WITH_ORIGINAL_CHAIN)
def a_significant_event_with_another_text(attacker):
    (number,) = attacker.row("SELECT min(number) FROM significant_significantevent")
    attacker.do("UPDATE significant_significantevent SET actor = 'nobody' WHERE number = %s", number)
    return "rows differ from their manifest", "significant_significantevent 1 to"


@kind(WITH_ORIGINAL_CHAIN)
def an_acknowledgement_removed(attacker):
    attacker.do("DELETE FROM significant_note")
    return "rows differ from their manifest", "significant_note 1 to"


@kind(WITH_ORIGINAL_CHAIN)
def a_significant_event_hidden_from_those_who_acknowledge(attacker):
    (event,) = attacker.row("SELECT id FROM significant_significantevent WHERE subject = 'table:2'")
    attacker.do("DELETE FROM significant_unacknowledged WHERE event_id = %s", event)
    return "unacknowledged events differ", f"significant event {event}"


@kind(WITH_ORIGINAL_CHAIN)
def a_deposit_method_made_free_of_fees(attacker):
    attacker.do("UPDATE wallet_deposit_method SET fee_fixed = fee_fixed + 1")
    return "rows differ from their manifest", "wallet_deposit_method 1 to"


# -- who may do what -----------------------------------------------------------------------------------------------

MEMBER_OF_STAFF = (
    "INSERT INTO auth_user (id, username, password, is_superuser, is_staff, is_active, first_name, last_name, email, "
    "date_joined) VALUES (%s, %s, 'x', true, true, true, '', '', '', now())"
)
ROW_DIFFERS = "row differs from its digest"


@kind(WITH_ORIGINAL_CHAIN)
def a_superuser_made_by_sql(attacker):
    attacker.do(MEMBER_OF_STAFF, 900, "eve")
    return ROW_DIFFERS, "auth_user 900"


@kind(WITH_ORIGINAL_CHAIN)
def a_role_given_by_sql(attacker):
    (group,) = attacker.row("SELECT id FROM auth_group WHERE name = 'approver'")
    attacker.do(MEMBER_OF_STAFF, 901, "mallory")
    attacker.do("INSERT INTO auth_user_groups (id, user_id, group_id) VALUES (901, 901, %s)", group)
    return ROW_DIFFERS, "auth_user_groups 901"


@kind(WITH_ORIGINAL_CHAIN)
def a_permission_given_to_a_role(attacker):
    attacker.do(
        "INSERT INTO auth_group_permissions (id, group_id, permission_id) "
        "SELECT 900, (SELECT id FROM auth_group WHERE name = 'support'), min(id) FROM auth_permission"
    )
    return ROW_DIFFERS, "auth_group_permissions 900"


@kind(WITH_ORIGINAL_CHAIN)
def an_authenticator_of_somebody_else(attacker):
    attacker.do(MEMBER_OF_STAFF, 902, "trent")
    attacker.do(
        "INSERT INTO staff_authenticator (id, user_id, name, confirmed, key_id, encrypted_secret, last_step, made_at) "
        "VALUES (900, 902, '', true, 'k', 'x', -1, now())"
    )
    return ROW_DIFFERS, "staff_authenticator 900"


@kind(WITH_ORIGINAL_CHAIN)
def an_operator_made_by_sql(attacker):
    attacker.do(
        "INSERT INTO operators_operator (id, slug, name, currencies, origins, sandbox) "
        "VALUES (%s, 'ghost', 'Ghost', '{EUR}', '{}', true)",
        uuid.UUID(int=900),
    )
    return ROW_DIFFERS, f"operators_operator {uuid.UUID(int=900)}"


@kind(WITH_ORIGINAL_CHAIN)
def an_api_key_made_by_sql(attacker):
    attacker.do(
        "INSERT INTO operators_operator (id, slug, name, currencies, origins, sandbox) "
        "VALUES (%s, 'front', 'Front', '{EUR}', '{}', true)",
        uuid.UUID(int=901),
    )
    attacker.do(
        "INSERT INTO operators_apikey (key_id, operator_id, secret_hash, signatures_required, label, scopes, networks) "
        "VALUES ('mine', %s, sha256('mine'), false, '', '{}', '{}')",
        uuid.UUID(int=901),
    )
    return ROW_DIFFERS, "operators_apikey mine"


@kind(WITH_ORIGINAL_CHAIN)
def the_key_of_the_blind_index_swapped(attacker):
    attacker.do("UPDATE crypto_blindindexkey SET wrapped = sha256(wrapped)")
    return ROW_DIFFERS, "crypto_blindindexkey 1"


@kind(WITH_ORIGINAL_CHAIN)
def a_provider_callback_with_another_text(attacker):
    (callback,) = attacker.row("SELECT min(id) FROM wallet_providercallback")
    attacker.do("UPDATE wallet_providercallback SET body = body || ' ' WHERE id = %s", callback)
    return ROW_DIFFERS, f"wallet_providercallback {callback}"


@kind(WITH_ORIGINAL_CHAIN)
def a_provider_callback_removed(attacker):
    (callback,) = attacker.row("SELECT max(id) FROM wallet_providercallback")
    attacker.do("DELETE FROM wallet_providercallback WHERE id = %s", callback)
    return ROW_DIFFERS, f"wallet_providercallback {callback}"


@kind(WITH_ORIGINAL_CHAIN)
def a_role_made_with_its_digest_by_another_than_the_application(attacker):
    attacker.do("ALTER TABLE auth_group ENABLE ALWAYS TRIGGER auth_group_digests")
    attacker.do("INSERT INTO auth_group (id, name) VALUES (900, 'shadow')")
    return "row was not written by the application", "auth_group 900"


@kind(WITH_ORIGINAL_CHAIN)
def a_digest_that_manifests_cover_changed(attacker):
    (number,) = attacker.row("SELECT min(number) FROM events_rowdigest")
    attacker.do("UPDATE events_rowdigest SET recorded_at = recorded_at - interval '1 day' WHERE number = %s", number)
    return "rows differ from their manifest", "events_rowdigest 1 to"


# -- history changed, and the whole chain computed again -----------------------------------------------------------


@kind(WITH_RECOMPUTED_CHAIN)
def a_stake_changed(attacker):
    event, stream, version, _ = attacker.event("mini", 1, "WagerConfirmed")
    attacker.change(event, lambda data: data["stakes"].update(banker=3000))
    return "wager differs from the chips", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_payout_raised(attacker):
    event, stream, version, _ = attacker.event("overview", 1, "RoundSettled")
    attacker.change(event, lambda data: data["wagers"][0].update(returned=data["wagers"][0]["returned"] + 100))
    return ("payout differs", f"{stream.replace('-', ' ', 1)}, version {version}"), (
        "entry moves something else",
        f"event {event}",
    )


@kind(WITH_RECOMPUTED_CHAIN)
def a_commission_lowered(attacker):
    event, stream, version, _ = attacker.event("mini", 2, "RoundSettled")
    attacker.change(event, lambda data: data["wagers"][0].update(commission=data["wagers"][0]["commission"] - 1))
    return "commission differs", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_changed_outcome(attacker):
    event, stream, version, _ = attacker.event("classic", 1, "RoundSettled")
    attacker.change(event, lambda data: data.update(outcome="tie" if data["outcome"] != "tie" else "player"))
    return "outcome differs", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_card_swapped(attacker):
    event, stream, version, _ = attacker.event("atlantic_city", 1, "CardsDealt")
    suits = {"c": "d", "d": "h", "h": "s", "s": "c"}
    attacker.change(event, lambda data: data["cards"].__setitem__(0, data["cards"][0][0] + suits[data["cards"][0][1]]))
    return "cards are not the shoe's", f"{stream.replace('-', ' ', 1)}, version {version + 1}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_seed_swapped(attacker):
    event, stream, version, _ = attacker.event("overview", 2, "RoundSettled")
    attacker.change(event, lambda data: data.update(seed="ab" * 32))
    return "seed does not open the commitment", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_commitment_swapped(attacker):
    event, stream, *_ = attacker.event("classic", 2, "RoundOpened")
    attacker.change(event, lambda data: data.update(commitment="cd" * 32))
    return "seed does not open the commitment", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def another_commitment_for_the_next_round(attacker):
    event, _ = attacker.terms("overview", 1)
    _, following, *_ = attacker.event("overview", 2, "RoundOpened")
    attacker.change(event, lambda data: data["next_shoe"].update(commitment="ce" * 32))
    return "shoe differs from the committed one", following.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def a_round_dealt_from_another_shoe_than_committed_to(attacker):
    event, stream, *_ = attacker.event("atlantic_city", 2, "RoundOpened")
    attacker.change(event, lambda data: data.update(shoe=data["round"]))
    return "shoe differs from the committed one", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def a_round_without_a_commitment_to_the_next_shoe(attacker):
    event, stream = attacker.terms("mini", 2)
    attacker.change(event, lambda data: data.update(next_shoe=None))
    return "next shoe not committed", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def terms_under_other_rules(attacker):
    event, stream = attacker.terms("mini", 2)
    attacker.change(event, lambda data: data.update(digest="ab" * 32))
    return "terms differ", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def a_contribution_invented_after_the_terms(attacker):
    event, stream, *_ = attacker.event("overview", 2, "RoundOpened")
    invented = [{"seat": 1, "contribution": "aa"}]
    attacker.change(event, lambda data: data.update(contributions=invented, cut="ab" * 32))
    return "cut differs from the contributions", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def a_first_shoe_of_another_number_of_decks(attacker):
    event, stream = attacker.row(
        "SELECT id, stream FROM events_event WHERE type = 'TableOpened' AND data->'rules'->>'preset' = 'classic'"
    )
    attacker.change(event, lambda data: data["next_shoe"]["shape"].update(decks=8))
    return "shoe composition differs from its commitment", f"{stream.replace('-', ' ', 1)}, version 1"


@kind(WITH_RECOMPUTED_CHAIN)
def a_wager_left_out_of_the_settlement(attacker):
    event, stream, version, _ = attacker.event("atlantic_city", 2, "RoundSettled")
    attacker.change(event, lambda data: data["wagers"].pop())
    return "wager not settled", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_changed_place_in_the_shoe(attacker):
    event, stream, version, _ = attacker.event("big_table", 1, "CardsDealt")
    attacker.change(event, lambda data: data.update(shoe_position=data["shoe_position"] + 1))
    return "place in the shoe differs", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_wager_moved_after_the_deadline(attacker):
    event, stream, version, _ = attacker.event("big_table", 2, "WagerConfirmed")
    attacker.change(event, lambda data: data.update(confirmed_at="2099-01-01T00:00:00Z"))
    return "wager confirmed late", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(WITH_RECOMPUTED_CHAIN)
def a_shoe_of_another_number_of_decks_than_committed_to(attacker):
    event, stream = attacker.row("SELECT id, stream FROM events_event WHERE type = 'ShoeCommitted' ORDER BY id LIMIT 1")
    attacker.change(event, lambda data: data["shape"].update(decks=2))
    return "shoe composition differs from its commitment", stream.replace("-", " ", 1)


@kind(WITH_RECOMPUTED_CHAIN)
def a_deposit_raised_in_the_log(attacker):
    event, stream, version, _ = attacker.row(
        "SELECT id, stream, version, 0 FROM events_event WHERE type = 'DepositCompleted'"
    )
    attacker.change(event, lambda data: data.update(amount=data["amount"] + 10_000))
    return ("payment differs from its request", f"{stream} version {version}"), (
        "entry moves something else",
        f"event {event}",
    )


@kind(WITH_RECOMPUTED_CHAIN)
def the_whole_chain_recomputed(attacker):
    assert attacker.row("SELECT count(*) FROM events_seal")[0]
    return "log differs from its checkpoint", "checkpoint 1"


# -- copies of the database and their audits -------------------------------------------------------------------------


class Copies:
    """Copies of the signed history, with the folder of external copies of checkpoints."""

    def __init__(self, services, place):
        self.services = services
        self.place = place

    @contextlib.contextmanager
    def clone(self):
        """Yield a copy of the database to which Django is connected."""
        name = self.services.clone()
        try:
            with pointed_at(self.services.url(name)):
                url, owner = self.services.url(name), self.services.owner_url(name)
                yield Database(url=url, owner_url=owner, environment=self.services.environment(name))
        finally:
            self.services.drop(name)

    def audit_after(self, kinds, *, recomputed_chain=False):
        """Tamper; return the expected findings by kind, and the reports of one process and of several."""
        with self.clone() as database:
            assert engine.run_audit(max_wait=PATIENCE).findings == ()
            with database.owner() as connection:
                remove_protection(connection)
                expected = {name: change(Attacker(connection)) for name, change in kinds.items()}
            if recomputed_chain:
                rechain(database)
            single = report()
            with Threads(2) as pool:
                return expected, single, report(jobs=2, pool=pool)


def remove_protection(connection):
    """Disable triggers, and drop check and foreign-key constraints."""
    for table in (*IMMUTABLE, *OTHER_TABLES, "checkpoints_checkpoint"):
        connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for (drop,) in connection.execute(
        "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) FROM pg_constraint "
        "WHERE contype IN ('c', 'f') AND conrelid::regclass::text ~ '^(wallet|baccarat)_'"
    ).fetchall():
        connection.execute(drop)


class Threads(ThreadPoolExecutor):
    """Threads instead of the processes of an audit, each with its own connection."""

    def submit(self, work, /, *arguments, **named):
        def close_after():
            try:
                return work(*arguments, **named)
            finally:
                connection.close()

        return super().submit(close_after)


def report(**options):
    return engine.run_audit(max_wait=PATIENCE, **options)


def audit_findings():
    return [(finding.kind, finding.location) for finding in report().findings]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("outside") / "kept"


@pytest.fixture(scope="module")
def copies(played_services, django_db_blocker, place):
    name = played_services.clone()
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(settings, "CHECKPOINT_STORAGE", place.as_uri())
        with pointed_at(played_services.url(name)):
            counter.use_provider(patch)
            by = counter.method()
            counter.open_alice()
            deposit = counter.complete_deposit(by)
            for _ in range(2):
                counter.call_back(counter.report(deposit, "completed"))
            counter.withdraw(by)
            for subject in ("table:1", "table:2"):
                recorder.record(
                    kind=recorder.SignificantEventKind.TABLE_STOPPED, operator=None, subject=subject, actor="staff:1"
                )
            notes.acknowledge(SignificantEvent.objects.get(subject="table:1").id, by="staff:2", note="Seen")
            seal()
            signing.sign_now()
            manifests.create_manifests()
        yield Copies(replace(played_services, template=name), place)
    played_services.drop(name)


@pytest.fixture(scope="module")
def original_chain(copies):
    return copies.audit_after(WITH_ORIGINAL_CHAIN)


@pytest.fixture(scope="module")
def recomputed_chain(copies):
    return copies.audit_after(WITH_RECOMPUTED_CHAIN, recomputed_chain=True)


def require_findings(name, expected, single, shared):
    """Require each finding that a kind of tampering leads to."""
    del shared
    findings = [(finding.kind, finding.location) for finding in single.findings]
    pairs = expected[name] if isinstance(expected[name][0], tuple) else (expected[name],)
    for what, where in pairs:
        assert [location for kind, location in findings if kind == what and where in location], (what, where, findings)


def test_there_are_more_than_twenty_five_kinds_of_tampering():
    assert len(WITH_ORIGINAL_CHAIN) + len(WITH_RECOMPUTED_CHAIN) + 2 >= 25


@pytest.mark.parametrize("name", WITH_ORIGINAL_CHAIN)
def test_tampering_is_reported(name, original_chain):
    require_findings(name, *original_chain)


@pytest.mark.parametrize("name", WITH_RECOMPUTED_CHAIN)
def test_tampering_with_a_recomputed_chain_is_reported(name, recomputed_chain):
    require_findings(name, *recomputed_chain)


@pytest.mark.parametrize("copy", ["original_chain", "recomputed_chain"])
def test_several_processes_report_the_same_findings_in_the_same_order(request, copy):
    _, single, shared = request.getfixturevalue(copy)
    assert shared.findings == single.findings
    assert (shared.summary_line(), shared.head) == (single.summary_line(), single.head)


def test_a_restored_backup_is_reported_with_and_without_later_play(copies):
    """Play on and sign a second checkpoint; then restore the earlier backup."""
    with copies.clone():
        play(sit("mini"), 1, banker=2500)
        seal()
        assert signing.sign_now().number == 2
        assert audit_findings() == []
    try:
        with copies.clone():
            assert audit_findings() == [
                ("checkpoint is not in the database", "checkpoint 2"),
                ("tail cut", "checkpoint 2"),
            ]
            play(sit("mini"), 2, player=2500)
            seal()
            assert audit_findings() == [
                ("checkpoint is not in the database", "checkpoint 2"),
                ("log differs from its checkpoint", "checkpoint 2"),
            ]
    finally:
        (copies.place / "000000000002.json").unlink()
