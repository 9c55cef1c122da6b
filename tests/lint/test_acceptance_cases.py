"""The acceptance cases of operators' own wallets and of integrating operators, each with the tests that show it."""

import pytest

from tests.lint.test_requirements import require_test

WAGERS = "tests/baccarat/services/test_wagering.py::test_"
COURSES = "tests/baccarat/services/test_own_wallets.py::test_"
KILLS = "tests/system/wallet/remote/test_kills.py::test_"
SERVER = "tests/casino/devstack/test_operator.py::test_"
PROTECTION = "tests/wallet/remote/test_protection.py::test_"
DELIVERY = "tests/wallet/remote/test_delivery.py::test_"
CHAOS = "tests/nightly/chaos/test_own_wallet.py::test_"
SIGNATURES = "tests/casino/operators/test_request_signatures.py::test_"
ROTATION = "tests/casino/operators/test_rotation_under_load.py::test_"
WEBHOOKS = "tests/casino/feed/test_webhooks.py::test_"
WHATEVER_DIES = f"{CHAOS}no_stake_and_no_win_is_lost_or_doubled_whatever_dies_while_the_wallet_is_asked"
CASES = {
    1: (f"{WAGERS}a_wager_is_taken_once_and_its_win_is_paid_back",),
    2: (f"{WAGERS}a_loss_is_told_by_a_credit_of_zero",),
    3: (f"{COURSES}a_tie_returns_the_stake_of_banker",),
    4: (f"{COURSES}too_little_money_is_refused_once_and_nothing_is_taken_back",),
    5: (f"{WAGERS}a_time_out_after_the_debit_was_applied_gives_the_money_back",),
    6: (f"{COURSES}a_debit_that_arrives_after_its_rollback_is_refused",),
    7: (f"{SERVER}a_rollback_before_its_debit_keeps_that_from_being_made_for_ever",),
    8: (f"{SERVER}a_rollback_that_comes_again_has_the_first_answer_and_returns_the_money_once",),
    9: (f"{SERVER}a_debit_that_comes_again_has_the_first_answer_and_is_made_once",),
    10: (f"{SERVER}an_id_that_comes_with_another_amount_is_refused",),
    11: (
        f"{SERVER}a_credit_that_comes_again_is_paid_once",
        f"{WAGERS}a_credit_that_was_sent_before_its_worker_died_is_paid_once",
    ),
    12: (
        f"{WAGERS}credits_are_paid_to_players_who_have_left_and_whose_session_has_ended",
        f"{COURSES}a_player_who_is_excluded_or_whose_table_is_closed_is_still_paid",
    ),
    13: (f"{SERVER}fifty_equal_debits_at_once_are_one",),
    14: (f"{SERVER}of_fifty_debits_at_once_on_a_balance_for_ten_ten_are_made",),
    15: (f"{COURSES}two_players_of_a_round_are_paid_by_one_message",),
    16: (f"{WAGERS}of_a_partial_batch_only_the_rest_is_sent_again",),
    17: (f"{COURSES}credits_of_two_rounds_that_arrive_in_another_order_are_both_paid",),
    18: (f"{WAGERS}an_answer_that_nobody_signed_or_that_answers_something_else_is_none",),
    19: (f"{WAGERS}a_stake_that_is_not_surely_taken_is_in_no_round_and_goes_back",),
    20: (f"{WAGERS}a_stake_that_is_not_surely_taken_is_in_no_round_and_goes_back",),
    21: (
        f"{WAGERS}an_answer_that_nobody_signed_or_that_answers_something_else_is_none",
        f"{COURSES}an_answer_that_is_repeated_for_another_debit_counts_for_none",
    ),
    22: (
        f"{COURSES}a_millisecond_decides_whether_stakes_were_taken_in_time",
        f"{WAGERS}an_answer_after_the_grace_takes_the_wager_out_and_gives_the_money_back",
        f"{WAGERS}cards_wait_for_an_answer_within_the_grace_and_no_longer",
    ),
    23: (
        f"{PROTECTION}fewer_than_half_of_the_threads_wait_for_wallets_and_one_operator_never_has_all_of_these",
        f"{PROTECTION}places_are_below_half_of_any_number_of_threads",
        f"{COURSES}while_stakes_wait_for_one_operator_those_of_another_are_taken",
    ),
    24: (f"{WAGERS}cards_wait_for_an_answer_within_the_grace_and_no_longer",),
    25: (f"{KILLS}web_killed_at_any_moment_of_a_wager_confirms_it_or_takes_it_back", WHATEVER_DIES),
    26: (f"{KILLS}web_killed_at_any_moment_of_a_wager_confirms_it_or_takes_it_back", WHATEVER_DIES),
    27: (f"{KILLS}a_worker_killed_after_a_credit_was_sent_sends_it_again_and_it_is_paid_once", WHATEVER_DIES),
    28: (WHATEVER_DIES,),
    29: (WHATEVER_DIES,),
    30: (
        f"tests/nightly/{DELIVERY.removeprefix('tests/')}an_operator_down_for_an_hour_takes_no_wager_and_gets_ten_thousand_credits_in_five_minutes_each_once",
    ),
    31: (f"{COURSES}a_wallet_that_answers_too_late_each_time_loses_no_stake",),
    32: (f"{COURSES}of_a_wallet_that_flaps_every_second_no_wager_is_both_confirmed_and_taken_back",),
    33: (
        f"{WAGERS}a_void_before_the_settlement_takes_debits_back",
        f"{WAGERS}a_void_after_the_settlement_is_corrected_and_a_refused_correction_is_a_debt",
    ),
    34: (
        f"{WAGERS}credits_are_paid_to_players_who_have_left_and_whose_session_has_ended",
        f"{COURSES}a_player_who_is_excluded_or_whose_table_is_closed_is_still_paid",
    ),
    35: (f"{WAGERS}an_exclusion_while_the_wallet_is_asked_leaves_no_wager",),
    36: (
        f"{COURSES}amounts_have_the_decimals_of_their_currency_both_ways",
        f"{COURSES}stakes_and_wins_keep_the_decimals_of_their_currency_on_their_way",
    ),
    37: (
        f"{ROTATION}no_request_fails_while_a_secret_is_rotated_and_a_removed_one_is_refused_at_once",
        f"{ROTATION}no_signature_fails_while_a_signing_key_is_added_and_a_removed_one_is_refused_at_once",
        "tests/casino/operators/test_key_rotation.py::test_both_secrets_are_valid_until_the_previous_one_ends",
        f"{SIGNATURES}two_signing_keys_are_live_and_the_last_one_stays_where_it_is_required",
        "tests/casino/operators/test_auth.py::test_a_revoked_key_is_invalid_at_once_and_other_keys_stay_valid",
    ),
    38: (f"{SIGNATURES}times_and_nonces_have_bounds", f"{SERVER}what_nobody_signed_changes_nothing"),
    39: ("tests/casino/operators/test_auth.py::test_a_key_is_refused_outside_its_networks_and_that_is_recorded",),
    40: (
        f"{WEBHOOKS}what_is_pushed_is_the_feed",
        "tests/system/casino/feed/test_writer.py::test_a_killed_writer_leaves_no_gap_and_no_repeat",
        "tests/system/casino/feed/test_outbound.py::test_a_killed_process_loses_nothing_and_a_stopped_one_ends",
    ),
    41: (f"{WEBHOOKS}an_endpoint_that_fails_for_three_days_is_paused_and_replays_each_number_once",),
    42: (
        "tests/casino/feed/test_api.py::test_an_operator_reads_its_own_feed_alone",
        "tests/baccarat/api/test_isolation.py::test_no_answer_has_a_position_or_a_number_of_the_whole_installation",
    ),
    43: (
        f"{WAGERS}reconciliation_finds_what_the_wallet_says_differently_and_only_that",
        "tests/wallet/reconciliation/test_comparison.py::test_every_difference_is_reported_as_its_type",
    ),
    44: (
        "tests/wallet/remote/test_audit.py::test_a_rebuild_leaves_rows_and_queue_as_they_are",
        "tests/wallet/remote/test_audit.py::test_the_audit_reports_tampered_rows_and_a_rebuild_restores_them",
    ),
    45: (
        "tests/properties/test_remote_money.py::test_the_sum_of_the_operators_balances_and_ours_is_constant_at_rest",
        WHATEVER_DIES,
    ),
    46: (
        "tests/baccarat/services/test_forcing.py::test_only_a_sandbox_operator_forces_cards_at_its_own_table",
        "tests/baccarat/api/test_forced_cards.py::test_a_live_operator_forces_no_cards",
        "tests/system/deploy/test_settings.py::test_production_does_not_start_with",
    ),
    47: (
        "tests/nightly/browser/test_embedding.py::test_a_registered_site_frames_the_game_whose_code_leaves_the_address",
        "tests/nightly/browser/test_embedding.py::test_another_site_can_not_frame_the_game",
        "tests/nightly/browser/test_embedding.py::test_messages_of_other_origins_and_other_windows_are_ignored",
    ),
    48: (
        "tests/baccarat/api/test_launches.py::test_a_code_works_once",
        "tests/nightly/browser/test_embedding.py::test_renewal_by_the_site_keeps_the_session_and_its_stream",
    ),
    49: (
        "tests/system/clients/test_python_client.py::test_a_generated_client_plays_a_session",
        "tests/system/clients/test_typescript_client.py::test_a_typed_client_plays_a_session",
    ),
    50: ("tests/system/deploy/test_documents.py::test_every_shell_block_runs_as_printed",),
}


def test_each_of_the_fifty_cases_has_its_tests() -> None:
    assert list(CASES) == list(range(1, 51))
    assert all(CASES.values())


@pytest.mark.parametrize("reference", sorted({test for tests in CASES.values() for test in tests}))
def test_a_case_names_an_existing_test(reference: str) -> None:
    assert "::" in reference
    require_test(reference)
