import os
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from casino.checkpoints import keyring, notes, signing, storage
from casino.checkpoints.signing import CannotSign
from casino.crypto.signing_keys import NONE


class Command(BaseCommand):
    """Rewrite the file that CHECKPOINT_KEYS_FILE names; without one, print the new value of CHECKPOINT_KEYS."""

    help = (
        "Let another key sign checkpoints: a new one, or that of --name which was added --ahead. The old keys may sign "
        "for a day longer and stay trusted."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--name", default="", help="the key's id (default: the current time for a new key)")
        parser.add_argument("--ahead", action="store_true", help="add a key that does not sign yet, to be published")

    def handle(self, *, name: str, ahead: bool, **_: object) -> None:
        present = [] if settings.CHECKPOINT_KEYS == NONE else settings.CHECKPOINT_KEYS.split(",")
        waiting = [each for each in present if name and each.strip().startswith(f"{name}:")]
        if ahead and waiting:
            raise CommandError(f"There is a key {name} already.")
        new = waiting or [keyring.generate_key(name or datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ"))]
        others = [each for each in present if each not in waiting]
        keys = ",".join([*others, *new] if ahead else [*new, *others])
        ring = keyring.parse(keys, settings.CHECKPOINT_PUBLIC_KEYS)
        file = os.environ.get("CHECKPOINT_KEYS_FILE")
        if ahead:
            added = list(ring.private)[-1]
            if file:
                _rewrite(Path(file), keys)
            else:
                self.stdout.write(f"CHECKPOINT_KEYS={keys}")
            self.stderr.write("Add this to CHECKPOINT_PUBLIC_KEYS of web, and rotate to the key by its name later:")
            self.stdout.write(f"{added}:{ring.public[added].hex()}")
            return
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
        result = "nothing is sealed yet"
        if checkpoint is not None:
            result = f"checkpoint {checkpoint.size} is by {notes.signer(checkpoint)}"
        self.stdout.write(f"{ring.active} {ring.public[ring.active].hex()} is in {file}; {result}")


def _rewrite(file: Path, keys: str) -> None:
    """Replace the file atomically; only its owner may read it."""
    draft = file.with_suffix(f".{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(keys + "\n", encoding="utf-8")
    draft.replace(file)
