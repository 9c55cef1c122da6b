"""Kinds of tampering with what stands beside the log: significant events, staff, keys, settings and texts."""

import uuid

from tests.baccarat.audit.attacker import WITH_ORIGINAL_CHAIN, kind

ROW_DIFFERS = "row differs from its digest"

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
def a_significant_event_acknowledged_by_who_did_it(attacker):
    (event,) = attacker.row("SELECT id FROM significant_significantevent WHERE subject = 'table:3'")
    attacker.do("DELETE FROM significant_unacknowledged WHERE event_id = %s", event)
    attacker.do(
        "INSERT INTO significant_note (event_id, acknowledges, text, by, at) "
        "SELECT id, true, '', actor, now() FROM significant_significantevent WHERE id = %s",
        event,
    )
    return "acknowledged by who did it", f"significant event {event}"


@kind(WITH_ORIGINAL_CHAIN)
def a_deposit_method_made_free_of_fees(attacker):
    attacker.do("UPDATE wallet_deposit_method SET fee_fixed = fee_fixed + 1")
    return ROW_DIFFERS, "wallet_deposit_method 1"


# -- who may do what -----------------------------------------------------------------------------------------------

MEMBER_OF_STAFF = (
    "INSERT INTO auth_user (id, username, password, is_superuser, is_staff, is_active, first_name, last_name, email, "
    "date_joined) VALUES (%s, %s, 'x', true, true, true, '', '', '', now())"
)


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
        "INSERT INTO staff_authenticator (id, user_id, name, confirmed, key_id, wrapped, last_step, made_at) "
        "VALUES (900, 902, '', true, 'k', 'x', -1, now())"
    )
    return ROW_DIFFERS, "staff_authenticator 900"


@kind(WITH_ORIGINAL_CHAIN)
def an_operator_made_by_sql(attacker):
    attacker.do(
        "INSERT INTO operators_operator (id, slug, name, currencies, origins, staff_networks, sandbox) "
        "VALUES (%s, 'ghost', 'Ghost', '{EUR}', '{}', '{}', true)",
        uuid.UUID(int=900),
    )
    return ROW_DIFFERS, f"operators_operator {uuid.UUID(int=900)}"


@kind(WITH_ORIGINAL_CHAIN)
def an_api_key_made_by_sql(attacker):
    attacker.do(
        "INSERT INTO operators_operator (id, slug, name, currencies, origins, staff_networks, sandbox) "
        "VALUES (%s, 'front', 'Front', '{EUR}', '{}', '{}', true)",
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
