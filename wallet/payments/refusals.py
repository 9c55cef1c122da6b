"""Refusals of payments."""

from datetime import datetime
from typing import Literal

from casino.kernel.errors import Amount, Refusal, RefusalKind


class UnknownDepositMethod(Refusal):
    code = "unknown_deposit_method"
    kind = RefusalKind.MISSING
    title = "There is no such deposit method"
    remedy = "Use an id from GET /api/v1/deposit-methods."


class DepositMethodUnavailable(Refusal):
    code = "deposit_method_unavailable"
    kind = RefusalKind.CONFLICT
    title = "The method is not available"
    remedy = "Choose another method from GET /api/v1/deposit-methods."


class DepositsAreStopped(Refusal):
    code = "deposits_are_stopped"
    kind = RefusalKind.FORBIDDEN
    title = "Deposits are stopped for now"
    remedy = "What you have stays yours: you can leave tables and withdraw. Come back later."
    fact_types = {"since": datetime}


class AmountOutOfRange(Refusal):
    code = "amount_out_of_range"
    kind = RefusalKind.INVALID
    title = "The amount is out of the method's range"
    remedy = "Send an amount from the method's minimum to its maximum."
    fact_types = {"minimum": Amount, "maximum": Amount | None, "currency": str}


class FeeExceedsAmount(Refusal):
    code = "fee_exceeds_amount"
    kind = RefusalKind.INVALID
    title = "The fee would use up the amount"
    remedy = "Send a larger amount."
    fact_types = {"fee": Amount, "currency": str}


class InvalidDepositMethod(Refusal):
    code = "invalid_deposit_method"
    kind = RefusalKind.INVALID
    title = "The deposit method is invalid"
    remedy = "Keep 0 < minimum <= maximum, fees of zero or more, a percentage below 100, and a configured provider."


class NoEarlierDeposit(Refusal):
    code = "no_earlier_deposit"
    kind = RefusalKind.CONFLICT
    title = "There is no deposit to repeat"
    remedy = "Make a first deposit with a method and an amount."


class UnknownDeposit(Refusal):
    code = "unknown_deposit"
    kind = RefusalKind.MISSING
    title = "There is no such deposit"
    remedy = "Use an id from GET /api/v1/me/deposits."


class UnknownWithdrawal(Refusal):
    code = "unknown_withdrawal"
    kind = RefusalKind.MISSING
    title = "There is no such withdrawal"
    remedy = "Use an id from GET /api/v1/me/withdrawals."


class WithdrawalsNotSupported(Refusal):
    code = "withdrawals_not_supported"
    kind = RefusalKind.CONFLICT
    title = "The method does not support withdrawals"
    remedy = "Choose a method whose `supports_withdrawals` is true."


class TooLateToCancel(Refusal):
    code = "too_late_to_cancel"
    kind = RefusalKind.CONFLICT
    title = "The withdrawal can no longer be cancelled"
    remedy = "Wait for its outcome."
    fact_types = {"current_status": Literal["in_review", "sent", "paid", "returned", "rejected"]}


class NotWaitingForReview(Refusal):
    code = "not_waiting_for_review"
    kind = RefusalKind.CONFLICT
    title = "The withdrawal is not waiting for review"
    remedy = "Read it again: another person was quicker."
    fact_types = {
        "current_status": Literal["requested", "held", "approved", "sent", "paid", "returned", "rejected", "cancelled"]
    }


class PaymentHeld(Refusal):
    code = "payment_held"
    kind = RefusalKind.CONFLICT
    title = "The payment is held"
    remedy = "Compliance releases or rejects it first."


class UnknownHold(Refusal):
    code = "unknown_hold"
    kind = RefusalKind.MISSING
    title = "There is no such hold"
    remedy = "Use an id from GET /api/v1/holds."


class HoldDecided(Refusal):
    code = "hold_decided"
    kind = RefusalKind.CONFLICT
    title = "The hold has ended"
    remedy = "Read it again: another person was quicker, or its player cancelled the withdrawal."
    fact_types = {"current_status": Literal["released", "rejected", "closed"]}


class ReleasedByItsApprover(Refusal):
    code = "released_by_its_approver"
    kind = RefusalKind.FORBIDDEN
    title = "Who approved a withdrawal can't release it, and who released it can't approve it"
    remedy = "Ask another person."


class HoldReasonMissing(Refusal):
    code = "hold_reason_missing"
    kind = RefusalKind.INVALID
    title = "The reason is missing or too long"
    remedy = "Send 1 to 500 characters."


class WithdrawalRequiresSecondPerson(Refusal):
    code = "withdrawal_requires_second_person"
    kind = RefusalKind.FORBIDDEN
    title = "The policy asks for two members of staff"
    remedy = "Request it as a change, which another member of staff confirms."


class WithdrawalTooSmall(Refusal):
    code = "withdrawal_too_small"
    kind = RefusalKind.INVALID
    title = "The withdrawal is below the minimum"
    remedy = "Request at least `minimum`."
    fact_types = {"minimum": Amount, "currency": str}


class WithdrawalTooLarge(Refusal):
    code = "withdrawal_too_large"
    kind = RefusalKind.INVALID
    title = "The withdrawal is above the maximum"
    remedy = "Request at most `maximum`."
    fact_types = {"maximum": Amount, "currency": str}


class TooManyWithdrawals(Refusal):
    code = "too_many_withdrawals"
    kind = RefusalKind.CONFLICT
    title = "Too many withdrawals are pending"
    remedy = "Wait until one of them is paid, or cancel one."
    fact_types = {"max_pending": int, "pending_count": int}


class InvalidWithdrawalPolicy(Refusal):
    code = "invalid_withdrawal_policy"
    kind = RefusalKind.INVALID
    title = "The withdrawal policy is invalid"
    remedy = (
        "Keep 0 <= auto_approve_up_to <= second_approval_above, 0 < minimum <= maximum, and a percentage below 100."
    )


class UnknownProvider(Refusal):
    code = "unknown_provider"
    kind = RefusalKind.MISSING
    title = "There is no such payment provider"
    remedy = "Use a provider that this service was started with."


class InvalidSignature(Refusal):
    code = "invalid_signature"
    kind = RefusalKind.FORBIDDEN
    title = "The callback's signature is invalid"
    remedy = "Sign timestamp, nonce, method and target, and the raw body with HMAC-SHA256 under the shared secret."


class StaleTimestamp(Refusal):
    code = "stale_timestamp"
    kind = RefusalKind.FORBIDDEN
    title = "The callback's timestamp is too far from our clock"
    remedy = "Sign the callback again with the current time, in whole seconds since 1970."


class NonceReused(Refusal):
    code = "nonce_reused"
    kind = RefusalKind.CONFLICT
    title = "The nonce was used by another callback"
    remedy = "Use a new nonce for every callback."


class MalformedCallback(Refusal):
    code = "malformed_callback"
    kind = RefusalKind.INVALID
    title = "The callback's body is not one JSON object"
    remedy = "Send one object in UTF-8 with each member once, as the documentation shows."
