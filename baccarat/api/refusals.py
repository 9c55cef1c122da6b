"""Refusals of malformed request bodies. Serializers use these codes, and the error catalogue explains them."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownSpot(Refusal):
    code = "unknown_spot"
    kind = RefusalKind.INVALID
    title = "Unknown spot"
    remedy = "Bet on player, banker or tie."


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


class RatioMalformed(Refusal):
    code = "ratio_malformed"
    kind = RefusalKind.INVALID
    title = "This is not a ratio of two whole numbers"
    remedy = 'Send odds such as "8:1", or a share such as "5/100", of whole numbers from 1 to 99999.'
