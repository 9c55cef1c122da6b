"""What the page says: the same things in every language, and something for whatever a player may be refused with."""

import re

from django.urls import get_resolver

from casino.api.error_catalogue import all_problems
from casino.devstack.home import PROJECT
from casino.kernel.errors import all_refusals

STATIC = PROJECT / "baccarat" / "web" / "static" / "play"
WORDS = STATIC / "js" / "words"
TEMPLATE = re.compile(r"\bt\(`([\w.]*)\$\{[^}]*\}([\w.]*)`")
STAFF_ALONE = """
account_currency_differs acknowledgement_differs acknowledgement_not_needed adjustment_decided adjustment_note_missing
adjustment_requires_second_person already_acknowledged already_erased already_stopped approval_reason_missing
case_resolution_missing case_resolved chat_report_closed checkpoints_reversed close_reason_invalid credit_too_large
day_not_over discrepancy_closed discrepancy_note_missing draft_pending erasure_decided erasure_player_excluded
erasure_player_in_play erasure_reason_missing erasure_requires_second_person erasure_retention_required
exclusion_note_invalid exclusion_still_running filter_word_exists filter_word_not_yours interval_invalid
interval_not_started invalid_adjustment_choice invalid_deposit_method invalid_filter_word invalid_moderation
invalid_return_floor invalid_rules invalid_session_length invalid_signature invalid_slug invalid_threshold
invalid_withdrawal_policy malformed_callback money_type_named_twice next_shoe_committed_to_other_rules
no_debt_in_play_money no_shoe_committed no_void_requested nonce_reused not_in_checkpoint not_self_excluded not_stopped
not_waiting_for_review note_empty operator_not_sandbox person_erased player_already_blocked player_edge_not_accepted
player_not_banned player_not_blocked player_not_muted ratio_malformed retention_period_not_over retention_permanent
retired_rules_cannot_wait return_under_floor round_already_voided round_is_not_due round_not_suspended
round_not_voidable rules_require_second_person rules_unchanged seats_are_taken seed_unreadable shoe_is_committed
shoe_is_running shuffle_is_fixed slug_taken stale_timestamp stop_message_too_long stop_reason_missing
stop_set_by_platform table_is_occupied table_not_allowed unknown_adjustment unknown_case unknown_chat_report
unknown_checkpoint unknown_discrepancy unknown_draft unknown_erasure unknown_filter_word unknown_key unknown_operator
unknown_preset unknown_provider unknown_report unknown_report_format unknown_resolution unknown_retention_kind
unknown_stop_subject unknown_time_zone unknown_version unknown_void_reason version_not_in_force version_reason_missing
void_already_requested void_note_invalid void_requires_second_person withdrawal_requires_second_person
""".split()
"""Refusals that only an operator's server, its people or a provider meet: the page needs no words for them."""


def keys_of(*names: str) -> set[str]:
    """The keys of catalogues of words."""
    found = set()
    for name in names:
        text = (WORDS / f"{name}.js").read_text(encoding="utf-8")
        found |= set(re.findall(r'(?:^|, |\{ |  )"?([a-z][\w.]*)"?: "', text, re.MULTILINE))
    return found


def codes() -> set[str]:
    """The codes of all refusals, once everything that may refuse is loaded."""
    assert get_resolver().url_patterns
    of_tests = {refusal.code for refusal in all_refusals() if refusal.__module__.startswith("tests.")}
    return set(all_problems()) - of_tests


def modules() -> list[str]:
    """The page's code, without its words."""
    return [path.read_text(encoding="utf-8") for path in STATIC.rglob("*.js") if path.parent.name != "words"]


def test_both_languages_say_the_same_things():
    english = keys_of("en", "en_panels")

    assert keys_of("de", "de_panels") == english
    assert len(english) > 300


def test_a_player_is_told_in_german_why_something_is_refused():
    needed = {code for code in codes() - set(STAFF_ALONE) if not code.startswith("staff_")}

    german = {key.removeprefix("problem.") for key in keys_of("problems_de")}

    assert needed - german == set(), "say them in words/problems_de.js, or name them among STAFF_ALONE"


def test_no_refusal_is_named_that_the_service_does_not_know():
    known = codes()

    assert set(STAFF_ALONE) <= known
    named = {key.split(".")[1] for key in keys_of("problems_de")}
    assert named - known <= {"session_ended"}, "this one comes by the stream"


def test_every_sentence_that_is_put_together_has_words_for_its_parts():
    english = keys_of("en", "en_panels", "problems_de")

    for text in modules():
        for start, end in TEMPLATE.findall(text):
            assert any(key.startswith(start) and key.endswith(end) for key in english), (start, end)


def test_every_word_that_a_module_asks_for_is_in_the_catalogue():
    catalogue = "".join((WORDS / name).read_text(encoding="utf-8") for name in ("en.js", "en_panels.js"))
    asked = set()
    for module in STATIC.rglob("*.js"):
        if module.parent.name != "words":
            asked |= set(re.findall(r"\bt\(\"([\w.]+)\"", module.read_text(encoding="utf-8")))
    missing = {key for key in asked if f'{key}":' not in catalogue and f"\n  {key}:" not in catalogue}
    assert {key for key in missing if f'"{key}.other"' not in catalogue} == set()
