"""How the wallet's events are stored and read back, old shapes included."""

from typing import Final

from casino.events.codec import Catalogue, Kind
from wallet.events import PlayerAccountOpened, SandboxCredited

CATALOGUE: Final = Catalogue([Kind(PlayerAccountOpened), Kind(SandboxCredited)])
