from django.apps import AppConfig


class OperatorsConfig(AppConfig):
    name = "casino.operators"
    label = "operators"

    def ready(self) -> None:
        """Register origins, what may be done, what two persons may change, and the configured currencies."""
        from django.conf import settings

        from casino.api import middleware
        from casino.kernel import money
        from casino.observability import health
        from casino.operators import acts, assertions, bounds, currencies, key_changes, origins, set_up
        from casino.staff import duties

        duties.register(*acts.ACTS)
        assertions.register_change()
        key_changes.register()
        bounds.register()
        set_up.register()
        middleware.register_origin_check(origins.may_call)
        money.declare(settings.CURRENCIES)
        health.readiness.register("currencies", currencies.check_decimals)
