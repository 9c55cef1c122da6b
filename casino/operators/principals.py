"""Authenticated callers: an operator's server or a player's browser."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID


class Scope(StrEnum):
    """What an API key may do. Every operation needs one of these."""

    READ = "read"
    PLAY = "play"
    MONEY = "money"
    COMPLIANCE = "compliance"
    STOP = "stop"
    CONFIGURE = "configure"


def session_id(token_hash: bytes) -> str:
    """Return a session's permanent id, as events have it; it cannot be used to log in."""
    return f"session:{token_hash.hex()[:32]}"


@dataclass(frozen=True, slots=True)
class OperatorPrincipal:
    """An operator's server, authenticated by its key."""

    operator: UUID
    slug: str
    currency: str
    sandbox: bool
    key_id: str
    scopes: frozenset[Scope]

    @property
    def owner(self) -> str:
        """Return the owner of idempotency keys: the operator, whichever API key is used."""
        return f"operator:{self.operator}"

    @property
    def actor(self) -> str:
        """Return the name of this caller in events."""
        return f"operator:{self.key_id}"

    @property
    def cause(self) -> str:
        """Return the cause of this caller's events: none, because a server has no session."""
        return ""


@dataclass(frozen=True, slots=True)
class PlayerPrincipal:
    """A player, authenticated by a session's token; `session` is the token's hash. Times are the database's."""

    player: UUID
    operator: UUID
    currency: str
    sandbox: bool
    session: bytes
    session_started_at: datetime
    authenticated_at: datetime

    @property
    def owner(self) -> str:
        """Return the owner of idempotency keys."""
        return f"player:{self.player}"

    @property
    def actor(self) -> str:
        """Return the name of this caller in events."""
        return f"player:{self.player}"

    @property
    def cause(self) -> str:
        """Return the cause of this caller's events: the session, as GLI-19 2.8.2 requires."""
        return session_id(self.session)


Principal = OperatorPrincipal | PlayerPrincipal
