"""Refusals to draft, publish or retire rules."""

from casino.kernel.errors import Refusal, RefusalKind


class ReturnUnderFloor(Refusal):
    code = "return_under_floor"
    kind = RefusalKind.INVALID
    title = "A spot returns less than the operator's floor"
    remedy = "For real money, send `sentence` as the acknowledgement, word by word, or raise the return."


class AcknowledgementDiffers(Refusal):
    code = "acknowledgement_differs"
    kind = RefusalKind.INVALID
    title = "These are not the words to be acknowledged"
    remedy = "Send the sentence in `sentence`, word by word."


class AcknowledgementNotNeeded(Refusal):
    code = "acknowledgement_not_needed"
    kind = RefusalKind.INVALID
    title = "There is nothing to acknowledge in these rules"
    remedy = "Leave the acknowledgement out."


class RulesUnchanged(Refusal):
    code = "rules_unchanged"
    title = "The table plays by these rules already, or is about to"
    remedy = "Change a field."


class ShuffleIsFixed(Refusal):
    code = "shuffle_is_fixed"
    kind = RefusalKind.INVALID
    title = "A table keeps its way of shuffling"
    remedy = "Open another table for rules with a shoe, or without one."


class CommittedShoeConflict(Refusal):
    code = "next_shoe_committed_to_other_rules"
    title = "The table's next shoe is committed to for other rules, which are published and wait for it"
    remedy = "Keep decks, burn and cut card of those rules, or publish once they hold."


class RetiredRulesCannotWait(Refusal):
    code = "retired_rules_cannot_wait"
    title = "These rules would wait for a shoe to end, and no round is played by the rules in force"
    remedy = "Keep decks, burn, cut card and commission, or close the table and open another."


class SeatsAreTaken(Refusal):
    code = "seats_are_taken"
    title = "Players sit in seats that these rules do not have"
    remedy = "Wait until those seats are free, or keep them."


class DraftPending(Refusal):
    code = "draft_pending"
    title = "A draft of this table waits for another person"
    remedy = "Have it published or rejected first."


class UnknownVersion(Refusal):
    code = "unknown_version"
    kind = RefusalKind.MISSING
    title = "The table's rules have no such version"
    remedy = "List the table's versions."


class UnknownDraft(Refusal):
    code = "unknown_draft"
    kind = RefusalKind.MISSING
    title = "No draft of this version waits at this table"
    remedy = "List the table's versions: it may have been decided already."


class VersionNotInForce(Refusal):
    code = "version_not_in_force"
    title = "The table does not play by this version"
    remedy = "Withdraw the version in `in_force`, if it is that one you mean."


class RulesNeedSecondPerson(Refusal):
    code = "rules_require_second_person"
    kind = RefusalKind.FORBIDDEN
    title = "Who drafted rules can't publish them"
    remedy = "Another person has to publish them."


class VersionReasonMissing(Refusal):
    code = "version_reason_missing"
    kind = RefusalKind.INVALID
    title = "Rejecting a draft or withdrawing rules is explained in words"
    remedy = "Say why, in 500 characters at most."


class RulesAreRetired(Refusal):
    code = "rules_retired"
    kind = RefusalKind.FORBIDDEN
    title = "The rules of this table are withdrawn"
    remedy = "Leaving stays possible. Play goes on when the table has new rules."
