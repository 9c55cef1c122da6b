"""Refusals about the feed and webhooks."""

from casino.kernel.errors import Refusal, RefusalKind


class FeedExpired(Refusal):
    """`oldest` is the lowest number that is still there."""

    code = "feed_expired"
    kind = RefusalKind.GONE
    title = "Items after this number have expired"
    remedy = "Read the current state from the API, then continue with `after` one below `oldest`."
    fact_types = {"oldest": int}


class UnknownFeedType(Refusal):
    code = "unknown_feed_type"
    kind = RefusalKind.INVALID
    title = "There is no such type of items"
    remedy = "Use names of GET /api/v1/feed/schemas, such as round.settled, or a prefix such as round.*"


class FeedNumberAhead(Refusal):
    """`head` is the last number of the feed."""

    code = "feed_number_ahead"
    kind = RefusalKind.INVALID
    title = "The feed has no such number yet"
    remedy = "Send numbers up to `head`."
    fact_types = {"head": int}


class UnknownWebhook(Refusal):
    code = "unknown_webhook"
    kind = RefusalKind.MISSING
    title = "There is no such webhook"
    remedy = "Use the id that was returned when the webhook was registered."


class TooManyWebhooks(Refusal):
    """`limit` is the largest number of webhooks."""

    code = "too_many_webhooks"
    kind = RefusalKind.CONFLICT
    title = "There are too many webhooks"
    remedy = "Remove a webhook that you no longer need."
    fact_types = {"limit": int}


class WebhookNotPaused(Refusal):
    code = "webhook_not_paused"
    kind = RefusalKind.CONFLICT
    title = "The webhook is not paused"
    remedy = "Nothing has to be done: it is sent what is new."


class WebhookIsPaused(Refusal):
    code = "webhook_paused"
    kind = RefusalKind.CONFLICT
    title = "The webhook is paused"
    remedy = "Resume it first."
