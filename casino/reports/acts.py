"""What may be done with reports: nothing in them can be changed."""

from typing import Final

from casino.staff.duties import Act, DutySide, Role

_COMPLIANCE: Final = (Role.COMPLIANCE,)

CREATE_REPORT: Final = Act("reports.generate_report", "create reports", DutySide.ANY, _COMPLIANCE, scope="compliance")
ADD_DESTINATION: Final = Act(
    "reports.add_reportdestination",
    "deliver saved reports to another address",
    DutySide.OVERSEE,
    _COMPLIANCE,
    persons=2,
    event="config_changed",
)
SAVE_REPORT: Final = Act("reports.add_savedreport", "save reports", DutySide.ANY, _COMPLIANCE, event="config_changed")
REMOVE_REPORT: Final = Act(
    "reports.change_savedreport",
    "remove saved reports and where they are delivered",
    DutySide.OVERSEE,
    _COMPLIANCE,
    event="config_changed",
)
ACTS: Final = (CREATE_REPORT, SAVE_REPORT, REMOVE_REPORT, ADD_DESTINATION)
