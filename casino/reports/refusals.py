"""What is refused about reports, and what to do about it."""

from casino.kernel.errors import Refusal, RefusalKind


class UnknownOperatorReport(Refusal):
    code = "unknown_report"
    kind = RefusalKind.MISSING
    title = "There is no such report"
    remedy = "Use an id from GET /api/v1/reports, or a name from GET /api/v1/report-kinds."


class UnknownFormat(Refusal):
    code = "unknown_report_format"
    kind = RefusalKind.INVALID
    title = "Reports are not to be had in this form"
    remedy = "Ask for csv, json, parquet or pdf."


class IntervalInvalid(Refusal):
    code = "interval_invalid"
    kind = RefusalKind.INVALID
    title = "This is no interval"
    remedy = (
        "Give a date for a day, month or year, a beginning and a later end for an interval, neither for life to date."
    )


class IntervalNotBegun(Refusal):
    code = "interval_not_started"
    kind = RefusalKind.CONFLICT
    title = "The interval has not begun yet"
    remedy = "Ask for one that has: nothing is recorded in the future."
