"""People as actors of events, and who counts as a second one.

`staff:7` is a member of staff, known by a login to the admin; `desk:agent-17` is a person on an operator's own staff,
known by a signed assertion. Keys, players and the system are no persons. `shell:root` is whoever gave a command:
nobody who was authenticated, so that what is asked for there is confirmed by as many persons as it needs in all.
"""

import re
from typing import Final

from casino.kernel.text import fold

DESK: Final = "desk"
SHELL: Final = "shell"
STAFF: Final = "staff"
_SUBJECT: Final = re.compile(r"[a-z0-9][a-z0-9._:-]{0,59}", re.ASCII)


def normalise_subject(subject: str) -> str | None:
    """Return the one spelling of an operator's id of a person; None if it is not such an id."""
    spelling = fold(subject)
    return spelling if _SUBJECT.fullmatch(spelling) else None


def is_person(actor: str) -> bool:
    """Return whether an actor is a person who was authenticated."""
    door, _, identity = actor.partition(":")
    return door in {DESK, STAFF} and bool(identity)


def is_shell(actor: str) -> bool:
    """Return whether an actor gave a command on a machine of the installation."""
    return actor.startswith(f"{SHELL}:")


def is_another_person(actor: str, first: str) -> bool:
    """Return whether an actor is certainly another person than the first.

    Two persons who came through different doors may be one: whoever uses both is linked, and is `staff:…` at each.
    """
    one, other = fold(actor), fold(first)
    return is_person(one) and is_person(other) and one.partition(":")[0] == other.partition(":")[0] and one != other
