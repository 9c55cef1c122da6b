"""Refusals where an operator's own wallet is asked."""

from enum import StrEnum

from casino.kernel.errors import Refusal, Unavailable


class WalletCode(StrEnum):
    """Why an operator's own wallet refuses. Values may be added."""

    INSUFFICIENT_FUNDS = "insufficient_funds"
    PLAYER_UNKNOWN = "player_unknown"
    PLAYER_DISABLED = "player_disabled"
    PLAYER_EXCLUDED = "player_excluded"
    CURRENCY_DIFFERS = "currency_differs"
    LIMIT_REACHED = "limit_reached"
    LOCATION_REFUSED = "location_refused"
    TRANSACTION_CANCELLED = "transaction_cancelled"
    REFERENCE_DIFFERS = "reference_differs"
    NOT_IN_PROFILE = "not_in_profile"
    """The wallet's profile has no message for it: the wallet was not asked."""
    OTHER = "other"
    """A reason that has no word here."""


class WalletRefused(Refusal):
    """`reason` is the wallet's."""

    title = "Not taken: the casino's own wallet refused the stakes"
    remedy = "Nothing is at stake. Bet less, or ask your casino if the reason is not money."
    fact_types = {"reason": WalletCode}


class WalletDidNotAnswer(Refusal):
    title = "No answer by the casino's own wallet: nothing is at stake"
    remedy = "Should the stakes have been taken, they go back. Bet again, under another key."


class WalletUnavailable(Unavailable):
    title = "The casino's own wallet does not answer at the moment"
    remedy = "Nothing is at stake and nothing was asked. Try again in a few seconds."


class WagerBeingConfirmed(Refusal):
    code = "wager_confirming"
    title = "Another wager of this seat waits for the casino's own wallet"
    remedy = "Wait for its end, which takes seconds."


class DeferredCommissionUnavailable(Refusal):
    title = "This table collects commission later, which the casino's own wallet cannot"
    remedy = "Choose a table whose commission is taken from each win, or play money."
