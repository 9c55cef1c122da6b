from django.apps import AppConfig


class CheckpointsConfig(AppConfig):
    name = "casino.checkpoints"

    def ready(self) -> None:
        """Have checkpoints cosigned where they are signed, publish the trusted keys, and read dropped payloads."""
        from casino.api.jwks import register_keys
        from casino.checkpoints import archived_payloads, cosigning, keyring
        from casino.events import payloads
        from casino.observability.process import on_process_start

        on_process_start(cosigning.start)
        register_keys(keyring.published_keys)
        payloads.register_source(archived_payloads.find)
