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
class BrandScope:
    """A brand of an operator, and whose players play under it."""

    id: UUID
    shares_players: bool

    @property
    def owner(self) -> UUID | None:
        """The brand that its players belong to: None for the operator's own players."""
        return None if self.shares_players else self.id


@dataclass(frozen=True, slots=True)
class OperatorPrincipal:
    """An operator's server, authenticated by its key. `brand` is that of a key which is bound to one.

    `with_previous_secret` says that the key's secret was rotated, and that this is not the newest one.
    """

    operator: UUID
    slug: str
    currencies: tuple[str, ...]
    sandbox: bool
    key_id: str
    scopes: frozenset[Scope]
    brand: BrandScope | None = None
    with_previous_secret: bool = False

    @property
    def currency(self) -> str:
        """Return the operator's default currency."""
        return self.currencies[0]

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
    """A player, authenticated by a session's token; `session` is the token's hash. Times are the database's.

    `brand` is the one under which the player plays, if any. `key_id` is the API key that opened the session; empty if
    none did.
    """

    player: UUID
    operator: UUID
    currencies: tuple[str, ...]
    sandbox: bool
    session: bytes
    session_started_at: datetime
    authenticated_at: datetime
    brand: BrandScope | None = None
    key_id: str = ""

    @property
    def currency(self) -> str:
        """Return the operator's default currency."""
        return self.currencies[0]

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
