"""Refusals about operators, players and keys."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownPlayer(Refusal):
    code = "unknown_player"
    kind = RefusalKind.MISSING
    title = "There is no such player"
    remedy = "Use the id that registering the player answered."


class UnknownOperator(Refusal):
    code = "unknown_operator"
    kind = RefusalKind.MISSING
    title = "There is no such operator"
    remedy = "Create the operator first, or correct the slug."


class UnknownKey(Refusal):
    code = "unknown_key"
    kind = RefusalKind.MISSING
    title = "There is no such key"
    remedy = "Check the key id; it begins with op_."


class SlugTaken(Refusal):
    code = "slug_taken"
    kind = RefusalKind.CONFLICT
    title = "Another operator has this slug"
    remedy = "Choose another slug."


class InvalidSlug(Refusal):
    code = "invalid_slug"
    kind = RefusalKind.INVALID
    title = "This is not a slug"
    remedy = "Use lower-case letters, digits and hyphens, at most 40."


class InvalidReturnFloor(Refusal):
    code = "invalid_return_floor"
    kind = RefusalKind.INVALID
    title = "This can't be the least return of a spot"
    remedy = "Send a percentage over 0 and up to 100, with two places at most, such as 82.5."


class UnknownTimeZone(Refusal):
    code = "unknown_time_zone"
    kind = RefusalKind.INVALID
    title = "There is no such time zone"
    remedy = "Use a name of the IANA database, such as Europe/Malta."


class PlayerIsBanned(Refusal):
    """`until` is null for one who is removed for good."""

    code = "player_banned"
    kind = RefusalKind.FORBIDDEN
    title = "The player has been removed from the casino"
    remedy = "Wait until the time that `until` tells; balances are paid out by the operator's support."


class InvalidSessionLength(Refusal):
    code = "invalid_session_length"
    kind = RefusalKind.INVALID
    title = "A session can't be that long or short"
    remedy = "Ask for 60 to 86400 seconds."


class MalformedPin(Refusal):
    code = "pin_malformed"
    kind = RefusalKind.INVALID
    title = "A PIN is 4 to 12 digits"
    remedy = 'Send the digits as text, such as "482913".'


class PinNotSet(Refusal):
    code = "pin_not_set"
    kind = RefusalKind.CONFLICT
    title = "The player has no PIN"
    remedy = "Have the operator's server set one first."


class CommittedRefusal(Refusal):
    """A refusal that has changed something, so that it is committed and kept like any other effect."""


class PinWrong(CommittedRefusal):
    """`attempts_left` before the PIN is locked; at 0 it is, until `locked_until`."""

    code = "pin_wrong"
    kind = RefusalKind.FORBIDDEN
    title = "The PIN is wrong"
    remedy = "Send the right PIN with a new Idempotency-Key while there are attempts left."


class PinLocked(Refusal):
    code = "pin_locked"
    kind = RefusalKind.FORBIDDEN
    title = "The PIN is locked after too many wrong tries"
    remedy = "Wait until the time that `until` tells, or have the operator set a new PIN."
