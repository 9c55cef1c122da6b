from django.apps import AppConfig


class CheckpointsConfig(AppConfig):
    name = "casino.checkpoints"

    def ready(self) -> None:
        """Have checkpoints cosigned where they are signed, and publish the trusted keys."""
        from casino.api.jwks import register_keys
        from casino.checkpoints import cosigning, keyring
        from casino.observability.process import on_process_start

        on_process_start(cosigning.start)
        register_keys(keyring.published_keys)
