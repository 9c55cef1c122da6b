"""Refusals about the feed and webhooks."""

from casino.kernel.errors import Gone, Invalid, Missing, Refusal


class FeedExpired(Gone):
    """`oldest` is the lowest number that is still there."""

    title = "Items after this number have expired"
    remedy = "Read the current state from the API, then continue with `after` one below `oldest`."
    fact_types = {"oldest": int}


class UnknownFeedType(Invalid):
    title = "There is no such type of items"
    remedy = "Use names of GET /api/v1/feed/schemas, such as round.settled, or a prefix such as round.*"


class FeedNumberAhead(Invalid):
    """`head` is the last number of the feed."""

    title = "The feed has no such number yet"
    remedy = "Send numbers up to `head`. If you have read further, this is another feed, or one from before."
    fact_types = {"head": int}


class UnknownWebhook(Missing):
    title = "There is no such webhook"
    remedy = "Use the id that was returned when the webhook was registered."


class TooManyWebhooks(Refusal):
    """`limit` is the largest number of webhooks."""

    title = "There are too many webhooks"
    remedy = "Remove a webhook that you no longer need."
    fact_types = {"limit": int}


class WebhookNotPaused(Refusal):
    title = "The webhook is not paused"
    remedy = "Nothing has to be done: it is sent what is new."


class WebhookIsPaused(Refusal):
    code = "webhook_paused"
    title = "The webhook is paused"
    remedy = "Resume it first."
