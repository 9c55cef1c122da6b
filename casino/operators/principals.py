"""Who is calling: an operator's server or a player's browser."""

from dataclasses import dataclass
from uuid import UUID


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


Principal = OperatorPrincipal | PlayerPrincipal
