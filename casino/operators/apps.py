from django.apps import AppConfig


class OperatorsConfig(AppConfig):
    name = "casino.operators"
    label = "operators"

    def ready(self) -> None:
        """Let browsers call the API from operators' sites."""
        from casino.api import middleware
        from casino.operators import origins

        middleware.register_origin_check(origins.may_call)
