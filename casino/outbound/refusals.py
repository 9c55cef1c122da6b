"""Refusals of addresses to which we would connect."""

from casino.kernel.errors import Invalid


class InvalidWebhookUrl(Invalid):
    title = "Webhooks can't be sent to this address"
    remedy = "Send an https:// address of a public host, without a user name, a password or a fragment."
