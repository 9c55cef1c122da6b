import os
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from casino.checkpoints import keyring, signing, storage
from casino.checkpoints.exceptions import CannotSign


class Command(BaseCommand):
    """Where a file holds the keys, it is rewritten; else a line is printed for whoever keeps the environment."""

    help = "Draw a new key for checkpoints, before those that there are; they may sign a day longer and stay trusted."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", default="", help="the new key's id (the time by default)")

    def handle(self, *, name: str, **_: object) -> None:
        new = keyring.generate_key(name or datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ"))
        keys = new if settings.CHECKPOINT_KEYS == keyring.NONE else f"{new},{settings.CHECKPOINT_KEYS}"
        public = keyring.parse(keys, settings.CHECKPOINT_PUBLIC_KEYS)
        file = os.environ.get("CHECKPOINT_KEYS_FILE")
        if not file:
            self.stdout.write(f"CHECKPOINT_KEYS={keys}")
            self.stderr.write("Set this, before all else where it signs, and restart that process. Keep it secret.")
            return
        _rewrite(Path(file), keys)
        settings.CHECKPOINT_KEYS = keys
        try:
            made = signing.sign_now()
        except (CannotSign, storage.StorageUnavailable) as trouble:
            raise CommandError(f"The key is in {file}, but no checkpoint can be made yet: {trouble}") from trouble
        signed = "nothing is sealed yet" if made is None else f"checkpoint {made.number} is by {made.key}"
        self.stdout.write(f"{public.active} {public.public[public.active].hex()} is in {file}; {signed}")


def _rewrite(file: Path, keys: str) -> None:
    """Whole or not at all, for its owner only."""
    draft = file.with_suffix(f".{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(keys + "\n", encoding="utf-8")
    draft.replace(file)
