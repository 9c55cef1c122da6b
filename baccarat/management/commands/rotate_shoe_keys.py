"""`manage.py rotate_shoe_keys`: re-encrypt the seeds of all shoes in play with the first key of SHOE_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from baccarat.services import shoe_keys


class Command(BaseCommand):
    help = "Re-encrypt every secret seed with the first key of SHOE_KEYS; may be interrupted and repeated."
    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print the number of seeds per former key. Raises CommandError for seeds that no key decrypts."""
        rotation = shoe_keys.rotate(actor="system:rotate_shoe_keys")
        for key, count in sorted(rotation.reencrypted.items()):
            self.stdout.write(f"{count} from {key} to {rotation.key}")
        revealed = shoe_keys.reveal_overdue_seeds()
        if revealed:
            self.stdout.write(f"{revealed} seeds of void rounds revealed, which could not be read before")
        if rotation.unreadable:
            names = ", ".join(map(str, rotation.unreadable[:10]))
            raise CommandError(f"{len(rotation.unreadable)} seeds can't be read by any key of SHOE_KEYS: {names}")
        count = sum(rotation.reencrypted.values())
        self.stdout.write(f"rotate_shoe_keys: ok reencrypted={count} key={rotation.key}")
