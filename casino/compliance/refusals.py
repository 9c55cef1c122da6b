"""Refusals of retention, erasure, attestation and cases."""

from datetime import datetime

from casino.kernel.errors import Refusal, RefusalKind


class UnknownRetentionKind(Refusal):
    code = "unknown_retention_kind"
    kind = RefusalKind.MISSING
    title = "There is no such kind of data"
    remedy = "Choose one that `manage.py purge` lists."


class KeptPermanently(Refusal):
    code = "retention_permanent"
    kind = RefusalKind.FORBIDDEN
    title = "This is never purged"
    remedy = "Keep it: rounds and money must stay provable."


class TooRecentToPurge(Refusal):
    code = "retention_period_not_over"
    kind = RefusalKind.FORBIDDEN
    title = "The data is too recent to be purged"
    remedy = "Choose an age that is at least the retention period of policy and law."
    fact_types = {"days": int}


class AlreadyErased(Refusal):
    code = "already_erased"
    kind = RefusalKind.CONFLICT
    title = "The player is erased"
    remedy = "Look at the erasures."


class ErasureReasonMissing(Refusal):
    code = "erasure_reason_missing"
    kind = RefusalKind.INVALID
    title = "An erasure needs one of the known reasons"
    remedy = "Choose one of `reasons`. Free text might itself be personal data."
    fact_types = {"reasons": list[str]}


class PlayerStillActive(Refusal):
    code = "erasure_player_in_play"
    kind = RefusalKind.CONFLICT
    title = "The player has money, a seat, a wager or payment in progress, or is being reviewed"
    remedy = "Have the player leave the table and pay out all money first, or wait until reviews have ended."


class PlayerStillExcluded(Refusal):
    code = "erasure_player_excluded"
    kind = RefusalKind.CONFLICT
    title = "The player is excluded and would not be recognised on return"
    remedy = "Wait until the exclusion has ended; a permanent one never does."


class RetentionDutyNotEnded(Refusal):
    code = "erasure_retention_required"
    kind = RefusalKind.CONFLICT
    title = "The law requires this player's data to be kept"
    remedy = "Wait until ten years after the last use, or explicitly override the retention period."


class ApprovalReasonMissing(Refusal):
    code = "approval_reason_missing"
    kind = RefusalKind.INVALID
    title = "An approval needs a reason"
    remedy = "State which release it is and why it may run."


class UnknownCase(Refusal):
    code = "unknown_case"
    kind = RefusalKind.MISSING
    title = "There is no such case"
    remedy = "Use an id from the list of cases."


class CaseAlreadyResolved(Refusal):
    code = "case_resolved"
    kind = RefusalKind.CONFLICT
    title = "The case is resolved already"
    remedy = "Reload it: another person was quicker."


class CaseNotResolved(Refusal):
    code = "case_not_resolved"
    kind = RefusalKind.CONFLICT
    title = "The case is not resolved"
    remedy = "Write in it: it is still worked on."


class CaseSubjectOpen(Refusal):
    code = "case_open_already"
    kind = RefusalKind.CONFLICT
    title = "Another case about the same subject is open"
    remedy = "Work on that one."


class CaseOutcomeInvalid(Refusal):
    code = "case_outcome_invalid"
    kind = RefusalKind.INVALID
    title = "A complaint is resolved with an outcome, and no other case is"
    remedy = "Send `upheld`, `rejected` or `closed` for a complaint, and neither outcome nor message for other cases."


class ResolutionMissing(Refusal):
    code = "case_resolution_missing"
    kind = RefusalKind.INVALID
    title = "A case is resolved with an explanation"
    remedy = "Send a resolution of 1 to 500 characters."


class CaseEntryInvalid(Refusal):
    code = "case_entry_invalid"
    kind = RefusalKind.INVALID
    title = "This can't be written down in a case"
    remedy = (
        "Write a text of 1 to 4000 characters; a deadline has to be in the future, and a document has a number and a "
        "SHA-256 in hexadecimal."
    )


class DataExportTooSoon(Refusal):
    code = "data_export_too_soon"
    kind = RefusalKind.CONFLICT
    title = "An export of your data was requested within the last day"
    remedy = "Download that one, or request another at `next_at`."
    fact_types = {"next_at": datetime}


class DataExportNotReady(Refusal):
    code = "data_export_not_ready"
    kind = RefusalKind.CONFLICT
    title = "The export is not ready"
    remedy = "Ask for its status again in a few seconds."


class UnknownDataExport(Refusal):
    code = "unknown_data_export"
    kind = RefusalKind.MISSING
    title = "There is no such export"
    remedy = "Request one. Each is deleted after a day."
