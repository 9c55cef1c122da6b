"""Refusals of transfers."""

from casino.kernel.errors import Refusal, RefusalKind


class ReferenceDiffers(Refusal):
    code = "reference_differs"
    kind = RefusalKind.CONFLICT
    title = "This reference belongs to another transfer"
    remedy = "Send the transfer again as it was, or a new one under a reference of its own."


class UnknownTransfer(Refusal):
    code = "unknown_transfer"
    kind = RefusalKind.MISSING
    title = "There is no transfer with this reference"
    remedy = "Use a reference of yours from GET /api/v1/transfers. What is not there has moved no money."
