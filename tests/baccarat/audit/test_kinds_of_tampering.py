"""What a superuser's SQL can do to this database, kind by kind, and the finding by which the audit names each of them.

One history is played, signed, and kept outside. Kinds that do not touch each other share a copy of it and one audit.
"""

# ruff: noqa: S608  (SQL made of this page's constants)

import contextlib
import json
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
BESIDE = ("significant_significantevent", "significant_note", "wallet_deposit_method")
AS_IT_IS, CHAINED_ANEW = {}, {}
"""Kinds by name: those that leave the chain as it is, and those after which the whole chain is computed again."""


def kind(group):
    """A way to tamper: a function of a cursor that returns what must be found, and a part of where."""

    def keep(change):
        group[change.__name__.replace("_", " ")] = change
        return change

    return keep


class Hand:
    """A superuser's connection."""

    def __init__(self, connection):
        self.connection = connection

    def do(self, statement, *parameters):
        assert self.connection.execute(statement, parameters).rowcount, statement

    def row(self, statement, *parameters):
        return self.connection.execute(statement, parameters).fetchone()

    def event(self, preset, number, kind):
        """Id, stream, version and position of an event of the table's round."""
        return self.row(
            "SELECT event.id, stream, version, position FROM events_event AS event "
            "JOIN events_seal ON event_id = event.id WHERE stream = %s AND type = %s ORDER BY version LIMIT 1",
            f"round-{self.round(preset, number)}", kind,
        )  # fmt: skip

    def round(self, preset, number):
        """The first, second … round that was settled at the preset's table."""
        return self.row(
            "SELECT id FROM baccarat_round WHERE split_part(rules, '@', 1) = %s AND phase = 'settled' "
            "ORDER BY number OFFSET %s LIMIT 1",
            preset, number - 1,
        )[0]  # fmt: skip

    def entry(self, kind, place):
        """Id and cause of the place-th entry of a kind."""
        return self.row("SELECT id, cause FROM wallet_entry WHERE kind = %s ORDER BY id OFFSET %s LIMIT 1", kind, place)

    def change(self, event, change):
        data = json.loads(self.row("SELECT data::text FROM events_event WHERE id = %s", event)[0])
        change(data)
        self.do("UPDATE events_event SET data = %s::jsonb WHERE id = %s", json.dumps(data), event)

    def slip_in(self, stream):
        """An event that no code of ours wrote."""
        return self.row(
            "INSERT INTO events_event (stream, version, type, schema, data, metadata) "
            "SELECT %s, 1, type, schema, data, metadata FROM events_event WHERE type = 'TableOpened' LIMIT 1 "
            "RETURNING id",
            stream,
        )[0]


# -- the log, its chain left as it is ------------------------------------------------------------------------------


@kind(AS_IT_IS)
def a_byte_of_an_events_data_changed(hand):
    event, stream, version, _ = hand.event("overview", 1, "BettingClosed")
    hand.do('UPDATE events_event SET data = data || \'{"closed_at": "2026-01-01T00:00:00Z"}\' WHERE id = %s', event)
    return "digest differs", f"{stream} version {version}"


@kind(AS_IT_IS)
def the_actor_of_an_event_changed(hand):
    event, stream, version, _ = hand.event("overview", 2, "BettingClosed")
    hand.do('UPDATE events_event SET metadata = metadata || \'{"actor": "x"}\' WHERE id = %s', event)
    return "digest differs", f"{stream} version {version}"


@kind(AS_IT_IS)
def the_time_of_an_event_moved_by_a_microsecond(hand):
    event, stream, version, _ = hand.event("mini", 1, "BettingClosed")
    hand.do("UPDATE events_event SET recorded_at = recorded_at + interval '1 microsecond' WHERE id = %s", event)
    return "digest differs", f"{stream} version {version}"


@kind(AS_IT_IS)
def an_event_told_as_another_type(hand):
    event, stream, version, _ = hand.event("mini", 2, "BettingClosed")
    hand.do("UPDATE events_event SET type = 'RoundLapsed' WHERE id = %s", event)
    return "digest differs", f"{stream} version {version}"


@kind(AS_IT_IS)
def an_event_removed(hand):
    event, _, _, position = hand.event("classic", 1, "BettingClosed")
    hand.do("DELETE FROM events_event WHERE id = %s", event)
    return "event missing", f"position {position}"


@kind(AS_IT_IS)
def an_event_slipped_in_without_a_seal(hand):
    return "never sealed", f"event {hand.slip_in('table-slipped-in')},"


@kind(AS_IT_IS)
def an_event_slipped_in_with_a_made_up_seal(hand):
    event = hand.slip_in("table-sealed-by-hand")
    hand.do("INSERT INTO events_seal SELECT max(position) + 1, %s, sha256('made up') FROM events_seal", event)
    return "digest differs", "table-sealed-by-hand version 1"


@kind(AS_IT_IS)
def two_events_in_swapped_order(hand):
    second, stream, version, later = hand.event("atlantic_city", 1, "CardsDealt")
    first, earlier = hand.row(
        "SELECT id, position FROM events_event JOIN events_seal ON event_id = id WHERE stream = %s AND version = %s",
        stream, version - 1,
    )  # fmt: skip
    hand.do("UPDATE events_seal SET event_id = -1 WHERE position = %s", earlier)
    hand.do("UPDATE events_seal SET event_id = %s WHERE position = %s", first, later)
    hand.do("UPDATE events_seal SET event_id = %s WHERE position = %s", second, earlier)
    return "order differs", f"position {earlier}, {stream} version {version}"


@kind(AS_IT_IS)
def a_seal_removed(hand):
    event, stream, _, position = hand.event("big_table", 2, "BettingClosed")
    hand.do("DELETE FROM events_seal WHERE event_id = %s", event)
    return ("position missing", f"position {position}"), ("never sealed", f"event {event}, {stream}")


@kind(AS_IT_IS)
def a_seal_pointed_at_another_event(hand):
    event, stream, _, position = hand.event("atlantic_city", 2, "BettingClosed")
    hand.do("UPDATE events_seal SET event_id = %s WHERE position = %s", hand.slip_in("table-in-its-place"), position)
    return ("digest differs", "table-in-its-place"), ("never sealed", f"event {event}, {stream}")


@kind(AS_IT_IS)
def a_head_of_the_chain_written_anew(hand):
    hand.do("UPDATE events_chainhead SET digest = sha256(digest)")
    return "chain rewritten", f"position {hand.row('SELECT max(position) FROM events_chainhead')[0]}"


@kind(AS_IT_IS)
def a_sealed_event_queued_again(hand):
    event, *_ = hand.event("classic", 2, "BettingClosed")
    hand.do("INSERT INTO events_unsealed VALUES (%s)", event)
    return "sealed and queued", f"event {event}"


@kind(AS_IT_IS)
def a_subscriber_set_beyond_the_log(hand):
    hand.do("INSERT INTO events_subscription VALUES ('ahead', 1000000)")
    return "tail cut", "subscription ahead"


# -- money ---------------------------------------------------------------------------------------------------------


@kind(AS_IT_IS)
def a_balance_edited(hand):
    (account,) = hand.row("SELECT account_id FROM wallet_balance WHERE balance > 0 ORDER BY 1 LIMIT 1")
    hand.do("UPDATE wallet_balance SET balance = balance + 100 WHERE account_id = %s", account)
    return "balance is not the sum of its postings", f"account {account}"


@kind(AS_IT_IS)
def an_entry_deleted(hand):
    entry, cause = hand.entry("buy_in", 0)
    hand.do("DELETE FROM wallet_entry WHERE id = %s", entry)
    return "entry is missing", f"event {cause}"


@kind(AS_IT_IS)
def a_postings_sign_turned(hand):
    entry, _ = hand.entry("buy_in", 1)
    (posting,) = hand.row("SELECT min(id) FROM wallet_posting WHERE entry_id = %s", entry)
    hand.do("UPDATE wallet_posting SET amount = -amount WHERE id = %s", posting)
    return "entry does not sum to zero", f"entry {entry}"


@kind(AS_IT_IS)
def a_posting_deleted(hand):
    entry, cause = hand.entry("buy_in", 2)
    hand.do("DELETE FROM wallet_posting WHERE id = (SELECT max(id) FROM wallet_posting WHERE entry_id = %s)", entry)
    return "entry moves something else", f"event {cause}"


@kind(AS_IT_IS)
def more_credited_in_an_entry_that_balances(hand):
    entry, cause = hand.entry("wager", 0)
    hand.do("UPDATE wallet_posting SET amount = amount * 2 WHERE entry_id = %s", entry)
    return "entry moves something else", f"event {cause}"


@kind(AS_IT_IS)
def an_entry_that_nothing_led_to(hand):
    event, *_ = hand.event("overview", 1, "ChipsPlaced") or hand.event("overview", 1, "RoundOpened")
    hand.do("INSERT INTO wallet_entry (kind, cause) VALUES ('sandbox_credit', %s)", event)
    return "entry that no event leads to", f"event {event}"


@kind(AS_IT_IS)
def an_entry_moved_to_another_day(hand):
    entry, _ = hand.entry("buy_in", 1)
    hand.do("UPDATE wallet_entry SET recorded_at = recorded_at - interval '1 day' WHERE id = %s", entry)
    return "entry of another time than its event", f"entry {entry}"


@kind(AS_IT_IS)
def an_entry_told_as_another_kind(hand):
    entry, cause = hand.entry("buy_in", 3)
    hand.do("UPDATE wallet_entry SET kind = 'sandbox_credit' WHERE id = %s", entry)
    return "entry is of another kind", f"event {cause}"


@kind(AS_IT_IS)
def a_running_balance_of_a_statement_changed(hand):
    posting, account = hand.row("SELECT max(id), account_id FROM wallet_posting GROUP BY 2 ORDER BY 1 DESC LIMIT 1")
    hand.do("UPDATE wallet_posting SET balance = balance + 100 WHERE id = %s", posting)
    return "running balance is wrong", f"account {account} posting {posting}"


@kind(AS_IT_IS)
def a_line_of_a_statement_numbered_otherwise(hand):
    posting, account = hand.row(
        "SELECT max(id), account_id FROM wallet_posting GROUP BY 2 HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
    )
    hand.do("UPDATE wallet_posting SET sequence = sequence + 7 WHERE id = %s", posting)
    return "posting out of sequence", f"account {account} posting {posting}"


@kind(AS_IT_IS)
def an_account_given_to_another_player(hand):
    (account,) = hand.row("SELECT id FROM wallet_account WHERE kind = 'account' ORDER BY id LIMIT 1")
    hand.do("UPDATE wallet_account SET player_id = gen_random_uuid() WHERE id = %s", account)
    return "account id is not that of its name", f"account {account}"


@kind(AS_IT_IS)
def a_deposit_made_larger(hand):
    (deposit,) = hand.row("SELECT id FROM wallet_deposit")
    hand.do("UPDATE wallet_deposit SET amount = amount * 10")
    return "row differs", f"wallet_deposit {deposit} amount"


@kind(AS_IT_IS)
def a_withdrawal_told_as_paid(hand):
    (withdrawal,) = hand.row("SELECT id FROM wallet_withdrawal")
    hand.do("UPDATE wallet_withdrawal SET status = 'paid'")
    return "row differs", f"wallet_withdrawal {withdrawal} status"


# -- read models and secrets ---------------------------------------------------------------------------------------


@kind(AS_IT_IS)
def cards_of_a_round_swapped_where_they_are_shown(hand):
    round_ = hand.round("overview", 1)
    hand.do("UPDATE baccarat_round SET cards = 'As Ah Ad Ac' WHERE id = %s", round_)
    return "row differs", f"baccarat_round {round_} cards"


@kind(AS_IT_IS)
def a_round_told_to_have_ended_at_no_time_there_is(hand):
    round_ = hand.round("mini", 2)
    hand.do("UPDATE baccarat_round SET ended_at = 'infinity' WHERE id = %s", round_)
    return "row differs", f"baccarat_round {round_} ended_at"


@kind(AS_IT_IS)
def an_event_recorded_at_no_time_there_is(hand):
    event, stream, version, _ = hand.event("overview", 2, "CardsDealt")
    hand.do("UPDATE events_event SET recorded_at = '-infinity' WHERE id = %s", event)
    return "digest differs", f"{stream} version {version}"


@kind(AS_IT_IS)
def a_rounds_row_deleted(hand):
    round_ = hand.round("mini", 1)
    hand.do("DELETE FROM baccarat_round WHERE id = %s", round_)
    return "row is missing", f"baccarat_round {round_}"


@kind(AS_IT_IS)
def a_win_raised_where_it_is_shown(hand):
    (wager,) = hand.row("SELECT id FROM baccarat_wager WHERE round_id = %s", hand.round("overview", 2))
    hand.do("UPDATE baccarat_wager SET won = won + 100 WHERE id = %s", wager)
    return "row differs", f"baccarat_wager {wager} won"


@kind(AS_IT_IS)
def a_wager_made_up(hand):
    (wager,) = hand.row("SELECT id FROM baccarat_wager WHERE round_id = %s", hand.round("classic", 2))
    made_up = str(wager)[:-1] + "9"
    columns = [name for (name,) in hand.connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = 'baccarat_wager'::regclass AND attnum > 0 "
        "AND NOT attisdropped AND attgenerated = '' ORDER BY attnum"
    ).fetchall()]  # fmt: skip
    values = ", ".join("%s" if name == "id" else name for name in columns)
    hand.do(
        f"INSERT INTO baccarat_wager ({', '.join(columns)}) SELECT {values} FROM baccarat_wager WHERE id = %s",
        made_up, wager,
    )  # fmt: skip
    return "row is extra", f"baccarat_wager {made_up}"


@kind(AS_IT_IS)
def a_tables_state_edited(hand):
    (table,) = hand.row("SELECT id FROM baccarat_table WHERE preset = 'classic'")
    hand.do("UPDATE baccarat_table SET state = jsonb_set(state, '{rounds}', '77') WHERE id = %s", table)
    return "row differs", f"baccarat_table {table} state"


@kind(AS_IT_IS)
def a_player_seated_elsewhere(hand):
    (sitting,) = hand.row("SELECT id FROM baccarat_sitting ORDER BY id LIMIT 1")
    hand.do("UPDATE baccarat_sitting SET seat = 14 WHERE id = %s", sitting)
    return "row differs", f"baccarat_sitting {sitting} seat"


@kind(AS_IT_IS)
def a_secret_of_a_shoe_in_play_swapped(hand):
    (shoe,) = hand.row("SELECT shoe_id FROM baccarat_shoesecret ORDER BY 1 LIMIT 1")
    hand.do("UPDATE baccarat_shoesecret SET nonce = substring(sha256(nonce) FOR 12) WHERE shoe_id = %s", shoe)
    return "secret can't be read", str(shoe)


# -- checkpoints ---------------------------------------------------------------------------------------------------


@kind(AS_IT_IS)
def a_checkpoint_forged(hand):
    hand.do("UPDATE checkpoints_checkpoint SET root = sha256('mine'), signature = decode(repeat('ab', 64), 'hex')")
    return ("checkpoint signature is wrong", "checkpoint 1"), ("replica differs", "checkpoint 1")


# -- what stands beside the log ------------------------------------------------------------------------------------


@kind(AS_IT_IS)
def a_significant_event_told_otherwise(hand):
    (number,) = hand.row("SELECT min(number) FROM significant_significantevent")
    hand.do("UPDATE significant_significantevent SET actor = 'nobody' WHERE number = %s", number)
    return "rows differ from their manifest", "significant_significantevent 1 to"


@kind(AS_IT_IS)
def an_acknowledgement_removed(hand):
    hand.do("DELETE FROM significant_note")
    return "rows differ from their manifest", "significant_note 1 to"


@kind(AS_IT_IS)
def a_way_to_pay_made_free_of_fees(hand):
    hand.do("UPDATE wallet_deposit_method SET fee_fixed = fee_fixed + 1")
    return "rows differ from their manifest", "wallet_deposit_method 1 to"


# -- history changed, and the whole chain computed again -----------------------------------------------------------


@kind(CHAINED_ANEW)
def a_stake_changed(hand):
    event, stream, version, _ = hand.event("mini", 1, "WagerConfirmed")
    hand.change(event, lambda data: data["stakes"].update(banker=3000))
    return "wager differs from the chips", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(CHAINED_ANEW)
def a_payout_raised(hand):
    event, stream, version, _ = hand.event("overview", 1, "RoundSettled")
    hand.change(event, lambda data: data["wagers"][0].update(returned=data["wagers"][0]["returned"] + 100))
    return ("payout differs", f"{stream.replace('-', ' ', 1)}, version {version}"), (
        "entry moves something else",
        f"event {event}",
    )


@kind(CHAINED_ANEW)
def a_commission_lowered(hand):
    event, stream, version, _ = hand.event("mini", 2, "RoundSettled")
    hand.change(event, lambda data: data["wagers"][0].update(commission=data["wagers"][0]["commission"] - 1))
    return "commission differs", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(CHAINED_ANEW)
def an_outcome_turned(hand):
    event, stream, version, _ = hand.event("classic", 1, "RoundSettled")
    hand.change(event, lambda data: data.update(outcome="tie" if data["outcome"] != "tie" else "player"))
    return "outcome differs", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(CHAINED_ANEW)
def a_card_swapped(hand):
    event, stream, version, _ = hand.event("atlantic_city", 1, "CardsDealt")
    suits = {"c": "d", "d": "h", "h": "s", "s": "c"}
    hand.change(event, lambda data: data["cards"].__setitem__(0, data["cards"][0][0] + suits[data["cards"][0][1]]))
    return "cards are not the shoe's", f"{stream.replace('-', ' ', 1)}, version {version + 1}"


@kind(CHAINED_ANEW)
def a_seed_swapped(hand):
    event, stream, version, _ = hand.event("overview", 2, "RoundSettled")
    hand.change(event, lambda data: data.update(seed="ab" * 32))
    return "seed does not open the commitment", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(CHAINED_ANEW)
def a_commitment_swapped(hand):
    event, stream, *_ = hand.event("classic", 2, "RoundOpened")
    hand.change(event, lambda data: data.update(commitment="cd" * 32))
    return "seed does not open the commitment", stream.replace("-", " ", 1)


@kind(CHAINED_ANEW)
def another_commitment_named_for_the_round_to_come(hand):
    event, *_ = hand.event("overview", 1, "RoundOpened")
    _, following, *_ = hand.event("overview", 2, "RoundOpened")
    hand.change(event, lambda data: data["next_shoe"].update(commitment="ce" * 32))
    return "shoe differs from the committed one", following.replace("-", " ", 1)


@kind(CHAINED_ANEW)
def a_round_dealt_from_another_shoe_than_the_named_one(hand):
    event, stream, *_ = hand.event("atlantic_city", 2, "RoundOpened")
    hand.change(event, lambda data: data.update(shoe=data["round"]))
    return "shoe differs from the committed one", stream.replace("-", " ", 1)


@kind(CHAINED_ANEW)
def a_round_that_names_no_shoe_for_the_next(hand):
    event, stream, *_ = hand.event("mini", 2, "RoundOpened")
    hand.change(event, lambda data: data.update(next_shoe=None))
    return "next shoe not committed", stream.replace("-", " ", 1)


@kind(CHAINED_ANEW)
def a_first_shoe_named_for_other_decks(hand):
    event, stream = hand.row(
        "SELECT id, stream FROM events_event WHERE type = 'TableOpened' AND data->'rules'->>'preset' = 'classic'"
    )
    hand.change(event, lambda data: data["next_shoe"]["shape"].update(decks=8))
    return "shoe composition differs from its commitment", f"{stream.replace('-', ' ', 1)}, version 1"


@kind(CHAINED_ANEW)
def a_wager_left_out_of_the_settlement(hand):
    event, stream, version, _ = hand.event("atlantic_city", 2, "RoundSettled")
    hand.change(event, lambda data: data["wagers"].pop())
    return "wager not settled", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(CHAINED_ANEW)
def a_place_in_the_shoe_moved(hand):
    event, stream, version, _ = hand.event("big_table", 1, "CardsDealt")
    hand.change(event, lambda data: data.update(position=data["position"] + 1))
    return "place in the shoe differs", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(CHAINED_ANEW)
def a_wager_moved_behind_the_deadline(hand):
    event, stream, version, _ = hand.event("big_table", 2, "WagerConfirmed")
    hand.change(event, lambda data: data.update(confirmed_at="2099-01-01T00:00:00Z"))
    return "wager confirmed late", f"{stream.replace('-', ' ', 1)}, version {version}"


@kind(CHAINED_ANEW)
def a_shoe_made_of_other_decks_than_it_was_committed_to_for(hand):
    event, stream = hand.row("SELECT id, stream FROM events_event WHERE type = 'ShoeCommitted' ORDER BY id LIMIT 1")
    hand.change(event, lambda data: data["shape"].update(decks=2))
    return "shoe composition differs from its commitment", stream.replace("-", " ", 1)


@kind(CHAINED_ANEW)
def a_deposit_raised_in_the_log_itself(hand):
    event, stream, version, _ = hand.row(
        "SELECT id, stream, version, 0 FROM events_event WHERE type = 'DepositCompleted'"
    )
    hand.change(event, lambda data: data.update(amount=data["amount"] + 10_000))
    return ("payment differs from its request", f"{stream} version {version}"), (
        "entry moves something else",
        f"event {event}",
    )


@kind(CHAINED_ANEW)
def the_chain_itself_computed_anew(hand):
    assert hand.row("SELECT count(*) FROM events_seal")[0]
    return "log differs from its checkpoint", "checkpoint 1"


# -- the copies, and what is found in them -------------------------------------------------------------------------


class Copies:
    """Copies of the signed history; the place outside also knows a second checkpoint, signed later on another copy."""

    def __init__(self, services, place):
        self.services = services
        self.place = place

    @contextlib.contextmanager
    def one(self):
        """A copy that Django is on."""
        name = self.services.clone()
        try:
            with pointed_at(self.services.url(name)):
                url, owner = self.services.url(name), self.services.owner_url(name)
                yield Database(url=url, owner_url=owner, environment=self.services.environment(name))
        finally:
            self.services.drop(name)

    def found_after(self, kinds, *, chained_anew=False):
        """What each kind should lead to, and everything that is found."""
        with self.one() as database:
            assert engine.run_audit(max_wait=PATIENCE).findings == ()
            with database.owner() as connection:
                unguard(connection)
                expected = {name: change(Hand(connection)) for name, change in kinds.items()}
            if chained_anew:
                rechain(database)
            alone = report()
            with Threads(2) as pool:
                return expected, alone, report(jobs=2, pool=pool)


def unguard(connection):
    """Triggers off, checks and references dropped: nothing in the database stands in the way."""
    for table in (*IMMUTABLE, *BESIDE, "checkpoints_checkpoint"):
        connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
    for (drop,) in connection.execute(
        "SELECT format('ALTER TABLE %s DROP CONSTRAINT %I CASCADE', conrelid::regclass, conname) FROM pg_constraint "
        "WHERE contype IN ('c', 'f') AND conrelid::regclass::text ~ '^(wallet|baccarat)_'"
    ).fetchall():
        connection.execute(drop)


class Threads(ThreadPoolExecutor):
    """Threads as the processes of an audit: each has a connection of its own while it works."""

    def submit(self, work, /, *arguments, **named):
        def close_after():
            try:
                return work(*arguments, **named)
            finally:
                connection.close()

        return super().submit(close_after)


def report(**options):
    return engine.run_audit(max_wait=PATIENCE, **options)


def found():
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
            counter.funded(by)
            counter.withdraw(by)
            recorder.record(
                kind=recorder.SignificantEventKind.TABLE_STOPPED, operator=None, subject="table:1", actor="staff:1"
            )
            notes.acknowledge(SignificantEvent.objects.latest("number").id, by="staff:2", note="Seen")
            seal()
            signing.sign_now()
            manifests.create_manifests()
        yield Copies(replace(played_services, template=name), place)
    played_services.drop(name)


@pytest.fixture(scope="module")
def as_it_is(copies):
    return copies.found_after(AS_IT_IS)


@pytest.fixture(scope="module")
def chained_anew(copies):
    return copies.found_after(CHAINED_ANEW, chained_anew=True)


def require(name, expected, alone, shared):
    """Look for each finding that a kind of tampering must lead to."""
    del shared
    findings = [(finding.kind, finding.location) for finding in alone.findings]
    wanted = expected[name] if isinstance(expected[name][0], tuple) else (expected[name],)
    for what, where in wanted:
        assert [at for said, at in findings if said == what and where in at], (what, where, findings)


def test_there_are_more_than_twenty_five_kinds():
    assert len(AS_IT_IS) + len(CHAINED_ANEW) + 2 >= 25


@pytest.mark.parametrize("name", AS_IT_IS)
def test_found(name, as_it_is):
    require(name, *as_it_is)


@pytest.mark.parametrize("name", CHAINED_ANEW)
def test_found_though_the_chain_was_computed_again(name, chained_anew):
    require(name, *chained_anew)


@pytest.mark.parametrize("copy", ["as_it_is", "chained_anew"])
def test_many_processes_find_the_same_in_the_same_order(request, copy):
    _, alone, shared = request.getfixturevalue(copy)
    assert shared.findings == alone.findings
    assert (shared.summary_line(), shared.head) == (alone.summary_line(), alone.head)


def test_a_restored_backup_is_found_whether_it_was_played_on_or_not(copies):
    """Play went on, and was signed; then yesterday's backup is put in its place."""
    with copies.one():
        play(sit("mini"), 1, banker=2500)
        seal()
        assert signing.sign_now().number == 2
        assert found() == []
    try:
        with copies.one():
            assert found() == [("checkpoint is not in the database", "checkpoint 2"), ("tail cut", "checkpoint 2")]
            play(sit("mini"), 2, player=2500)
            seal()
            assert found() == [
                ("checkpoint is not in the database", "checkpoint 2"),
                ("log differs from its checkpoint", "checkpoint 2"),
            ]
    finally:
        (copies.place / "000000000002.json").unlink()
