from django.apps import AppConfig


class CryptoConfig(AppConfig):
    name = "casino.crypto"
    label = "crypto"

    def ready(self) -> None:
        """Check that this process has the keys under which the others encrypt."""
        from casino.crypto import blind_index
        from casino.observability import health

        health.readiness.register("personal_keys", blind_index.check_keys)
