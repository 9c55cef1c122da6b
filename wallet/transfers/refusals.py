"""Refusals of transfers."""

from casino.kernel.errors import Missing, Refusal


class ReferenceDiffers(Refusal):
    title = "This reference belongs to another transfer"
    remedy = "Send the transfer again as it was, or a new one under a reference of its own."


class UnknownTransfer(Missing):
    title = "There is no transfer with this reference"
    remedy = "Use a reference of yours from GET /api/v1/transfers. What is not there has moved no money."
