"""What may be done to operators: their keys, brands, currencies and settings, and changes that several agree on."""

from typing import Final

from casino.staff.duties import ANY_SCOPE, Act, DutySide, Role

_ACCESS: Final = "access_changed"
_CONFIG: Final = "config_changed"
_ADMINISTRATOR: Final = (Role.ADMINISTRATOR,)

REGISTER_ASSERTION_KEY: Final = Act(
    "operators.add_assertionkey",
    "register keys of assertions",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    persons=2,
    event=_ACCESS,
    tells="as whom it can act, who asked",
)
CHANGE_OPERATOR: Final = Act(
    "operators.change_operator",
    "set the contact of customer care and the web origins, require or waive signatures",
    DutySide.DO,
    (Role.SUPPORT,),
    scope="configure",
    event=_CONFIG,
)
DECIDE_CHANGE: Final = Act(
    "operators.change_change",
    "decide requested changes, each with the function that it needs besides",
    DutySide.ANY,
    (Role.APPROVER, Role.COMPLIANCE, Role.ADMINISTRATOR),
    scope="configure",
    assertion=True,
)
OPEN_SESSION: Final = Act("operators.open_session", "open players' sessions, set their PINs", DutySide.DO, scope="play")
OWN_KEY: Final = Act(
    "operators.change_own_key",
    "rotate itself, add and remove its own signing keys",
    DutySide.ADMINISTER,
    scope=ANY_SCOPE,
    event=_ACCESS,
)
ACTS: Final = (
    OPEN_SESSION,
    OWN_KEY,
    REGISTER_ASSERTION_KEY,
    Act(
        "operators.delete_assertionkey", "remove keys of assertions", DutySide.ADMINISTER, _ADMINISTRATOR, event=_ACCESS
    ),
    Act(
        "operators.change_apikey",
        "issue, rotate, limit and revoke API keys, add and remove their signing keys",
        DutySide.ADMINISTER,
        _ADMINISTRATOR,
        event=_ACCESS,
    ),
    Act("operators.add_operator", "create operators", DutySide.ADMINISTER, event=_CONFIG),
    Act("operators.add_brand", "create brands", DutySide.ADMINISTER, _ADMINISTRATOR, event=_CONFIG),
    Act("operators.add_declaredcurrency", "choose the currencies", DutySide.ADMINISTER, _ADMINISTRATOR, event=_CONFIG),
    CHANGE_OPERATOR,
    Act(
        "operators.add_limitsgroup",
        "set limits of groups of players",
        DutySide.APPROVE,
        (Role.APPROVER,),
        event=_CONFIG,
    ),
    Act("operators.change_playersession", "end players' sessions", DutySide.ANY, (Role.SUPPORT,)),
    DECIDE_CHANGE,
)
