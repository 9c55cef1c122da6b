"""No name that the API had before the glossary is served again: deploy/docs/glossary.md has the words of today."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import get_resolver
from drf_spectacular.generators import SchemaGenerator

from casino.api.error_catalogue import all_problems

PREFIX = "/api/v1/"
METHODS = {"get", "post", "put", "patch", "delete"}
FIELDS = """
about act animation_now approvals arrives arrives_at asked_at at_the_end automatic_up_to away book books bought_in
burned cards_out collected differing done_at everyones facts folded for_all freed_at frees_at given_at held largest left
longest longest_run made_by may_write measure missing most most_open moved muted operators our_state own payouts played
possible public readmitted_at refused removed removed_at revealed says seats_freed second_above seconds seen_at sentence
set_aside set_aside_at shortest shown standing stopped their_state tries_left turned under_way waits_for wallet way ways
what written
""".split()
FIELDS_OF = {
    "ChatReportCreated": "report",
    "Deposit": "owed",
    "FundingOption": "closed",
    "LogKey": "from until",
    "OwnSeat": "notice",
    "PaymentCallbackAccepted": "new",
    "Report": "made_at",
    "TableFairness": "next open",
}
"""Old names of fields that are good names elsewhere."""
VALUES = """
account_changed acted_on amount_differs as_approved corrected_here decommissioned gone login_failed login_locked
method_closed missing_here missing_there not_approved_yet nothing_new pack_fetched pack_linked round_set_aside
set_aside state_differs withdrawn wrong_deal CardsLooked CutGiven DifferenceAssigned DifferenceFound DifferenceGone
DifferenceResolved HouseLimitSet PlayLimitRaiseAsked PlayLimitRaiseCancelled PlayLimitRaised PlayerReadmitted
PlayerRemoved PlayerResumed PlayerStopped ReconciliationRun ReportClosed RoundSetAside RulesDecommissioned SeatFreed
SeatWithdrawn ShoeCutGiven SwitchReleased SwitchThrown TableClosing WagerRepeated life moment
""".split()
COMPONENTS = """
Book Catalogue CatalogueLine CallbackReportRequest CallbackTaken ConductPage DecidingRequest DifferencePage
DraftingRequest EventList ExclusionAnswer ExclusionsAnswer HouseLine HouseReport HouseReportColumn HouseReportPage
LimitLine LobbyLine Methods NotedExclusionsAnswer OwnCommissionRequest OwnRulesRequest PackAskedRequest PackKey
PackKeyList PackLink PinSet ProvenCard ProvenContribution ProvenEvent ProvenPath ProvenRound ProvenShoe ReasonTotal
ReasonTotals RejectingRequest ReportKind ReportKinds ReportMade SessionOpened SessionPlayed ShoeTold SwitchList
TableClosingRequest TableLine TableOpeningRequest VersionList WhichLimitRequest WindowPlayed WrittenPage
""".split()
COMPONENT_SUFFIXES = ("Shown", "RequestRequest", "Enum")
OPERATIONS = """
addFilterWord assignDifference changeDepositMethod deposit draftTableVersion excludeMyself excludePlayer getDifference
getLimits getPlayerConduct giveCut linkDisputePack listDifferences listFilterWords listPackKeys listReportKinds
listSwitches makeReport proveConsistency proveInclusion quickDeposit readNotice readmitPlayer removeFilterWord
removePlayer reportAdjustments reportPayment reportPlayer resolveDifference restoreGame setLimit withdraw
withdrawTableVersion
""".split()
PATHS = """
chat/words chat/words/remove differences differences/{difference} differences/{difference}/assign
differences/{difference}/resolve limits players/{player}/conduct players/{player}/readmit players/{player}/remove
report-kinds restore switches switches/resume switches/stop tables/{table}/versions/{version}/withdraw
""".split()
CODES = """
adjustment_choice_unknown adjustment_needs_another amount_not_makeable book_named_twice book_not_offered
cut_given_too_often deposit_method_closed deposit_method_impossible difference_closed difference_note_missing
draft_waits erasure_done_before erasure_needs_another erasure_still_excluded erasure_still_in_play
erasure_still_to_be_kept erasure_unknown exclusion_not_over exclusion_runs_longer interval_not_begun invalid_word
limit_changed_this_week limit_unchanged maker_is_checker matter_resolved matter_words_missing no_raise_pending
no_shoe_to_cut not_a_flag not_a_list not_a_whole_number not_in_that_round not_muted not_removed not_text not_your_list
note_is_empty nothing_arrives nothing_to_prove nothing_to_repeat open_in_another_currency over_own_limit own_report
payout_not_offered play_limit_impossible play_money_enough player_is_removed player_is_stopped player_not_stopped
player_stopped_already raise_not_ripe report_is_closed retention_for_good retention_too_young retention_unknown
return_floor_impossible round_not_set_aside rules_need_another rules_withdrawn sandbox_closed session_of_removed
shoe_is_bound spot_named_twice staff_authenticator_not_begun staff_authenticator_there staff_not_to_oneself
stake_not_makeable switch_message_too_long switch_of_the_house switch_reason_missing threshold_impossible
unknown_difference unknown_house_report unknown_matter unknown_moderation unknown_pack_link unknown_switch unknown_word
void_needs_another withdrawal_policy_impossible withdrawn_table_cannot_wait word_is_listed
""".split()


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return dict(SchemaGenerator(urlconf="casino.urls").get_schema(request=None, public=True))


def schemas(node: Any) -> Iterator[dict[str, Any]]:
    """Yield the node and all objects below it, without examples."""
    if isinstance(node, dict):
        yield node
        for key, value in node.items():
            if key not in {"example", "examples"}:
                yield from schemas(value)
    elif isinstance(node, list):
        for value in node:
            yield from schemas(value)


def fields(node: Any) -> set[str]:
    """Collect the names of properties and parameters."""
    names = set()
    for schema in schemas(node):
        names |= set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
        names |= {schema["name"]} if {"in", "name"} <= schema.keys() else set()
    return names


def test_no_field_or_parameter_has_an_old_name(document):
    assert fields(document) & set(FIELDS) == set()


@pytest.mark.parametrize("component", FIELDS_OF)
def test_no_field_has_an_old_name_that_is_in_use_elsewhere(document, component):
    assert fields(document["components"]["schemas"][component]) & set(FIELDS_OF[component].split()) == set()


def test_no_value_has_an_old_name(document):
    values = {value for schema in schemas(document) for value in [*schema.get("enum", []), schema.get("const")]}
    assert values & set(VALUES) == set()


def test_no_component_has_an_old_name(document):
    names = set(document["components"]["schemas"])
    assert names & set(COMPONENTS) == set()
    assert {name for name in names if name.endswith(COMPONENT_SUFFIXES)} == set()


def test_no_operation_has_an_old_name(document):
    operations = {
        methods[method]["operationId"] for methods in document["paths"].values() for method in METHODS & methods.keys()
    }
    assert len(operations) > 100
    assert operations & set(OPERATIONS) == set()


def test_no_path_has_an_old_name(document):
    paths = {path.removeprefix(PREFIX).rstrip("/") for path in document["paths"]}
    assert paths & set(PATHS) == set()


def test_no_problem_has_an_old_code():
    assert get_resolver().url_patterns
    assert set(all_problems()) & set(CODES) == set()
