"""Refusals about staff, with their remedies."""

from casino.kernel.errors import Refusal, RefusalKind


class WrongCode(Refusal):
    code = "staff_code_wrong"
    kind = RefusalKind.FORBIDDEN
    title = "This is not the code that the authenticator shows"
    remedy = "Wait for its next code; if that is wrong too, set the clock of the device."


class NothingToConfirm(Refusal):
    code = "staff_authenticator_not_started"
    kind = RefusalKind.CONFLICT
    title = "There is no authenticator to confirm"
    remedy = "Open the page again and scan what it shows."


class AlreadyEnrolled(Refusal):
    code = "staff_authenticator_exists"
    kind = RefusalKind.CONFLICT
    title = "There is an authenticator already"
    remedy = "Have an administrator take the old one away first."


class ReasonMissing(Refusal):
    code = "staff_reason_missing"
    kind = RefusalKind.INVALID
    title = "A change to somebody's access needs a reason"
    remedy = "Say why, in 3 to 500 characters."


class OwnAccessChange(Refusal):
    code = "staff_cannot_change_own_access"
    kind = RefusalKind.FORBIDDEN
    title = "Nobody changes their own access"
    remedy = "Have another administrator do it."
