"""Who is calling: an operator's server or a player's browser."""

from dataclasses import dataclass
from uuid import UUID


def session_id(token_hash: bytes) -> str:
    """Name a player's session for good, as events do: nobody can log in by it."""
    return f"session:{token_hash.hex()[:32]}"


@dataclass(frozen=True, slots=True)
class OperatorPrincipal:
    """An operator's server, known by its key."""

    operator: UUID
    slug: str
    currency: str
    sandbox: bool
    key_id: str

    @property
    def scope(self) -> str:
        """Whose idempotency keys these are: the operator's, whichever of its keys is in use."""
        return f"operator:{self.operator}"

    @property
    def actor(self) -> str:
        """How events name this caller."""
        return f"operator:{self.key_id}"

    @property
    def cause(self) -> str:
        """What events name as the cause of what this caller does: nothing, a server has no session."""
        return ""


@dataclass(frozen=True, slots=True)
class PlayerPrincipal:
    """A player, known by a session's token; `session` is the token's hash."""

    player: UUID
    operator: UUID
    currency: str
    sandbox: bool
    session: bytes

    @property
    def scope(self) -> str:
        """Whose idempotency keys these are."""
        return f"player:{self.player}"

    @property
    def actor(self) -> str:
        """How events name this caller."""
        return f"player:{self.player}"

    @property
    def cause(self) -> str:
        """What events name as the cause of what this caller does: the session, as GLI-19 2.8.2 wants it."""
        return session_id(self.session)


Principal = OperatorPrincipal | PlayerPrincipal
