"""`manage.py rotate_shoe_keys`: re-encrypt the seeds of all shoes in play with the first key of SHOE_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from baccarat.services import key_rotation, revealing


class Command(BaseCommand):
    help = "Seal every seed that is still secret under the first key of SHOE_KEYS; may be broken off and repeated."
    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print the number of seeds per former key. Raises CommandError for seeds that no key decrypts."""
        done = key_rotation.rotate(actor="system:rotate_shoe_keys")
        for key, count in sorted(done.reencrypted.items()):
            self.stdout.write(f"{count} from {key} to {done.key}")
        shown = revealing.reveal_overdue_seeds()
        if shown:
            self.stdout.write(f"{shown} seeds of void rounds revealed, which could not be read before")
        if done.unreadable:
            names = ", ".join(map(str, done.unreadable[:10]))
            raise CommandError(f"{len(done.unreadable)} seeds can't be read by any key of SHOE_KEYS: {names}")
        count = sum(done.reencrypted.values())
        self.stdout.write(f"rotate_shoe_keys: ok resealed={count} key={done.key}")
