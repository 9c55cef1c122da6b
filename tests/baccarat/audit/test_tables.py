"""Every table of the installation is protected in a way that is named here, or thrown away for a reason."""

from collections import Counter
from typing import Final

from baccarat.management.commands.rebuild import projectors
from casino.checkpoints.table_digests import COVERED_TABLES
from casino.events.row_digests import held_tables
from casino.events.sql import fetch
from tests.baccarat.audit import kinds_of_display, kinds_of_identity

STORE: Final = {
    "events_event": "the events",
    "events_seal": "their positions and chained digests",
    "events_chainhead": "chain heads",
    "checkpoints_auditstate": "signed, and derived from the events",
    "checkpoints_checkpoint": "signed, copied outside",
    "checkpoints_copy": "the copies' receipts",
    "checkpoints_cosignature": "signed by witnesses",
    "checkpoints_key": "public keys, compared with those that signed",
    "checkpoints_manifest": "digests of append-only tables, which are events, too",
    "checkpoints_node": "recomputed from the seals",
    "checkpoints_retirement": "signed",
}
"""The events, and what is signed over them: the audit recomputes it."""
COMPARED: Final = {
    "feed_feedhead": "counts the items",
    "feed_feeditem": "derived from the log; what was announced is not, and is told of rows that other tables hold",
    "wallet_account": "the ledger's audit derives its name and id",
    "wallet_entry": "the ledger's audit derives it from its event",
    "wallet_posting": "the ledger's audit derives it from its entry's event",
    "baccarat_shoesecret": "the audit compares a seed with its commitment",
    "chat_chatmessage": "the audit compares it with the digest in its event",
    "chat_chatreport": "the audit compares it with the digest in its event",
    "chat_chatreportclosure": "the audit compares it with the digest in its event",
    "chat_moderationaction": "the audit compares it with the digest in its event",
}
"""Not rebuilt, but compared with the events by the audit."""
THROWN_AWAY: Final = {
    "alerts_figure": "counts of requests and tasks, for Prometheus",
    "alerts_heartbeat": "which processes run",
    "api_idempotentrequest": "responses to repeats, kept for a day",
    "auth_permission": "made by migrate, which records it: compared as the schema is",
    "axes_accessattempt": "failed sign-ins, for the lock; a sign-in itself is in staff_signin",
    "axes_accessattemptexpiration": "as the attempts",
    "axes_accessfailurelog": "as the attempts",
    "axes_accesslog": "not written",
    "checkpoints_wanted": "that a checkpoint is asked for; asked again",
    "compliance_erasurecopy": "which erasures the storage has; found again there",
    "compliance_dataexport": "deleted after a day",
    "compliance_dataexportpiece": "deleted after a day",
    "django_content_type": "as auth_permission",
    "django_migrations": "the application may not write it",
    "django_session": "signed for the browser that has its key",
    "events_announcement": "a queue of facts on their way to feeds",
    "events_subscription": "how far a subscriber has read; what it wrote is compared",
    "events_unsealed": "the sealer's queue, which the audit checks for gaps",
    "feed_webhookdelivery": "a queue",
    "feed_webhookrun": "a queue",
    "jobs_job": "when jobs are due; one that is put off runs at once",
    "mail_email": "a queue",
    "operators_launch": "good for a minute, known for a day",
    "operators_streamticket": "good for a minute",
    "operators_usedassertion": "forgotten after minutes",
    "operators_usedsignature": "forgotten after minutes",
    "reports_reportdelivery": "a queue",
    "risk_activity": "sums of the sealed events of three months, derived again if they are lost",
    "risk_playernetwork": "who shared a network lately, a hint for staff",
    "risk_playerpair": "as risk_activity",
    "significant_unacknowledged": "a queue, derived from significant events",
    "wallet_payment_due": "a queue, repaired by a rebuild",
    "wallet_remote_due": "a queue, repaired by a rebuild",
    "wallet_told_balance": "what wallets said last, asked again when a player sits down",
    "wallet_reconciliation_try": "when a reconciliation is tried again",
}

NOT_TAMPERED_WITH: Final = {
    ("auth_group", "name"): "its rows are compared whole, and a role that is added is found",
    ("baccarat_killswitch", "message"): "every column of a projection is compared, as a table's name is",
    ("django_admin_log", "object_repr"): "overwritten by an erasure; what was done to which object is counted",
    (
        "staff_stafftimezone",
        "name",
    ): "its rows are compared whole; it says how times are shown, not when things happened",
}
"""Names and messages that no kind of tampering is for."""


def classes() -> dict[str, set[str]]:
    return {
        "event": set(STORE),
        "projection": {table for projector in projectors() for table in projector.tables},
        "compared": set(COMPARED),
        "held by manifest": set(COVERED_TABLES),
        "thrown away": set(THROWN_AWAY),
        "held row by row": set(held_tables()),
    }


def test_every_table_has_exactly_one_class(db: None) -> None:
    tables = fetch(
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') "
        "AND NOT relispartition"
    )
    every = {table for (table,) in tables}
    times = Counter(table for group in classes().values() for table in group)
    assert every - times.keys() == set(), "new tables need a class above"
    assert times.keys() - every == set(), "these tables do not exist"
    assert {table for table, number in times.items() if number > 1} == set()


def test_what_staff_and_players_read_of_a_thing_is_tampered_with_in_a_test_or_has_a_reason(db: None) -> None:
    names = ["customer_care", "first_name", "label", "last_name", "logo", "message", "name", "nickname", "object_repr"]
    names += ["properties", "summary", "title", "username"]
    columns = fetch(
        "SELECT table_name::text, column_name::text FROM information_schema.columns "
        "WHERE table_schema = 'public' AND column_name = ANY (%s)",
        [names],
    )
    known = {table for tables in classes().values() for table in tables} - {*STORE, *THROWN_AWAY}
    shown = {(table, column) for table, column in columns if table in known}
    changed = {(table, change.partition(" = ")[0]) for table, change in kinds_of_identity.CHANGES.values()}
    for tables in (kinds_of_display.SHOWN, kinds_of_display.PROJECTED):
        changed |= {(table, column) for table, columns in tables.items() for column in columns}
    assert shown - changed == NOT_TAMPERED_WITH.keys()


def test_what_is_not_counted_of_a_row_says_how_it_was_used_or_is_overwritten_by_an_erasure() -> None:
    not_counted = {table: held.ignored for table, held in held_tables().items() if held.ignored}
    assert not_counted == {
        "auth_user": ("last_login",),
        "django_admin_log": ("object_repr",),
        "operators_apikey": ("last_used_at", "previous_used_at"),
        "operators_dailycap": ("day", "moved"),
        "operators_keylimit": ("day", "moved"),
        "operators_playersession": ("last_used_at",),
        "operators_signingkey": ("last_used_at",),
        "staff_providerdescription": ("due_at", "error"),
        "wallet_notice": ("read_at",),
        "wallet_providercallback": ("next_try_at", "attempts", "last_error"),
    }


def test_the_application_can_neither_change_nor_remove_events_or_what_manifests_hold(db: None) -> None:
    held = {*STORE, *COVERED_TABLES}
    writable = fetch(
        "SELECT relname::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relname = ANY (%s) "
        "AND (has_table_privilege(oid, 'UPDATE') OR has_table_privilege(oid, 'TRUNCATE'))",
        [sorted(held)],
    )
    assert writable == []
