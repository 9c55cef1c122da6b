"""What is refused about personal data and old data, and what to do about it."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownRetentionKind(Refusal):
    code = "unknown_retention_kind"
    kind = RefusalKind.MISSING
    title = "There is no such kind of data"
    remedy = "Choose one that `manage.py purge` lists."


class KeptPermanently(Refusal):
    code = "retention_permanent"
    kind = RefusalKind.FORBIDDEN
    title = "This is never purged"
    remedy = "Leave it: rounds and money must be provable."


class TooRecentToPurge(Refusal):
    code = "retention_period_not_over"
    kind = RefusalKind.FORBIDDEN
    title = "The data is too young to be purged"
    remedy = "Ask for an age that is no less than what the policy and the law want kept."


class UnknownErasure(Refusal):
    code = "unknown_erasure"
    kind = RefusalKind.MISSING
    title = "There is no such request for an erasure"
    remedy = "Ask for one on the player's page."


class AlreadyErased(Refusal):
    code = "already_erased"
    kind = RefusalKind.CONFLICT
    title = "The player has been erased, or that is asked for already"
    remedy = "Look at the erasures."


class ErasureDecided(Refusal):
    code = "erasure_decided"
    kind = RefusalKind.CONFLICT
    title = "The erasure has been decided before"
    remedy = "Look at it again: somebody was quicker."


class ErasureNeedsSecondPerson(Refusal):
    code = "erasure_requires_second_person"
    kind = RefusalKind.FORBIDDEN
    title = "Who asked for an erasure can't decide it"
    remedy = "Have another person look at it."


class ErasureReasonMissing(Refusal):
    code = "erasure_reason_missing"
    kind = RefusalKind.INVALID
    title = "An erasure needs one of the known reasons"
    remedy = "Choose one of `reasons`. Words of one's own might have to be forgotten, too."


class PlayerStillActive(Refusal):
    code = "erasure_player_in_play"
    kind = RefusalKind.CONFLICT
    title = "There is money of the player's here, a seat, or a wager or payment that has not ended"
    remedy = "Have the player leave and pay everything out first."


class PlayerStillExcluded(Refusal):
    code = "erasure_player_excluded"
    kind = RefusalKind.CONFLICT
    title = "The player is excluded, and would be unknown when coming back"
    remedy = "Wait until the exclusion has ended."


class RetentionDutyNotEnded(Refusal):
    code = "erasure_retention_required"
    kind = RefusalKind.CONFLICT
    title = "The law wants this person's data kept"
    remedy = "Wait until ten years after the last use, or say in so many words that it is erased all the same."


class ApprovalReasonMissing(Refusal):
    code = "approval_reason_missing"
    kind = RefusalKind.INVALID
    title = "An approval needs a reason"
    remedy = "Say which release it is, and why it may run."


class UnknownCase(Refusal):
    code = "unknown_case"
    kind = RefusalKind.MISSING
    title = "There is no such case"
    remedy = "Use an id from the list of cases."


class CaseAlreadyResolved(Refusal):
    code = "case_resolved"
    kind = RefusalKind.CONFLICT
    title = "The case is resolved already"
    remedy = "Look at it again: somebody was quicker."


class ResolutionMissing(Refusal):
    code = "case_resolution_missing"
    kind = RefusalKind.INVALID
    title = "A case is resolved with an explanation"
    remedy = "Send a resolution of 1 to 500 characters."
