"""Each act that was done with SQL, or by a service that asks for nobody else, is a finding of the audit."""

from collections.abc import Generator
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain
from typing import Final
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from baccarat.audit import engine
from casino.events import sealer
from casino.events.sql import execute
from casino.events.store import Metadata
from casino.kernel.findings import Finding
from casino.operators import changes
from casino.operators.models import Change, StaffMembership
from casino.staff import duties, password_codes
from casino.staff.models import Authenticator, IdentityProvider, RecoveryCode, StaffIdentity
from tests.baccarat.api.people import tenant
from tests.conftest import Database, as_owner
from tests.operations import MATTERS
from tests.stories.test_two_persons import REQUESTS, Stage, new_stage
from tests.support.acts import agreed
from tests.support.everything import full_office
from tests.wallet.payments.counter import use_provider

_COPY: Final = """INSERT INTO {table} SELECT (jsonb_populate_record(kept, jsonb_build_object('id', {key}{more}))).*
    FROM {table} AS kept LIMIT 1"""


def copy(table: str, key: str = "gen_random_uuid()", more: str = "") -> str:
    """Return the statement that adds another row like one there is."""
    return _COPY.format(table=table, key=key, more=more)


def event(kind: str, stream: str, data: str, source: str) -> str:
    """Return the statement that adds an event as the application does."""
    return f"""WITH added AS (
        INSERT INTO events_event (stream, version, type, schema, data, metadata)
        SELECT stream, 1 + (SELECT count(*) FROM events_event AS before WHERE before.stream = source.stream),
               '{kind}', 1, data, '{{}}'
          FROM (SELECT {stream} AS stream, json_build_object({data}) AS data FROM {source}) AS source
        RETURNING id, transaction
    ) INSERT INTO events_unsealed (event_id, transaction) SELECT id, transaction FROM added"""  # noqa: S608


_REQUEST: Final = copy("operators_change", more=", 'status', 'requested'")
BY_SQL: Final = {
    "auth.add_user": copy("auth_user", "900", ", 'username', 'mallory', 'email', 'm@evil.example'"),
    "auth.change_user": "UPDATE auth_user SET is_active = false WHERE id = (SELECT max(id) FROM auth_user)",
    "baccarat.add_skin": copy("baccarat_skin", more=", 'name', 'evil'"),
    "baccarat.add_table": copy("baccarat_table"),
    "baccarat.add_voidpolicy": "INSERT INTO baccarat_voidpolicy (operator_id, forgive, actor) "
    "SELECT id, true, 'staff:1' FROM operators_operator LIMIT 1",
    "baccarat.approve_table": copy("baccarat_table", more=", 'name', 'Ours'"),
    "baccarat.approve_void": "UPDATE baccarat_round SET phase = 'voided' WHERE phase = 'settled'",
    "baccarat.change_killswitch": "UPDATE baccarat_killswitch SET active = false WHERE rank = 'regulator'",
    "baccarat.change_round": "UPDATE baccarat_round SET suspension_reason = NULL WHERE suspension_reason IS NOT NULL",
    "baccarat.change_skin": "UPDATE baccarat_skin SET properties = '{\"round\": 9}'",
    "baccarat.close_table": "UPDATE baccarat_table SET state = jsonb_set(state::jsonb, '{closed}', 'true')::json",
    "baccarat.delete_skin": "DELETE FROM baccarat_skin WHERE name = 'evil'",
    "baccarat.draft_rules": copy("baccarat_rulesversion", more=", 'version', 9, 'status', 'drafted'"),
    "baccarat.publish_rules": "UPDATE baccarat_rulesversion "
    "SET rules = jsonb_set(rules, '{spots,2,lines,0,pays,numerator}', '100')",
    "baccarat.replace_witness": event(
        "WitnessChainsReplaced",
        "'table-' || id",
        "'ended', json_build_array(), 'successor', 'mine', 'reason', 'away', 'discarded', null, 'replaced_at', now()",
        "baccarat_table LIMIT 1",
    ),
    "baccarat.request_void": _REQUEST,
    "baccarat.stop_gaming": copy("baccarat_killswitch", "'gaming:'", ", 'scope', 'gaming', 'subject', ''"),
    "baccarat.stop_play": "UPDATE baccarat_killswitch SET active = false WHERE rank <> 'regulator'",
    "chat.ban_player": "UPDATE chat_playermoderation SET ban_reason = 'spam'",
    "chat.edit_filter_words": "DELETE FROM chat_filterword",
    "chat.moderate": "UPDATE chat_playermoderation SET mute_reason = 'spam'",
    "compliance.add_approval": "INSERT INTO compliance_approval (by, code, dependencies, settings, reason) "
    "VALUES ('staff:1', 'c', 'd', 's', 'Mine')",
    "compliance.approve_erasure": "DELETE FROM crypto_personalkey",
    "compliance.request_erasure": _REQUEST,
    "feed.add_webhookendpoint": "UPDATE feed_webhookendpoint SET url = 'https://evil.example'",
    "feed.change_webhookendpoint": "UPDATE feed_webhookendpoint SET status = 'paused'",
    "operators.add_assertionkey": copy("operators_assertionkey", more=", 'key_id', 'evil'"),
    "operators.add_brand": "INSERT INTO operators_brand (id, operator_id, slug, name, shares_players) "
    "SELECT gen_random_uuid(), id, 'evil', 'Evil', true FROM operators_operator LIMIT 1",
    "operators.add_declaredcurrency": "UPDATE operators_operator SET currencies = '{EUR,XXX}'",
    "operators.add_limitsgroup": "UPDATE operators_limitsgroup SET maximum = 9000000",
    "operators.add_operator": copy("operators_operator", more=", 'slug', 'evil'"),
    "operators.add_own_signingkey": copy("operators_signingkey", "900", ", 'keyid', 'evil'"),
    "operators.add_signingkey": copy("operators_signingkey", "901", ", 'keyid', 'evil2'"),
    "operators.change_apikey": "UPDATE operators_apikey SET scopes = '{configure}'",
    "operators.change_change": "UPDATE operators_change SET status = 'confirmed'",
    "operators.change_operator": "UPDATE operators_operator SET customer_care = 'm@evil.example'",
    "operators.change_own_key": "UPDATE operators_apikey SET secret_hash = 'x'",
    "operators.delete_assertionkey": "UPDATE operators_assertionkey SET removed_at = now()",
    "operators.require_signatures": "UPDATE operators_operator SET signatures_required = false",
    "operators.set_complaint_terms": 'UPDATE operators_operator SET complaint_texts = \'{"held": {"en": "Mine"}}\'',
    "operators.set_origins": "UPDATE operators_operator SET origins = '{https://evil.example}'",
    "operators.set_staff_networks": "UPDATE operators_operator SET staff_networks = '{}'",
    "reports.add_reportdestination": "UPDATE reports_reportdestination SET address = 'm@evil.example'",
    "reports.add_savedreport": copy("reports_savedreport", "900"),
    "reports.change_savedreport": "UPDATE reports_savedreport SET title = 'Evil'",
    "risk.add_riskrule": copy("risk_riskrule", "900", ", 'amount', 9000000"),
    "significant.acknowledge_significantevent": "DELETE FROM significant_unacknowledged",
    "significant.add_threshold": copy("significant_threshold", "900", ", 'wager', 9000000"),
    "staff.add_identityprovider": "UPDATE staff_identityprovider SET issuer = 'https://evil.example'",
    "staff.assign_operator": "INSERT INTO operators_staffmembership (user_id, operator_id) "
    "SELECT min(auth_user.id), operators_operator.id FROM auth_user, operators_operator GROUP BY 2 LIMIT 1",
    "staff.assign_role": "INSERT INTO auth_user_groups (user_id, group_id) "
    "SELECT max(auth_user.id), max(auth_group.id) FROM auth_user, auth_group",
    "staff.define_role": "INSERT INTO auth_group_permissions (group_id, permission_id) "
    "SELECT max(auth_group.id), max(auth_permission.id) FROM auth_group, auth_permission",
    "staff.delete_identityprovider": "UPDATE staff_identityprovider SET removed_at = now()",
    "staff.make_superuser": "UPDATE auth_user SET is_superuser = NOT is_superuser",
    "staff.reset_authenticator": "UPDATE auth_user SET email = id || '@evil.example'",
    "wallet.approve_adjustment": "UPDATE wallet_balance SET balance = balance + 1",
    "wallet.change_depositmethod": "INSERT INTO wallet_deposit_method OVERRIDING SYSTEM VALUE "
    'SELECT (jsonb_populate_record(kept, \'{"id": 900, "version": 9, "fee_fixed": 0}\')).* '
    "FROM wallet_deposit_method AS kept LIMIT 1",
    "wallet.change_discrepancy": "UPDATE wallet_discrepancy SET status = 'resolved'",
    "wallet.change_operatorfunding": "INSERT INTO wallet_funding (operator_id, funding, wallet_url, wallet_profile, "
    "since, version) SELECT id, 'transfer', '', 'standard', now(), 1 FROM operators_operator WHERE slug = 'annex'",
    "wallet.change_playerrestrictions": "UPDATE wallet_playerrestrictions SET state = '{}' WHERE self_excluded",
    "wallet.change_withdrawal": "UPDATE wallet_withdrawal SET status = 'approved'",
    "wallet.credit_sandbox": "UPDATE wallet_balance SET balance = balance + 1",
    "wallet.decide_hold": "UPDATE wallet_hold SET status = 'released', ended_at = now() WHERE status = 'open'",
    "wallet.end_exclusion": "UPDATE wallet_playerrestrictions SET excluded_until = now() WHERE self_excluded",
    "wallet.exclude_player": "UPDATE wallet_playerrestrictions SET blocked = NOT blocked WHERE NOT self_excluded",
    "wallet.freeze_player": "UPDATE wallet_playerrestrictions SET frozen = true WHERE NOT self_excluded",
    "wallet.request_adjustment": _REQUEST,
    "wallet.transfer_money": "UPDATE wallet_balance SET balance = balance - 1",
}
"""The statement that does what each act does, as the application's own role."""
MORE_BY_SQL: Final = (
    "UPDATE staff_authenticator SET confirmed = false",
    "DELETE FROM staff_recoverycode",
    "UPDATE staff_passwordcode SET first_digest = '\\x00'",
    "UPDATE staff_staffaccount SET created_by = ''",
    "UPDATE staff_staffidentity SET subject = 'mallory'",
    "UPDATE operators_player SET limits_group = 'apart' WHERE limits_group = 'standard'",
    event(
        "PlayMoneyCapSet",
        "'operator-limits-' || id",
        "'operator', id, 'currency', 'EUR', 'cap', 9000000, 'at', now()",
        "operators_operator WHERE slug = 'annex'",
    ),
)
"""The same of acts that do several things: who signs in as whom, whose limits are wider, play money."""
BY_OWNERS_SQL: Final = {
    "operators.change_playersession": "UPDATE operators_playersession SET ended_at = now()",
    "operators.open_session": "UPDATE operators_playersession SET expires_at = now()",
    "wallet.register_player": copy("operators_player", more=", 'reference_index', '\\x00'"),
}
"""The same as another role. Of these rows, the application's own role leaves a digest and no act."""
NO_SQL: Final = {
    "baccarat.force_cards": "of a sandbox alone; a proof names the cards that were chosen",
    "baccarat.launch_player": "makes a code that is used once",
    "baccarat.share_dispute_pack": "signs an address",
    "compliance.export_operator": "reads",
    "compliance.export_player": "reads",
    "compliance.resolve_case": "adds a row, which names its author and is never changed",
    "operators.unlock_pin": "lets a player's PIN be tried again",
    "reports.generate_report": "reads, and adds a row with its digest",
    "risk.assess_player": "adds a row, which names its author and is never changed",
    "risk.screen_player": "adds a row, which names its author and is never changed",
    "staff.export_access_review": "reads",
    "staff.unlock_user": "forgets failed logins",
    "wallet.unfreeze_player": "writes the column that wallet.freeze_player writes",
}
"""Acts without a statement, and why."""
BY_COMMAND: Final = {"replace_witness"}
"""Changes that do nothing: a command does, later. See tests/baccarat/services/test_replacement.py."""
EFFECTS: Final = (
    "adjustment", "end_exclusion", "erasure", "funding", "open_table", "play_money_cap", "release_payment", "rules",
    "unfreeze",
)  # fmt: skip
"""What takes several persons and is an event that says so itself."""


@pytest.fixture(scope="module")
def stage(module_database: Database) -> Generator[Stage]:
    """Make a live operator, and another one with one of everything."""
    with pytest.MonkeyPatch.context() as patch:
        use_provider(patch)
        full_office("office")
        yield new_stage()


def alike(stage: Stage, matter: str) -> Stage:
    """Return the stage with another operator, and another member of staff whom a change concerns."""
    house = tenant(matter.replace("_", "-"))
    with agreed():
        ann = User.objects.create_user(matter, is_staff=True, is_active=matter != "staff_return")
        Authenticator.objects.create(user=ann, name="phone", key_id="k", wrapped=b"")
        if matter != "staff_operators":
            StaffMembership.objects.create(user=ann, operator_id=house.id)
    return replace(stage, house=house, ann=ann)


def enrol(stage: Stage) -> None:
    """Let a member of staff have each of what signs in."""
    with agreed():
        provider = IdentityProvider.objects.all()[0]
        StaffIdentity.objects.create(user=stage.ann, provider=provider, subject="ann")
        RecoveryCode.objects.create(user=stage.ann, digest=b"d")
        password_codes.begin(stage.ann, uuid4())


def audit() -> set[Finding]:
    sealer.seal_all()
    return set(engine.run_audit(max_wait=3600).findings)


def test_every_act_has_a_statement_or_a_reason_for_none() -> None:
    tables = (BY_SQL, BY_OWNERS_SQL, NO_SQL)
    assert sorted(chain(*tables)) == [act.name for act in duties.acts()]


def test_what_takes_several_persons_and_one_did_is_found(stage: Stage) -> None:
    known, unnoticed = audit(), set()
    for matter in sorted({*MATTERS} - BY_COMMAND):
        at = alike(stage, matter)
        with transaction.atomic():
            REQUESTS[matter](at, f"staff:{stage.maker.pk}")
            changes._kinds[matter].apply(Change.objects.filter(kind=matter).latest("id"))  # and asks nobody
        found = audit()
        unnoticed |= set() if found - known else {matter}
        known = found
    assert sorted(unnoticed) == []


def test_what_one_did_as_the_effect_of_no_change_is_found(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    known, unnoticed = audit(), set()
    monkeypatch.setattr(changes, "metadata", lambda change: Metadata(str(change.operator_id), change.requested_by, ""))
    for matter in EFFECTS:
        at = alike(stage, f"{matter}-alone")
        with transaction.atomic():
            REQUESTS[matter](at, f"staff:{stage.maker.pk}")
            changes._kinds[matter].apply(Change.objects.filter(kind=matter).latest("id"))
        found = audit()
        kinds, known = {each.kind for each in found - known}, found
        unnoticed |= set() if kinds & {"done without its change", "released by too few persons"} else {matter}
    assert unnoticed == set()


def test_what_was_done_with_sql_is_found(stage: Stage, module_database: Database) -> None:
    enrol(stage)
    known, unnoticed = audit(), set()
    for act, statement in {**BY_SQL, **BY_OWNERS_SQL, **{each: each for each in MORE_BY_SQL}}.items():
        with as_owner(module_database.owner_url) if act in BY_OWNERS_SQL else nullcontext():
            assert execute(statement) > 0, act
        found = audit()
        unnoticed |= set() if found - known else {act}
        known = found
    assert sorted(unnoticed) == []
