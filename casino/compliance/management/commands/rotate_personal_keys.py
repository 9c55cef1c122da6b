"""`manage.py rotate_personal_keys`: encrypt personal data's keys under the first of PERSONAL_KEYS."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from casino.compliance import key_rotation


class Command(BaseCommand):
    help = (
        "Encrypt players' keys, the key of the blind index and the secrets of authenticators under the first key of "
        "PERSONAL_KEYS. It may be interrupted and repeated. Once it reports reencrypted=0, remove the older keys."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        result = key_rotation.rotate(actor="system:rotate_personal_keys")
        for key, count in sorted(result.moved.items()):
            self.stdout.write(f"{count} from {key} to {result.key}")
        if result.unreadable:
            names = ", ".join(result.unreadable[:10])
            raise CommandError(f"{len(result.unreadable)} secrets can't be read by any key of PERSONAL_KEYS: {names}")
        self.stdout.write(f"rotate_personal_keys: ok reencrypted={result.moved.total()} key={result.key}")
