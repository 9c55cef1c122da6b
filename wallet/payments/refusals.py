"""Refusals of payments."""

from datetime import datetime
from typing import Literal

from casino.kernel.errors import Amount, Forbidden, Invalid, Missing, Refusal


class UnknownDepositMethod(Missing):
    title = "There is no such deposit method"
    remedy = "Use an id from GET /api/v1/deposit-methods."


class DepositMethodUnavailable(Refusal):
    title = "The method is not available"
    remedy = "Choose another method from GET /api/v1/deposit-methods."


class DepositsAreStopped(Forbidden):
    title = "Deposits are stopped for now"
    remedy = "What you have stays yours: you can leave tables and withdraw. Come back later."
    fact_types = {"since": datetime}


class AmountOutOfRange(Invalid):
    title = "The amount is out of the method's range"
    remedy = "Send an amount from the method's minimum to its maximum."
    fact_types = {"minimum": Amount, "maximum": Amount | None, "currency": str}


class FeeExceedsAmount(Invalid):
    title = "The fee would use up the amount"
    remedy = "Send a larger amount."
    fact_types = {"fee": Amount, "currency": str}


class InvalidDepositMethod(Invalid):
    title = "The deposit method is invalid"
    remedy = "Keep 0 < minimum <= maximum, fees of zero or more, a percentage below 100, and a configured provider."


class NoEarlierDeposit(Refusal):
    title = "There is no deposit to repeat"
    remedy = "Make a first deposit with a method and an amount."


class UnknownDeposit(Missing):
    title = "There is no such deposit"
    remedy = "Use an id from GET /api/v1/me/deposits."


class UnknownWithdrawal(Missing):
    title = "There is no such withdrawal"
    remedy = "Use an id from GET /api/v1/me/withdrawals."


class WithdrawalsNotSupported(Refusal):
    title = "The method does not support withdrawals"
    remedy = "Choose a method whose `supports_withdrawals` is true."


class TooLateToCancel(Refusal):
    title = "The withdrawal can no longer be cancelled"
    remedy = "Wait for its outcome."
    fact_types = {"current_status": Literal["in_review", "sent", "paid", "returned", "rejected"]}


class NotWaitingForReview(Refusal):
    title = "The withdrawal is not waiting for review"
    remedy = "Read it again: another person was quicker."
    fact_types = {
        "current_status": Literal["requested", "held", "approved", "sent", "paid", "returned", "rejected", "cancelled"]
    }


class PaymentHeld(Refusal):
    title = "The payment is held"
    remedy = "Compliance releases or rejects it first."


class UnknownHold(Missing):
    title = "There is no such hold"
    remedy = "Use an id from GET /api/v1/holds."


class HoldDecided(Refusal):
    title = "The hold has ended"
    remedy = "Read it again: another person was quicker, or its player cancelled the withdrawal."
    fact_types = {"current_status": Literal["released", "rejected", "closed"]}


class ReleasedByItsApprover(Forbidden):
    title = "Who approved a withdrawal can't release it, and who released it can't approve it"
    remedy = "Ask another person."


class HoldReasonMissing(Invalid):
    title = "The reason is missing or too long"
    remedy = "Send 1 to 500 characters."


class WithdrawalRequiresSecondPerson(Forbidden):
    title = "The policy asks for two members of staff"
    remedy = "Request it as a change, which another member of staff confirms."


class WithdrawalTooSmall(Invalid):
    title = "The withdrawal is below the minimum"
    remedy = "Request at least `minimum`."
    fact_types = {"minimum": Amount, "currency": str}


class WithdrawalTooLarge(Invalid):
    title = "The withdrawal is above the maximum"
    remedy = "Request at most `maximum`."
    fact_types = {"maximum": Amount, "currency": str}


class TooManyWithdrawals(Refusal):
    title = "Too many withdrawals are pending"
    remedy = "Wait until one of them is paid, or cancel one."
    fact_types = {"max_pending": int, "pending_count": int}


class InvalidWithdrawalPolicy(Invalid):
    title = "The withdrawal policy is invalid"
    remedy = (
        "Keep 0 <= auto_approve_up_to <= second_approval_above, 0 < minimum <= maximum, and a percentage below 100."
    )


class UnknownProvider(Missing):
    title = "There is no such payment provider"
    remedy = "Use a provider that this service was started with."


class InvalidSignature(Forbidden):
    title = "The callback's signature is invalid"
    remedy = "Sign timestamp, nonce, method and target, and the raw body with HMAC-SHA256 under the shared secret."


class StaleTimestamp(Forbidden):
    title = "The callback's timestamp is too far from our clock"
    remedy = "Sign the callback again with the current time, in whole seconds since 1970."


class NonceReused(Refusal):
    title = "The nonce was used by another callback"
    remedy = "Use a new nonce for every callback."


class MalformedCallback(Invalid):
    title = "The callback's body is not one JSON object"
    remedy = "Send one object in UTF-8 with each member once, as the documentation shows."
