"""What is refused about personal data and old data, and what to do about it."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownRetentionKind(Refusal):
    code = "retention_unknown"
    kind = RefusalKind.MISSING
    title = "There is no such kind of data"
    remedy = "Choose one that `manage.py purge` lists."


class KeptPermanently(Refusal):
    code = "retention_for_good"
    kind = RefusalKind.FORBIDDEN
    title = "This is never purged"
    remedy = "Leave it: rounds and money must be provable."


class TooRecentToPurge(Refusal):
    code = "retention_too_young"
    kind = RefusalKind.FORBIDDEN
    title = "The data is too young to be purged"
    remedy = "Ask for an age that is no less than what the policy and the law want kept."


class UnknownErasure(Refusal):
    code = "erasure_unknown"
    kind = RefusalKind.MISSING
    title = "There is no such request for an erasure"
    remedy = "Ask for one on the player's page."


class AlreadyErased(Refusal):
    code = "erasure_done_before"
    kind = RefusalKind.CONFLICT
    title = "The player has been erased, or that is asked for already"
    remedy = "Look at the erasures."


class ErasureDecided(Refusal):
    code = "erasure_decided"
    kind = RefusalKind.CONFLICT
    title = "The erasure has been decided before"
    remedy = "Look at it again: somebody was quicker."


class ErasureNeedsSecondPerson(Refusal):
    code = "erasure_needs_another"
    kind = RefusalKind.FORBIDDEN
    title = "Who asked for an erasure can't decide it"
    remedy = "Have another person look at it."


class ErasureReasonMissing(Refusal):
    code = "erasure_reason_missing"
    kind = RefusalKind.INVALID
    title = "An erasure needs one of the known reasons"
    remedy = "Choose one of `reasons`. Words of one's own might have to be forgotten, too."


class PlayerStillActive(Refusal):
    code = "erasure_still_in_play"
    kind = RefusalKind.CONFLICT
    title = "There is money of the player's here, a seat, or a wager or payment that has not ended"
    remedy = "Have the player leave and pay everything out first."


class PlayerStillExcluded(Refusal):
    code = "erasure_still_excluded"
    kind = RefusalKind.CONFLICT
    title = "The player is excluded, and would be unknown when coming back"
    remedy = "Wait until the exclusion has ended."


class RetentionDutyNotEnded(Refusal):
    code = "erasure_still_to_be_kept"
    kind = RefusalKind.CONFLICT
    title = "The law wants this person's data kept"
    remedy = "Wait until ten years after the last use, or say in so many words that it is erased all the same."
