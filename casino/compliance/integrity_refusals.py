"""Why a release can't be approved."""

from casino.kernel.errors import Refusal, RefusalKind


class ApprovalReasonMissing(Refusal):
    code = "approval_reason_missing"
    kind = RefusalKind.INVALID
    title = "An approval is explained in words"
    remedy = "Say which release it is, and why it may run."
