"""What may be done to operators: their keys, brands, currencies and settings, and changes that several agree on."""

from typing import Final

from casino.staff.duties import ANY_SCOPE, Act, DutySide, Role, Signed

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
    "set the contact of customer care",
    DutySide.DO,
    (Role.SUPPORT,),
    event=_CONFIG,
)
CHANGE_KEY: Final = Act(
    "operators.change_apikey",
    "issue and rotate API keys, widen what they may do, raise and remove their limits; alone: the opposite, revoke",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    persons=2,
    event=_ACCESS,
    tells="the operator's administrators",
)
SET_ORIGINS: Final = Act(
    "operators.set_origins",
    "add web origins; alone: remove them",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    scope="configure",
    assertion=Signed.LIVE,
    persons=2,
    event=_CONFIG,
    tells="the operator's administrators",
)
SET_STAFF_NETWORKS: Final = Act(
    "operators.set_staff_networks",
    "widen where an operator's staff sign in from; alone: narrow it",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    persons=2,
    event=_ACCESS,
    tells="the operator's administrators",
)
REQUIRE_SIGNATURES: Final = Act(
    "operators.require_signatures",
    "accept unsigned requests; alone: require signatures",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    persons=2,
    event=_ACCESS,
    tells="the operator's administrators",
)
DECIDE_CHANGE: Final = Act(
    "operators.change_change",
    "decide requested changes, each with the function, or the scope, that it needs besides",
    DutySide.ANY,
    (Role.APPROVER, Role.COMPLIANCE, Role.ADMINISTRATOR, Role.CASHIER, Role.DUTY_MANAGER),
    scope=ANY_SCOPE,
    assertion=Signed.ALWAYS,
)
ADD_SIGNING_KEY: Final = Act(
    "operators.add_signingkey",
    "add signing keys to API keys",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    scope="configure",
    assertion=Signed.LIVE,
    persons=2,
    event=_ACCESS,
    tells="the operator's administrators",
)
OPEN_SESSION: Final = Act(
    "operators.open_session", "open players' sessions, set their PINs, request new ones", DutySide.DO, scope="play"
)
UNLOCK_PIN: Final = Act(
    "operators.unlock_pin",
    "lift the locks of players' PINs",
    DutySide.DO,
    (Role.SUPPORT,),
    scope="compliance",
    event="player_data_changed",
)
OWN_KEY: Final = Act(
    "operators.change_own_key",
    "rotate itself, remove its own signing keys",
    DutySide.ADMINISTER,
    scope=ANY_SCOPE,
    event=_ACCESS,
)
ADD_OWN_SIGNING_KEY: Final = Act(
    "operators.add_own_signingkey",
    "add signing keys to itself",
    DutySide.ADMINISTER,
    scope=ANY_SCOPE,
    assertion=Signed.LIVE,
    persons=2,
    event=_ACCESS,
)
SET_BOUNDS: Final = Act(
    "operators.add_limitsgroup",
    "widen limits of groups, move players to wider ones, lower the return floor, raise and remove daily caps; alone: "
    "the opposite",
    DutySide.APPROVE,
    (Role.APPROVER,),
    persons=2,
    event=_CONFIG,
    tells="the operator's approvers",
)
ADD_OPERATOR: Final = Act("operators.add_operator", "create operators", DutySide.ADMINISTER, event=_CONFIG)
ADD_BRAND: Final = Act("operators.add_brand", "create brands", DutySide.ADMINISTER, _ADMINISTRATOR, event=_CONFIG)
SET_CURRENCIES: Final = Act(
    "operators.add_declaredcurrency",
    "choose the currencies and the time zone of accounting days",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    event=_CONFIG,
)
SET_COMPLAINT_TERMS: Final = Act(
    "operators.set_complaint_terms",
    "set what players are told of complaints, the body for disputes, the operator's own record of a player",
    DutySide.ANY,
    (Role.COMPLIANCE,),
    event=_CONFIG,
)
ACTS: Final = (
    OPEN_SESSION,
    UNLOCK_PIN,
    OWN_KEY,
    ADD_OWN_SIGNING_KEY,
    ADD_SIGNING_KEY,
    REGISTER_ASSERTION_KEY,
    Act(
        "operators.delete_assertionkey", "remove keys of assertions", DutySide.ADMINISTER, _ADMINISTRATOR, event=_ACCESS
    ),
    CHANGE_KEY,
    SET_ORIGINS,
    SET_STAFF_NETWORKS,
    REQUIRE_SIGNATURES,
    ADD_OPERATOR,
    ADD_BRAND,
    SET_CURRENCIES,
    CHANGE_OPERATOR,
    SET_BOUNDS,
    SET_COMPLAINT_TERMS,
    Act("operators.change_playersession", "end players' sessions", DutySide.ANY, (Role.SUPPORT,)),
    DECIDE_CHANGE,
)
