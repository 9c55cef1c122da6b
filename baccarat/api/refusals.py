"""Refusals of malformed request bodies. Structs of requests use these codes, and the error catalogue explains them."""

from casino.kernel.errors import Invalid


class DuplicateSpot(Invalid):
    title = "A spot is repeated in one wager"
    remedy = "Send each spot once, with the whole stake on it."


class DuplicateMoneyType(Invalid):
    code = "money_type_named_twice"
    title = "A money type is repeated"
    remedy = "Send each of real and play at most once."


class ContributionMalformed(Invalid):
    title = "This is not a contribution to a cut"
    remedy = "Send 1 to 32 bytes as hex digits, two for each byte."


class NoStakes(Invalid):
    title = "The wager has no stakes"
    remedy = "Send at least one stake, or leave the field out to confirm the chips on the table."
