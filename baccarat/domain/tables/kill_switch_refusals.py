"""Refusals while play is stopped, and refusals to impose or lift a stop."""

from casino.kernel.errors import Refusal, RefusalKind


class PlayIsStopped(Refusal):
    """Base of refusals at a stopped table. The detail is the message shown to players."""

    kind = RefusalKind.FORBIDDEN
    remedy = "Confirmed wagers are dealt and settled; leaving, rebuying and withdrawing stay possible. Come back later."


class GamingIsStopped(PlayIsStopped):
    code = "gaming_is_stopped"
    title = "All play is stopped"


class OperatorIsStopped(PlayIsStopped):
    code = "operator_is_stopped"
    title = "All play in this casino is stopped"


class RulesAreStopped(PlayIsStopped):
    code = "rules_are_stopped"
    title = "Play by these rules is stopped"


class TableIsStopped(PlayIsStopped):
    code = "table_is_stopped"
    title = "Play at this table is stopped"


class AlreadyStopped(Refusal):
    code = "already_stopped"
    title = "This is stopped already"
    remedy = "Resume it first, should another reason stand on record."


class NotStopped(Refusal):
    code = "not_stopped"
    title = "This is not stopped"
    remedy = "List the switches to see what is; a wider one may be what holds play back."


class SwitchReasonMissing(Refusal):
    code = "stop_reason_missing"
    kind = RefusalKind.INVALID
    title = "Stopping and resuming play is explained in words"
    remedy = "Say why, in 500 characters at most."


class SwitchMessageTooLong(Refusal):
    code = "stop_message_too_long"
    kind = RefusalKind.INVALID
    title = "What players are told is too long"
    remedy = "Say it in 200 characters at most, or leave it out for the usual words."


class UnknownSwitch(Refusal):
    code = "unknown_stop_subject"
    kind = RefusalKind.MISSING
    title = "There is nothing of this name to stop or resume"
    remedy = "Name gaming, an operator, a rules version, a table or a player that exists."


class StoppedByHouse(Refusal):
    code = "stop_set_by_platform"
    kind = RefusalKind.FORBIDDEN
    title = "The house stopped this, and the house lets it go on"
    remedy = "Ask those who run the service."
