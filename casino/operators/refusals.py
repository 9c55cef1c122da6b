"""Refusals about operators, players and keys."""

from datetime import datetime
from typing import Annotated, Literal

from msgspec import Meta

from casino.kernel.errors import CommittedRefusal, Forbidden, Invalid, Missing, Refusal, RefusalKind
from casino.operators.principals import Scope


class UnknownPlayer(Missing):
    title = "There is no such player"
    remedy = "Use the id that was returned when the player was registered."


class UnknownOperator(Missing):
    title = "There is no such operator"
    remedy = "Create the operator first, or correct the slug."


class UnknownKey(Missing):
    title = "There is no such key"
    remedy = "Check the key id; it begins with op_."


class ScopeMissing(Forbidden):
    """`scope` is what the key would need; empty if no key may do this."""

    title = "The API key lacks the scope for this"
    remedy = "Use a key with the scope in `scope`, or have one issued in the admin."
    fact_types = {"scope": Annotated[str, Meta(extra_json_schema={"enum": [*Scope, ""]})]}


class InvalidKeyTerms(Invalid):
    title = "A key can't have these terms"
    remedy = "Choose among the documented scopes, networks such as 203.0.113.0/24, and a time in the future."


class MoneyKeyUnlimited(Invalid):
    title = "A live operator's key for money needs limits by day, networks and an end"
    remedy = (
        "Set a limit in a day for each movement, the networks of the system that uses the key, and when it expires."
    )


class KeyLimitReached(Forbidden):
    title = "The API key may not move so much money"
    remedy = "Move less, wait until the next day (UTC), or have the key's limits changed in the admin."
    fact_types = {
        "movement": Literal["credit", "debit", "deposit", "withdrawal"],
        "currency": str,
        "period": Literal["request", "day"],
    }


class DailyCapReached(Forbidden):
    title = "The casino moves no more real money like this today"
    remedy = "Wait until the casino's next accounting day, or have its cap raised by two persons in the admin."
    fact_types = {"kind": Literal["transfers_in", "wins"], "currency": str}


class InvalidDailyCap(Invalid):
    title = "The cap can't be set like this"
    remedy = "Give an amount above zero and an effect of its kind, or remove a cap that there is."


class DailyCapsSet(Refusal):
    title = "The operator has caps that count by its accounting days"
    remedy = "Remove its daily caps first, which takes two persons, and set them again afterwards."


class InvalidKeyLimit(Invalid):
    title = "A key can't have this limit"
    remedy = "Set an amount of zero or more, by request, by day, or both."


class RotationUnderWay(Refusal):
    """`until` is when the previous secret ends."""

    title = "The secret is being rotated already"
    remedy = "Use the newest secret, and end the rotation once nobody needs the previous one."
    fact_types = {"until": datetime}


class RotationTooQuick(Refusal):
    """`until` is how long the previous secret must stay valid."""

    title = "The previous secret of a live operator's key must stay valid for an hour"
    remedy = "Leave 3600 seconds at least, so that an unexpected rotation is noticed; staff can revoke a key at once."
    fact_types = {"until": datetime}


class NoRotation(Refusal):
    title = "The secret is not being rotated"
    remedy = "Nothing has to be done: only one secret is valid."


class PreviousSecretUsed(Refusal):
    title = "This request came with the secret that is to end"
    remedy = "Send it with the newest secret, which proves that you have it."


class SignaturesRequireKey(Refusal):
    title = "Requests can't be signed without a signing key"
    remedy = "Register a signing key of each API key first, and replace the last one before you remove it."


class InvalidSigningKey(Invalid):
    title = "Requests can't be verified with this key"
    remedy = "Send the public part of an Ed25519 key as a JWK, each key once."


class TooManySigningKeys(Refusal):
    """`limit` is the largest number of signing keys."""

    title = "There are too many signing keys"
    remedy = "Remove the one that you no longer use."
    fact_types = {"limit": int}


class UnknownSigningKey(Missing):
    title = "There is no such signing key"
    remedy = "Use a `keyid` from GET /api/v1/operator/key."


class AssertionRequired(Forbidden):
    """`header` is the header that carries the assertion."""

    title = "A person must do this"
    remedy = "Have a person on your staff sign an assertion of this request, or do it in the admin."
    fact_types = {"header": str}


class DutyMissing(Forbidden):
    """A person who is linked to a member of staff does no more by assertions than in the admin."""

    title = "None of this person's roles may do this"
    remedy = "Have a person do it whose role has the act of the operation's `x-duty`."
    fact_types = {"act": str}


class AssertionInvalid(Forbidden):
    title = "The assertion is not valid"
    remedy = "Sign it for this request with a key that is registered for your operator, as the guide to keys describes."


class AssertionExpired(Forbidden):
    title = "The assertion is too old"
    remedy = "Have the person sign another one, and check your clock."


class AssertionUsed(Forbidden):
    title = "The assertion was used before"
    remedy = "Have the person sign another one, with a `jti` of its own."


class InvalidAssertionKey(Invalid):
    title = "Assertions can't be verified with this key"
    remedy = "Register the public part of an Ed25519, P-256 or RSA key (2048 bits or more) as a JWK; each key once."


class SandboxOnly(Forbidden):
    title = "Only a sandbox operator may have this"
    remedy = "Have two members of staff register a key of your own in the admin."


class UnknownAssertionKey(Missing):
    title = "There is no such assertion key"
    remedy = "Read the operator's keys again."


class UnknownChange(Missing):
    title = "There is no such change"
    remedy = "Use an id from GET /api/v1/changes."


class ChangeDecided(Refusal):
    """`current_status` is the change's status."""

    title = "The change is already decided"
    remedy = "Read it again: another person was quicker, or it has taken effect."
    fact_types = {
        "current_status": Literal["requested", "confirmed", "effective", "declined", "cancelled", "expired", "failed"]
    }


class ChangeAlreadyRequested(Refusal):
    title = "This is already requested"
    remedy = "Confirm or decline the change that waits: list it by its kind and subject."


class ChangeIsForTheAdmin(Forbidden):
    code = "change_for_the_admin"
    title = "This change is confirmed in the admin"
    remedy = "Sign in to the admin as another person, and confirm it there."


class ChangeNeedsSecondPerson(Forbidden):
    title = "Another person must confirm this change"
    remedy = "Have someone confirm it who neither requested it nor is the person concerned, by the same door or linked."


class SlugTaken(Refusal):
    title = "Another operator has this slug"
    remedy = "Choose another slug."


class InvalidSlug(Invalid):
    title = "This is not a slug"
    remedy = "Use lower-case letters, digits and hyphens, at most 40."


class CurrenciesInvalid(Invalid):
    title = "An operator cannot offer these currencies"
    remedy = "Send 1 to 20 different codes, among them all that are offered now; the first is the default."


class CurrencyDecimalsDiffer(Refusal):
    title = "The currency is in use with other decimals"
    remedy = "Declare it with the decimals that it had, or under another code."


class UnknownBrand(Missing):
    title = "There is no such brand"
    remedy = "Use the slug of one of your brands; a key of a brand is for this brand alone."


class BrandSlugTaken(Refusal):
    title = "Another of your brands has this slug"
    remedy = "Choose another slug."


class KeyIsOfABrand(Forbidden):
    title = "A key of one brand can't do this"
    remedy = "Use a key of the operator."


class UnknownLimitsGroup(Missing):
    title = "There is no such limits group"
    remedy = "Use `standard`, or the name of a group that has limits."


class InvalidGroupLimits(Invalid):
    title = "These are not valid limits of a group"
    remedy = "Set amounts above zero, and a minimum of at most the maximum."


class InvalidReturnFloor(Invalid):
    title = "This is not a valid return floor"
    remedy = "Send a percentage over 0 and up to 100, with two decimals at most, such as 82.5."


class InvalidCustomerCare(Invalid):
    title = "Players could not use this contact"
    remedy = "Set an e-mail address, a telephone number such as +356 2123 4567, or an https:// address."


class InvalidComplaintText(Invalid):
    title = "Players could not read this text"
    remedy = "Write up to 1000 characters, in a language of two letters such as en."


class InvalidDisputeBody(Invalid):
    title = "Players could not turn to this body"
    remedy = "Set a name of up to 200 characters, and an https:// address of up to 500 or none."


class InvalidPlayerRecord(Invalid):
    title = "This is not the address of a player's record"
    remedy = "Set an https:// address with {reference} once behind the host."


class InvalidOrigin(Invalid):
    title = "This is not an origin"
    remedy = "Send scheme, host, and a port unless it is the usual one, such as https://play.example; at most 20."


class InvalidNetworks(Invalid):
    title = "These are not networks, or you are not in them"
    remedy = "Set networks such as 203.0.113.0/24, among them the one that you use."


class UnknownTimeZone(Invalid):
    title = "There is no such time zone"
    remedy = "Use a name from the IANA database, such as Europe/Malta."


class PlayerIsBanned(Forbidden):
    """`until` is null for a permanent ban."""

    code = "player_banned"
    title = "The player is banned"
    remedy = "Wait until the time in `until`; the operator's support pays out balances."
    fact_types = {"until": datetime | None}


class InvalidSessionLength(Invalid):
    title = "The length of the session is out of range"
    remedy = "Send 60 to 86400 seconds."
    fact_types = {"min": int, "max": int}


class SessionNotOpen(Refusal):
    title = "The player has no open session"
    remedy = "Launch the game again, or open a new session."


class UnknownLaunch(Missing):
    title = "There is no such launch"
    remedy = "Go back to your casino and open the game again."


class LaunchUsed(Refusal):
    title = "This game was opened before"
    remedy = "Go back to your casino and open the game again: each launch works once."


class LaunchExpired(Refusal):
    title = "This game was opened too late"
    remedy = "Go back to your casino and open the game again: a launch works for a minute."


class AddressMalformed(Invalid):
    title = "This is not an address of a page"
    remedy = "Send an absolute address of at most 2000 characters, such as https://play.example/lobby."


class OriginNotRegistered(Invalid):
    """`origin` is the one that is missing."""

    title = "The address is not of one of your sites"
    remedy = "Register its origin first, by PUT /api/v1/operator/origins or in the admin."
    fact_types = {"origin": str}


class PresetHasNoTable(Refusal):
    title = "No open table of this preset is in the lobby"
    remedy = "Open one, or launch another preset or the lobby."
    fact_types = {"preset": str}


class MalformedPin(Invalid):
    code = "pin_malformed"
    title = "A PIN is 4 to 12 digits"
    remedy = 'Send the digits as text, such as "482913".'


class PinNotSet(Refusal):
    title = "The player has no PIN"
    remedy = "Set one from the operator's server first."


class PinWrong(CommittedRefusal):
    """`attempts_left` is the number of failures that remain; at 0 the PIN is locked until `locked_until`."""

    kind = RefusalKind.FORBIDDEN
    title = "The PIN is wrong"
    remedy = "Send the correct PIN with a new Idempotency-Key while there are attempts left."
    fact_types = {"attempts_left": int, "locked_until": datetime | None}


class PinLocked(Forbidden):
    title = "The PIN is locked after too many failed attempts"
    remedy = "Wait until the time in `until`, or have the operator lift the lock."
    fact_types = {"until": datetime}


class NoPinReplacement(Refusal):
    title = "No new PIN was requested"
    remedy = "Nothing is to be done: the PIN stays as it is."


class PinReplacementWaits(Refusal):
    title = "A new PIN was requested, so this limit can't be raised"
    remedy = "Cancel the request with the old PIN, or wait until it takes effect at `replaced_at`."
    fact_types = {"replaced_at": datetime}
