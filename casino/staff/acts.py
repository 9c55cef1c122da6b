"""What may be done to staff: each act that changes their access is recorded, and what gives any takes two persons."""

from typing import Final

from casino.staff.duties import Act, DutySide, Role

_CHANGED: Final = "access_changed"
_CONCERNED: Final = "the user, who asked, who confirmed"
_ADMINISTRATOR: Final = (Role.ADMINISTRATOR,)

ASSIGN_ROLE: Final = Act(
    "staff.assign_role",
    "give roles to users, link users to persons of assertions",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    persons=2,
    event=_CHANGED,
    tells=_CONCERNED,
)
ASSIGN_OPERATOR: Final = Act(
    "staff.assign_operator",
    "say which operators users work for; alone: take operators away",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    persons=2,
    event=_CHANGED,
    tells=_CONCERNED,
)
RESET: Final = Act(
    "staff.reset_authenticator",
    "reset second factors, let users set a password or come back, change e-mail addresses; alone: set up one's own",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    persons=2,
    event=_CHANGED,
    tells=_CONCERNED,
)
DEFINE_ROLE: Final = Act(
    "staff.define_role", "make roles of functions", DutySide.ADMINISTER, persons=2, event=_CHANGED, tells="who asked"
)
MAKE_SUPERUSER: Final = Act(
    "staff.make_superuser", "make superusers", DutySide.ADMINISTER, persons=2, event=_CHANGED, tells=_CONCERNED
)
ADD_PROVIDER: Final = Act(
    "staff.add_identityprovider",
    "let an operator's staff sign in by its identity provider",
    DutySide.ADMINISTER,
    _ADMINISTRATOR,
    persons=2,
    event=_CHANGED,
    tells="who asked",
)
ACTS: Final = (
    ASSIGN_ROLE,
    ASSIGN_OPERATOR,
    RESET,
    DEFINE_ROLE,
    MAKE_SUPERUSER,
    ADD_PROVIDER,
    Act("auth.add_user", "create users, who can't sign in yet", DutySide.ADMINISTER, _ADMINISTRATOR, event=_CHANGED),
    Act(
        "auth.change_user",
        "disable users, take roles away, change names",
        DutySide.ADMINISTER,
        _ADMINISTRATOR,
        event=_CHANGED,
    ),
    Act("staff.unlock_user", "unlock users after failed logins", DutySide.ADMINISTER, _ADMINISTRATOR, event=_CHANGED),
    Act(
        "staff.delete_identityprovider",
        "remove an identity provider",
        DutySide.ADMINISTER,
        _ADMINISTRATOR,
        event=_CHANGED,
    ),
    Act(
        "staff.export_access_review",
        "export the access review, who can do what, and staff actions",
        DutySide.ANY,
        (Role.COMPLIANCE, Role.ADMINISTRATOR),
    ),
)
