import os
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from casino.checkpoints import keyring, signing, storage
from casino.checkpoints.signing import CannotSign
from casino.crypto.signing_keys import NONE


class Command(BaseCommand):
    """Rewrite the file that CHECKPOINT_KEYS_FILE names; without one, print the new value of CHECKPOINT_KEYS."""

    help = "Add a new first key for checkpoints. The old keys may sign for a day longer and stay trusted."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", default="", help="the new key's id (default: the current time)")

    def handle(self, *, name: str, **_: object) -> None:
        new = keyring.generate_key(name or datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ"))
        keys = new if settings.CHECKPOINT_KEYS == NONE else f"{new},{settings.CHECKPOINT_KEYS}"
        ring = keyring.parse(keys, settings.CHECKPOINT_PUBLIC_KEYS)
        file = os.environ.get("CHECKPOINT_KEYS_FILE")
        if not file:
            self.stdout.write(f"CHECKPOINT_KEYS={keys}")
            self.stderr.write("Set this in the process that signs first, and restart it. Keep it secret.")
            return
        _rewrite(Path(file), keys)
        settings.CHECKPOINT_KEYS = keys
        try:
            checkpoint = signing.sign_now()
        except (CannotSign, storage.StorageUnavailable) as error:
            raise CommandError(f"The key is in {file}, but no checkpoint can be signed yet: {error}") from error
        result = (
            "nothing is sealed yet" if checkpoint is None else f"checkpoint {checkpoint.number} is by {checkpoint.key}"
        )
        self.stdout.write(f"{ring.active} {ring.public[ring.active].hex()} is in {file}; {result}")


def _rewrite(file: Path, keys: str) -> None:
    """Replace the file atomically; only its owner may read it."""
    draft = file.with_suffix(f".{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(keys + "\n", encoding="utf-8")
    draft.replace(file)
