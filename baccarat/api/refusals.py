"""Refusals of malformed request bodies. Structs of requests use these codes, and the error catalogue explains them."""

from casino.kernel.errors import Refusal, RefusalKind


class DuplicateSpot(Refusal):
    code = "duplicate_spot"
    kind = RefusalKind.INVALID
    title = "A spot is repeated in one wager"
    remedy = "Send each spot once, with the whole stake on it."


class DuplicateMoneyType(Refusal):
    code = "money_type_named_twice"
    kind = RefusalKind.INVALID
    title = "A money type is repeated"
    remedy = "Send each of real and play at most once."


class ContributionMalformed(Refusal):
    code = "contribution_malformed"
    kind = RefusalKind.INVALID
    title = "This is not a contribution to a cut"
    remedy = "Send 1 to 32 bytes as hex digits, two for each byte."


class NoStakes(Refusal):
    code = "no_stakes"
    kind = RefusalKind.INVALID
    title = "The wager has no stakes"
    remedy = "Send at least one stake, or leave the field out to confirm the chips on the table."
