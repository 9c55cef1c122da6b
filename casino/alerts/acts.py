"""What may be done about alerts. Who is woken is oversight; that one is awake, anybody on call says."""

from typing import Final

from casino.staff.duties import Act, DutySide, Role

CHANGE_LIST: Final = Act(
    "alerts.change_oncalllist",
    "choose who is alerted; alone: have lists told of more, add lists",
    DutySide.OVERSEE,
    (Role.COMPLIANCE,),
    persons=2,
    event="config_changed",
)
ACTS: Final = (
    Act(
        "alerts.acknowledge_alert",
        "acknowledge alerts when on call",
        DutySide.ANY,
        (Role.COMPLIANCE, Role.FLOOR_MANAGER, Role.DUTY_MANAGER, Role.ADMINISTRATOR),
    ),
    CHANGE_LIST,
)
