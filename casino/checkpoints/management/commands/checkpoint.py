from django.core.management.base import BaseCommand, CommandError

from casino.checkpoints import manifests, notes, signing, storage
from casino.checkpoints.signing import CannotSign


class Command(BaseCommand):
    """Sign a checkpoint now instead of when the next one is due, for example to prove the newest rounds."""

    help = (
        "Sign a checkpoint over all sealed events and a manifest of other append-only tables; copy both to the storage."
    )
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        try:
            manifests.create_manifests()
            checkpoint = signing.sign_now()
        except (CannotSign, storage.StorageUnavailable) as error:
            raise CommandError(f"No checkpoint can be signed: {error}") from error
        if checkpoint is None:
            self.stdout.write("Nothing is sealed yet.")
        else:
            self.stdout.write(f"checkpoint {checkpoint.size} by {notes.signer(checkpoint)}")
            window = notes.protection_window()
            if window.witnesses:
                self.stdout.write(str(window))
