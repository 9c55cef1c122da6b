from django.core.management.base import BaseCommand, CommandError

from casino.checkpoints import manifests, signing, storage
from casino.checkpoints.exceptions import CannotSign


class Command(BaseCommand):
    """For whoever wants the newest rounds proven now, and not when the next checkpoint is due."""

    help = "Sign a checkpoint over all that is sealed, and an inventory of what is kept beside it; copy both outside."
    requires_system_checks = ()

    def handle(self, **_: object) -> None:
        try:
            made = signing.sign_now()
            manifests.create_manifests()
        except (CannotSign, storage.StorageUnavailable) as trouble:
            raise CommandError(f"No checkpoint can be made: {trouble}") from trouble
        if made is None:
            self.stdout.write("Nothing is sealed yet.")
        else:
            self.stdout.write(f"checkpoint {made.number}: position {made.position}, by {made.key}")
