"""Refusals of retention, erasure, attestation and cases."""

from datetime import datetime

from casino.kernel.errors import Forbidden, Invalid, Missing, Refusal


class UnknownRetentionKind(Missing):
    title = "There is no such kind of data"
    remedy = "Choose one that `manage.py purge` lists."


class KeptPermanently(Forbidden):
    code = "retention_permanent"
    title = "This is never purged"
    remedy = "Keep it: rounds and money must stay provable."


class TooRecentToPurge(Forbidden):
    code = "retention_period_not_over"
    title = "The data is too recent to be purged"
    remedy = "Choose an age that is at least the retention period of policy and law."
    fact_types = {"days": int}


class AlreadyErased(Refusal):
    title = "The player is erased"
    remedy = "Look at the erasures."


class ErasureReasonMissing(Invalid):
    title = "An erasure needs one of the known reasons"
    remedy = "Choose one of `reasons`. Free text might itself be personal data."
    fact_types = {"reasons": list[str]}


class PlayerStillActive(Refusal):
    code = "erasure_player_in_play"
    title = "The player has money, a seat, a wager or payment in progress, or is being reviewed"
    remedy = "Have the player leave the table and pay out all money first, or wait until reviews have ended."


class PlayerStillExcluded(Refusal):
    code = "erasure_player_excluded"
    title = "The player is excluded and would not be recognised on return"
    remedy = "Wait until the exclusion has ended; a permanent one never does."


class RetentionDutyNotEnded(Refusal):
    code = "erasure_retention_required"
    title = "The law requires this player's data to be kept"
    remedy = "Wait until ten years after the last use, or explicitly override the retention period."


class ApprovalReasonMissing(Invalid):
    title = "An approval needs a reason"
    remedy = "State which release it is and why it may run."


class UnknownCase(Missing):
    title = "There is no such case"
    remedy = "Use an id from the list of cases."


class CaseAlreadyResolved(Refusal):
    code = "case_resolved"
    title = "The case is resolved already"
    remedy = "Reload it: another person was quicker."


class CaseNotResolved(Refusal):
    title = "The case is not resolved"
    remedy = "Write in it: it is still worked on."


class CaseSubjectOpen(Refusal):
    code = "case_open_already"
    title = "Another case about the same subject is open"
    remedy = "Work on that one."


class CaseOutcomeInvalid(Invalid):
    title = "A complaint is resolved with an outcome, and no other case is"
    remedy = "Send `upheld`, `rejected` or `closed` for a complaint, and neither outcome nor message for other cases."


class ResolutionMissing(Invalid):
    code = "case_resolution_missing"
    title = "A case is resolved with an explanation"
    remedy = "Send a resolution of 1 to 500 characters."


class CaseEntryInvalid(Invalid):
    title = "This can't be written down in a case"
    remedy = (
        "Write a text of 1 to 4000 characters; a deadline has to be in the future, and a document has a number and a "
        "SHA-256 in hexadecimal."
    )


class DataExportTooSoon(Refusal):
    title = "An export of your data was requested within the last day"
    remedy = "Download that one, or request another at `next_at`."
    fact_types = {"next_at": datetime}


class DataExportNotReady(Refusal):
    title = "The export is not ready"
    remedy = "Ask for its status again in a few seconds."


class UnknownDataExport(Missing):
    title = "There is no such export"
    remedy = "Request one. Each is deleted after a day."
