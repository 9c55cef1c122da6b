"""What may be done with reports: nothing in them can be changed."""

from typing import Final

from casino.staff.duties import Act, DutySide, Role

_COMPLIANCE: Final = (Role.COMPLIANCE,)

CREATE_REPORT: Final = Act("reports.generate_report", "create reports", DutySide.ANY, _COMPLIANCE, scope="compliance")
ACTS: Final = (
    CREATE_REPORT,
    Act("reports.add_savedreport", "save reports", DutySide.ANY, _COMPLIANCE, event="config_changed"),
    Act(
        "reports.change_savedreport",
        "choose where saved reports are delivered",
        DutySide.OVERSEE,
        _COMPLIANCE,
        event="config_changed",
    ),
)
