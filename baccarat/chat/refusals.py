"""Refusals of chats and their moderation."""

from datetime import datetime

from casino.kernel.errors import Forbidden, Invalid, Missing, Refusal


class MessageEmpty(Invalid):
    title = "There is nothing in the message"
    remedy = "Send at least one character that shows."


class MessageTooLong(Invalid):
    title = "The message is too long"
    remedy = "Send at most as many characters as `max` says."
    fact_types = {"max": int, "length": int}


class MessageNotPrintable(Invalid):
    title = "The message has characters that cannot be displayed"
    remedy = "Send one line of plain text, without control or invisible characters."


class TooManyMessages(Refusal):
    title = "These are too many messages at once"
    remedy = "Wait until `retry_at`, then send it with a new Idempotency-Key."
    fact_types = {"retry_at": datetime}


class TooManyReports(Refusal):
    title = "These are too many reports at once"
    remedy = "Wait until `retry_at`, then send it with a new Idempotency-Key."
    fact_types = {"retry_at": datetime}


class OnlySeatedMayWrite(Forbidden):
    title = "Only players with a seat at the table may write"
    remedy = "Take a seat first."


class ChatIsClosed(Refusal):
    title = "You have closed the chat of this table"
    remedy = "Open it again first: PUT …/chat/open."


class PlayerIsMuted(Forbidden):
    """`until` is null for a permanent mute."""

    title = "A moderator has muted you"
    remedy = "Wait until `until`, or ask the casino's support."
    fact_types = {"until": datetime | None, "reason": str}


class UnknownMessage(Missing):
    title = "There is no such message at this table"
    remedy = "Use the id of a message in the table's chat."


class UnknownChatReport(Missing):
    title = "There is no such report"
    remedy = "List the reports and use the id of one of them."


class SeatIsEmpty(Refusal):
    title = "Nobody is in this seat"
    remedy = "Report the message instead; it identifies its writer even after the player has left."


class CannotReportYourself(Invalid):
    title = "You cannot report yourself"
    remedy = "Report another player."


class AlreadyReported(Refusal):
    title = "You have already reported this message"
    remedy = "There is nothing more to do: a moderator will look at it."


class ChatReportAlreadyClosed(Refusal):
    code = "chat_report_closed"
    title = "The report is already closed"
    remedy = "Read its outcome."


class PlayerNotMuted(Refusal):
    title = "The player is not muted"
    remedy = "There is nothing to do."


class PlayerNotBanned(Refusal):
    title = "The player is not banned"
    remedy = "There is nothing to do."


class InvalidFilterWord(Invalid):
    title = "This is not one word"
    remedy = "Send one word of 2 to 40 characters, with a letter in it and without spaces."


class NicknameNotAllowed(Invalid):
    title = "Other players must not see this nickname"
    remedy = "Choose another nickname: a word in this one is on the filter list of chats."


class FilterWordExists(Refusal):
    title = "The word is already on the list"
    remedy = "There is nothing to do: its look-alikes are masked with it."


class UnknownFilterWord(Missing):
    title = "The word is not on the list"
    remedy = "List the words and send one of your own."


class InvalidModeration(Invalid):
    title = "This is not one of the choices"
    remedy = "Choose a reason and a whole number of minutes, up to a year, or null for a permanent one."
    fact_types = {"max": int | None}


class FilterWordNotYours(Forbidden):
    title = "This list holds for all operators"
    remedy = "Add the word to your operator's own list, or ask somebody who works for all operators."
