"""Refusals of reports."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownOperatorReport(Refusal):
    code = "unknown_report"
    kind = RefusalKind.MISSING
    title = "There is no such report"
    remedy = "Use an id from GET /api/v1/reports, or a name from GET /api/v1/report-definitions."


class UnknownFormat(Refusal):
    code = "unknown_report_format"
    kind = RefusalKind.INVALID
    title = "There is no such report format"
    remedy = "Request csv, json, pdf or xlsx."


class IntervalInvalid(Refusal):
    code = "interval_invalid"
    kind = RefusalKind.INVALID
    title = "This is not a valid interval"
    remedy = (
        "Send a date for a day, month or year, a beginning and a later end for an interval, neither for a lifetime."
    )


class InvalidSavedReport(Refusal):
    code = "saved_report_invalid"
    kind = RefusalKind.INVALID
    title = "This report cannot be saved"
    remedy = "Give it a title of at most 80 characters, an operator, and a day, month or year."


class InvalidDestination(Refusal):
    code = "report_destination_invalid"
    kind = RefusalKind.INVALID
    title = "Reports cannot be delivered there"
    remedy = "Use an e-mail address."


class IntervalNotBegun(Refusal):
    code = "interval_not_started"
    kind = RefusalKind.CONFLICT
    title = "The interval has not begun yet"
    remedy = "Choose an interval that has begun."
