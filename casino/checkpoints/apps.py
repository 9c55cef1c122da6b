from django.apps import AppConfig


class CheckpointsConfig(AppConfig):
    name = "casino.checkpoints"

    def ready(self) -> None:
        """Have checkpoints cosigned where they are signed."""
        from casino.checkpoints import cosigning
        from casino.observability.process import on_process_start

        on_process_start(cosigning.start)
