"""Refusals of reports."""

from casino.kernel.errors import Invalid, Missing, Refusal


class UnknownOperatorReport(Missing):
    code = "unknown_report"
    title = "There is no such report"
    remedy = "Use an id from GET /api/v1/reports, or a name from GET /api/v1/report-definitions."


class UnknownFormat(Invalid):
    code = "unknown_report_format"
    title = "There is no such report format"
    remedy = "Request csv, json, pdf or xlsx."


class IntervalInvalid(Invalid):
    title = "This is not a valid interval"
    remedy = (
        "Send a date for a day, month or year, a beginning and a later end for an interval, neither for a lifetime."
    )


class InvalidSavedReport(Invalid):
    code = "saved_report_invalid"
    title = "This report cannot be saved"
    remedy = "Give it a title of at most 80 characters, an operator, and a day, month or year."


class InvalidDestination(Invalid):
    code = "report_destination_invalid"
    title = "Reports cannot be delivered there"
    remedy = "Use an e-mail address."


class IntervalNotBegun(Refusal):
    code = "interval_not_started"
    title = "The interval has not begun yet"
    remedy = "Choose an interval that has begun."
