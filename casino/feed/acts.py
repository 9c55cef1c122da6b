"""What may be done to feeds."""

from typing import Final

from casino.staff.duties import Act, DutySide, Role, Signed

CHANGE_WEBHOOK: Final = Act(
    "feed.change_webhookendpoint",
    "ask for, pause, resume, replay and remove webhooks",
    DutySide.ADMINISTER,
    (Role.ADMINISTRATOR,),
    scope="configure",
    event="config_changed",
)
REGISTER_WEBHOOK: Final = Act(
    "feed.add_webhookendpoint",
    "send an operator's feed to a webhook",
    DutySide.ADMINISTER,
    (Role.ADMINISTRATOR,),
    scope="configure",
    assertion=Signed.LIVE,
    persons=2,
    event="config_changed",
    tells="the operator's administrators",
)
ACTS: Final = (CHANGE_WEBHOOK, REGISTER_WEBHOOK)
