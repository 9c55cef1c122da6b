"""The pages' messages: the same keys in every language, none of them unused, and each refusal a player can meet."""

import json
import re
from itertools import chain
from typing import get_args

import pytest
from django.urls import get_resolver

from baccarat.domain.rules.coups import FACTS
from casino.api.error_catalogue import all_problems
from casino.devstack.home import PROJECT
from casino.kernel.errors import all_refusals
from wallet.notices import NoticeKind

STATIC = PROJECT / "baccarat" / "web" / "static" / "play"
MESSAGES = STATIC / "js" / "messages"
LANGUAGES = {
    file.stem: json.loads(file.read_text(encoding="utf-8"))
    | json.loads((MESSAGES / "verify" / file.name).read_text(encoding="utf-8"))
    for file in sorted(MESSAGES.glob("*.json"))
}
REFUSALS = {
    file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted((MESSAGES / "problems").glob("*.json"))
}
"""The refusals in players' words."""
TRANSLATIONS = sorted(LANGUAGES.keys() - {"en"})
TEMPLATE = re.compile(r"`([\w.]*)\$\{[^}`]*\}([\w.]*)`")
ONE_INCLUDES_ZERO = {"fr", "pt"}
"""Languages in which zero takes the form of one."""
MAY_BE_ZERO = {"turn.left", "reality_check.reality", "played.since", "lobby.matching"}
PLURALS = {key.removesuffix(".one") for key in LANGUAGES["en"] if key.endswith(".one")}
NOT_FOR_PLAYERS = """
text_not_allowed text_too_long
acknowledgement_differs acknowledgement_not_needed address_malformed adjustment_note_missing
already_acknowledged already_erased already_stopped approval_reason_missing
assertion_expired assertion_invalid assertion_required assertion_used brand_slug_taken case_entry_invalid
case_resolution_missing case_not_resolved case_open_already case_outcome_invalid
cards_not_dealable case_resolved change_already_requested change_decided change_for_the_admin change_needs_second_person
chat_report_closed checkpoints_reversed close_reason_invalid
duty_missing
credit_too_large currencies_invalid currency_decimals_differ daily_cap_reached daily_caps_set day_not_over
deposits_not_in_scope discrepancy_closed discrepancy_note_missing message_not_applicable
archive_legal_hold archive_month_empty archive_month_invalid archive_month_not_covered archive_month_too_young
archive_not_configured draft_pending
forced_cards_are_off odds_too_high win_too_large too_late_to_force
email_taken erasure_player_excluded erasure_player_in_play erasure_reason_missing
erasure_retention_required exclusion_note_invalid exclusion_permanent
exclusion_still_running feed_expired feed_number_ahead filter_word_exists filter_word_not_yours
funding_in_use funding_money_held interval_invalid
interval_not_started
invalid_adjustment_choice invalid_assertion_key invalid_complaint_text invalid_customer_care invalid_daily_cap
invalid_deposit_method invalid_dispute_body invalid_filter_word invalid_player_record
invalid_group_limits invalid_key_limit invalid_key_terms invalid_moderation invalid_networks invalid_origin
invalid_player_status
invalid_return_floor invalid_risk_rule
invalid_rules invalid_session_length invalid_signature invalid_signing_key invalid_slug invalid_threshold
invalid_webhook_url invalid_withdrawal_policy key_expired key_is_of_a_brand logo_not_accepted malformed_callback
received_in_future wallet_not_conformant
money_key_unlimited
money_type_named_twice network_refused next_shoe_committed_to_other_rules no_debt_in_play_money no_rotation
no_shoe_committed nonce_reused not_in_checkpoint not_self_excluded not_stopped not_waiting_for_review
hold_decided hold_reason_missing invalid_screening payment_held player_already_frozen player_not_frozen
released_by_its_approver unknown_hold
note_empty operator_not_sandbox origin_not_registered order_is_for_the_platform own_payment own_significant_event
person_erased player_already_blocked player_edge_not_accepted
player_not_banned player_not_blocked player_not_muted player_text_missing preset_has_no_table
previous_secret_used reference_differs report_destination_invalid
request_signature_expired request_signature_invalid request_signature_required request_signature_used
retention_period_not_over retention_permanent retired_rules_cannot_wait return_under_floor rotation_too_quick
rotation_under_way round_already_voided round_is_not_due round_not_suspended round_not_voidable rules_unchanged
sandbox_only saved_report_invalid scope_missing seats_are_taken seed_unreadable shoe_is_committed shoe_is_running
shuffle_is_fixed
signatures_require_key skin_colour_missing skin_contrast_too_low slug_taken stale_timestamp stop_message_too_long
stop_of_higher_rank stop_order_too_long stop_reason_missing
table_is_occupied table_not_allowed table_not_offered too_few_administrators too_many_signing_keys
too_many_skins too_many_webhooks unknown_adjustment unknown_assertion_key unknown_brand unknown_case unknown_change
unknown_chat_report unknown_checkpoint unknown_discrepancy unknown_draft unknown_feed_type
unknown_filter_word unknown_key unknown_limits_group unknown_operator unknown_parameter unknown_preset
unknown_provider unknown_report unknown_report_format unknown_resolution unknown_retention_kind unknown_signing_key
unknown_skin unknown_stop_subject unknown_time_zone unknown_transfer unknown_version unknown_void_reason unknown_webhook
version_not_in_force version_reason_missing void_note_invalid void_requires_second_person
wallet_address_invalid wallet_key_missing wallet_profile_unavailable witness_not_in_use
webhook_not_paused webhook_paused withdrawal_requires_second_person
""".split()
"""Refusals that only operators' servers, staff or providers meet: the page does not translate them."""


def codes() -> set[str]:
    """Return the codes of all refusals of the service."""
    assert get_resolver().url_patterns
    test_codes = {refusal.code for refusal in all_refusals() if refusal.__module__.startswith("tests.")}
    return set(all_problems()) - test_codes


def modules() -> list[str]:
    """Read the pages' modules."""
    return [path.read_text(encoding="utf-8") for path in STATIC.rglob("*.js")]


def own_keys(language: str) -> set[str]:
    """Return a language's keys, one for all plural forms."""
    return {stem if (stem := key.rpartition(".")[0]) in PLURALS else key for key in LANGUAGES[language]}


def placeholders(sentence: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", sentence))


def required(words: dict[str, str], key: str) -> set[str]:
    """Return a sentence's placeholders, without the number where it says "one"."""
    return placeholders(words[key]) - ({"n"} if key.endswith(".one") else set())


def unprefixed(key: str) -> str:
    """Return a key as the module names it: those of the verification page leave their prefix out."""
    return key.removeprefix("verify.")


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_each_language_has_the_keys_and_placeholders_of_english(language: str):
    words, english = LANGUAGES[language], LANGUAGES["en"]

    assert own_keys(language) == own_keys("en")
    assert len(english) > 400
    shared = english.keys() & words.keys()
    assert {key for key in shared if required(words, key) != required(english, key)} == set()


@pytest.mark.parametrize("language", sorted(ONE_INCLUDES_ZERO))
def test_where_one_stands_for_zero_too_the_sentence_names_the_number(language: str):
    words = LANGUAGES[language]

    assert {key for key in MAY_BE_ZERO if "n" not in placeholders(words[f"{key}.one"])} == set()


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_each_refusal_for_players_is_worded_and_no_other(language: str):
    known = codes()
    needed = {code for code in known - set(NOT_FOR_PLAYERS) if not code.startswith("staff_")}
    translated = {key.removesuffix(".remedy") for key in REFUSALS[language]}

    assert set(NOT_FOR_PLAYERS) <= known
    assert needed - translated == set(), "word them, or list them in NOT_FOR_PLAYERS"
    assert translated - known <= {"session_ended"}, "sent by the stream"


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_refusals_have_the_keys_and_placeholders_of_english(language: str):
    words, english = REFUSALS[language], REFUSALS["en"]

    assert words.keys() == english.keys()
    assert {key for key in english if placeholders(words[key]) != placeholders(english[key])} == set()
    assert all(words.values())


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_refusals_are_in_players_words(language: str):
    unfit = re.compile(r"`|\w_\w|\b(Idempotency-Key|HTTP|API|JSON|GET|PUT|POST|fields?|requests?)\b")

    assert {
        key: words for key, words in REFUSALS[language].items() if unfit.search(re.sub(r"\{\w+\}", "", words))
    } == {}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_refusals_name_facts_of_theirs_and_those_that_may_be_missing_in_a_part_of_their_own(language: str):
    facts = {refusal.code: refusal.fact_types for refusal in all_refusals()}

    for key, sentence in REFUSALS[language].items():
        known = facts.get(key.removesuffix(".remedy"), {})
        derived = {"name"} if "limit_type" in known else set()
        assert placeholders(sentence) <= known.keys() | derived, key
        certain = placeholders(re.sub(r"\[[^\]]*\]", "", sentence)) - derived
        assert not any(type(None) in get_args(known[name]) for name in certain), key


def test_each_key_that_a_module_names_or_composes_is_in_the_catalogue():
    keys = {unprefixed(key) for key in own_keys("en")}

    for text in modules():
        assert set(re.findall(r"\bt\(\"([\w.]+)\"", text)) - keys == set()
        for start, end in re.findall(r"\bt\(`([\w.]*)\$\{[^}]*\}([\w.]*)`", text):
            assert any(key.startswith(start) and key.endswith(end) for key in keys), (start, end)


def test_each_kind_of_notice_is_worded_in_every_language():
    kinds = {f"notice.{kind}" for kind in NoticeKind}

    assert {language for language, words in LANGUAGES.items() if kinds - words.keys()} == set()


def test_each_condition_of_a_pay_line_is_worded():
    flags = {fact for fact, known in FACTS.items() if type(known.values[0]) is bool} | {"winner"}
    values = {f"fact.{fact}.{str(value).lower()}" for fact in flags for value in FACTS[fact].values}

    worded = {key for key in LANGUAGES["en"] if key.startswith("fact.")}
    assert worded == values | {f"fact.{fact}" for fact in FACTS.keys() - flags}


def test_no_key_is_unused():
    texts = modules()
    named = set(chain.from_iterable(re.findall(r"\"([\w.]+)\"", text) for text in texts))
    composed = {pair for text in texts for pair in TEMPLATE.findall(text) if "." in pair[0] or "." in pair[1]}

    unused = {
        key
        for key in own_keys("en")
        if unprefixed(key) not in named
        and not any(unprefixed(key).startswith(start) and unprefixed(key).endswith(end) for start, end in composed)
    }

    assert unused == set()
