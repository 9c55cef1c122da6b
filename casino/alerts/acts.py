"""What may be done about alerts. Who is woken is oversight; that one is awake, anybody on call says."""

from typing import Final

from casino.staff.duties import Act, DutySide, Role

ACTS: Final = (
    Act(
        "alerts.acknowledge_alert",
        "acknowledge alerts when on call",
        DutySide.ANY,
        (Role.COMPLIANCE, Role.FLOOR_MANAGER, Role.DUTY_MANAGER, Role.ADMINISTRATOR),
    ),
    Act(
        "alerts.change_oncalllist",
        "choose who is alerted",
        DutySide.OVERSEE,
        (Role.COMPLIANCE,),
        event="config_changed",
    ),
)
