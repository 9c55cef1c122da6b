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
erasure_decided erasure_done_before erasure_needs_another erasure_reason_missing erasure_still_excluded
erasure_still_in_play erasure_still_to_be_kept erasure_unknown person_erased retention_for_good retention_too_young
retention_unknown acknowledgement_differs acknowledgement_not_needed adjustment_choice_unknown adjustment_decided
adjustment_needs_another adjustment_note_missing already_acknowledged already_stopped approval_reason_missing
money_type_named_twice checkpoints_reversed close_reason_invalid credit_too_large day_not_over deposit_method_impossible
difference_closed difference_note_missing draft_waits exclusion_not_over exclusion_note_invalid interval_invalid
interval_not_begun invalid_rules invalid_session_length invalid_signature invalid_slug invalid_word maker_is_checker
malformed_callback matter_resolved matter_words_missing no_debt_in_play_money no_shoe_committed no_void_requested
nonce_reused not_in_checkpoint not_muted not_removed not_self_excluded not_stopped not_waiting_for_review
not_your_list note_is_empty open_in_another_currency player_edge_not_accepted player_not_stopped
player_stopped_already ratio_malformed report_is_closed return_floor_impossible return_under_floor
round_already_voided round_is_not_due round_not_set_aside round_not_voidable rules_need_another rules_unchanged
sandbox_closed seats_are_taken seed_unreadable shoe_is_bound shoe_is_committed shoe_is_running shuffle_is_fixed
slug_taken stale_timestamp switch_message_too_long switch_of_the_house switch_reason_missing table_is_occupied
table_not_allowed threshold_impossible unknown_adjustment unknown_checkpoint unknown_difference unknown_draft
unknown_house_report unknown_key unknown_matter unknown_moderation unknown_operator unknown_preset unknown_provider
unknown_report unknown_report_format unknown_resolution unknown_switch unknown_time_zone unknown_version
unknown_void_reason unknown_word version_not_in_force version_reason_missing void_already_requested
void_needs_another void_note_invalid withdrawal_policy_impossible withdrawn_table_cannot_wait word_is_listed
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
    english = keys_of("en")

    assert keys_of("de") == english
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
    english = keys_of("en") | keys_of("problems_de")

    for text in modules():
        for start, end in TEMPLATE.findall(text):
            assert any(key.startswith(start) and key.endswith(end) for key in english), (start, end)


def test_every_word_that_a_module_asks_for_is_in_the_catalogue():
    catalogue = (STATIC / "js" / "words" / "en.js").read_text(encoding="utf-8")
    asked = set()
    for module in STATIC.rglob("*.js"):
        if module.parent.name != "words":
            asked |= set(re.findall(r"\bt\(\"([\w.]+)\"", module.read_text(encoding="utf-8")))
    missing = {key for key in asked if f'{key}":' not in catalogue and f"\n  {key}:" not in catalogue}
    assert {key for key in missing if f'"{key}.other"' not in catalogue} == set()
