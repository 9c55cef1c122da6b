"""`manage.py rotate_personal_keys`: seal all that is personal under the first key of PERSONAL_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from casino.compliance import key_rotation


class Command(BaseCommand):
    help = (
        "Seal players' keys, the key by which references are found and the secrets of authenticators under the first "
        "key of PERSONAL_KEYS; may be broken off and repeated. When it says resealed=0, older keys can be taken away."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Say how many secrets came from which key. Raises CommandError for what no key opens."""
        done = key_rotation.rotate(actor="system:rotate_personal_keys")
        for key, count in sorted(done.moved.items()):
            self.stdout.write(f"{count} from {key} to {done.key}")
        if done.unreadable:
            names = ", ".join(done.unreadable[:10])
            raise CommandError(f"{len(done.unreadable)} secrets can't be read by any key of PERSONAL_KEYS: {names}")
        self.stdout.write(f"rotate_personal_keys: ok resealed={done.moved.total()} key={done.key}")
