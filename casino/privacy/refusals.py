"""What is refused about personal data and old data, and what to do about it."""

from casino.kernel.refusals import Kind, Refusal


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
