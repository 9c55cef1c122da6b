"""What may be done to feeds."""

from typing import Final

from casino.staff.duties import Act, DutySide, Role

CHANGE_WEBHOOK: Final = Act(
    "feed.change_webhookendpoint",
    "pause, resume and replay webhooks",
    DutySide.ADMINISTER,
    (Role.ADMINISTRATOR,),
    scope="configure",
    event="config_changed",
)
ACTS: Final = (CHANGE_WEBHOOK,)
