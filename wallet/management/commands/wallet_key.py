"""`manage.py wallet_key`: print the public half of WALLET_RSA_KEY, for operators whose wallets are asked as `hub88`."""

from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from casino.crypto.rsa_keys import parse_rsa_key


class Command(BaseCommand):
    help = "Print the public key that verifies requests to wallets of the profile hub88, as PEM."
    requires_system_checks = ()

    def handle(self, *_args: Any, **_options: Any) -> None:
        if not settings.WALLET_RSA_KEY:
            raise CommandError("WALLET_RSA_KEY is not set.")
        public = parse_rsa_key("WALLET_RSA_KEY", settings.WALLET_RSA_KEY).public_key()
        self.stdout.write(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode().strip())
