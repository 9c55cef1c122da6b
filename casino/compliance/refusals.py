"""What is refused about personal data and old data, and what to do about it."""

from casino.kernel.errors import Kind, Refusal


class UnknownKeeping(Refusal):
    code = "retention_unknown"
    kind = Kind.MISSING
    title = "There is no such kind of data"
    remedy = "Choose one that `manage.py purge` lists."


class KeptForGood(Refusal):
    code = "retention_for_good"
    kind = Kind.FORBIDDEN
    title = "This is never purged"
    remedy = "Leave it: rounds and money must be provable."


class TooYoung(Refusal):
    code = "retention_too_young"
    kind = Kind.FORBIDDEN
    title = "The data is too young to be purged"
    remedy = "Ask for an age that is no less than what the policy and the law want kept."


class UnknownErasure(Refusal):
    code = "erasure_unknown"
    kind = Kind.MISSING
    title = "There is no such request for an erasure"
    remedy = "Ask for one on the player's page."


class AlreadyErased(Refusal):
    code = "erasure_done_before"
    kind = Kind.CONFLICT
    title = "The player has been erased, or that is asked for already"
    remedy = "Look at the erasures."


class ErasureDecided(Refusal):
    code = "erasure_decided"
    kind = Kind.CONFLICT
    title = "The erasure has been decided before"
    remedy = "Look at it again: somebody was quicker."


class ErasureNeedsAnother(Refusal):
    code = "erasure_needs_another"
    kind = Kind.FORBIDDEN
    title = "Who asked for an erasure can't decide it"
    remedy = "Have another person look at it."


class ErasureReasonMissing(Refusal):
    code = "erasure_reason_missing"
    kind = Kind.INVALID
    title = "An erasure needs one of the known reasons"
    remedy = "Choose one of `reasons`. Words of one's own might have to be forgotten, too."


class StillInPlay(Refusal):
    code = "erasure_still_in_play"
    kind = Kind.CONFLICT
    title = "There is money of the player's here, a seat, or a wager or payment that has not ended"
    remedy = "Have the player leave and pay everything out first."


class StillExcluded(Refusal):
    code = "erasure_still_excluded"
    kind = Kind.CONFLICT
    title = "The player is excluded, and would be unknown when coming back"
    remedy = "Wait until the exclusion has ended."


class StillToBeKept(Refusal):
    code = "erasure_still_to_be_kept"
    kind = Kind.CONFLICT
    title = "The law wants this person's data kept"
    remedy = "Wait until ten years after the last use, or say in so many words that it is erased all the same."
