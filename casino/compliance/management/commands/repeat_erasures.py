"""`manage.py repeat_erasures`: after a restore, erase again who was erased since the backup."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from casino.checkpoints.storage import StorageUnavailable
from casino.compliance import erasure_copies
from casino.compliance.erasure_copies import CopyRefused


class Command(BaseCommand):
    help = "After a restore: erase again the players who were erased since the backup was taken."
    requires_system_checks = ()

    def handle(self, **_: Any) -> None:
        try:
            repeated = erasure_copies.synchronize()
        except (StorageUnavailable, CopyRefused) as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{repeated} erasures repeated.")
