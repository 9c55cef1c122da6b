"""What may be done in oversight, to significant events and cases; and erasures and exports."""

from typing import Final

from casino.staff.duties import TO_LOOSEN, Act, DutySide, Role, Signed

_COMPLIANCE: Final = (Role.COMPLIANCE,)

SET_THRESHOLDS: Final = Act(
    "significant.add_threshold",
    "set the amounts from which something is a significant event",
    DutySide.OVERSEE,
    _COMPLIANCE,
    one_more=TO_LOOSEN,
    event="config_changed",
)
RESOLVE_CASE: Final = Act(
    "compliance.resolve_case",
    "own, note and resolve cases",
    DutySide.OVERSEE,
    _COMPLIANCE,
    scope="compliance",
    assertion=Signed.ALWAYS,
)
APPROVE_ERASURE: Final = Act(
    "compliance.approve_erasure",
    "approve or decline an erasure",
    DutySide.APPROVE,
    (Role.APPROVER,),
    persons=2,
    event="data_erased",
)
APPROVE_RELEASE: Final = Act(
    "compliance.add_approval",
    "approve the release that runs",
    DutySide.OVERSEE,
    _COMPLIANCE,
    persons=2,
    event="config_changed",
)
ACTS: Final = (
    APPROVE_RELEASE,
    SET_THRESHOLDS,
    Act("significant.acknowledge_significantevent", "acknowledge significant events", DutySide.OVERSEE, _COMPLIANCE),
    RESOLVE_CASE,
    Act("compliance.export_operator", "export an operator for a regulator", DutySide.ANY, _COMPLIANCE),
    Act("compliance.export_player", "export a player's data", DutySide.ANY, (Role.COMPLIANCE, Role.SUPPORT)),
    Act("compliance.request_erasure", "request the erasure of a player", DutySide.DO, (Role.SUPPORT,)),
    APPROVE_ERASURE,
)
