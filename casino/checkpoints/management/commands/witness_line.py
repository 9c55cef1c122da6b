from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from casino.checkpoints import notes
from casino.checkpoints.keyring import checkpoint_keyring
from casino.crypto import ed25519
from casino.crypto.signing_keys import parse_keys


class Command(BaseCommand):
    """One line for each pair of keys, the active ones first."""

    help = "Print the lines for a witness's file of houses: the log's verifier keys and the public closing keys."
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        closing_keys = [ed25519.public_key(raw) for _, raw in parse_keys("CLOSING_KEYS", settings.CLOSING_KEYS)]
        if not closing_keys or not checkpoint_keyring().active:
            raise CommandError("Run it where CHECKPOINT_KEYS and CLOSING_KEYS are set, as in worker-background.")
        for log_key in notes.log_keys():
            for closing_key in closing_keys:
                self.stdout.write(f"{log_key.vkey} {closing_key.hex()}")
