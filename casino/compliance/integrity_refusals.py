"""Why a release can't be approved."""

from casino.kernel.errors import Kind, Refusal


class ApprovalReasonMissing(Refusal):
    code = "approval_reason_missing"
    kind = Kind.INVALID
    title = "An approval is explained in words"
    remedy = "Say which release it is, and why it may run."
