from django.apps import AppConfig


class StaffConfig(AppConfig):
    name = "casino.staff"
    label = "staff"

    def ready(self) -> None:
        """Register this app's append-only tables for manifests, and what may be done to staff."""
        from casino.checkpoints import table_digests
        from casino.staff import access_changes, acts, duties, identity_providers

        duties.register(*acts.ACTS)
        access_changes.register()
        identity_providers.register()

        table_digests.register({"staff_signin": "id", "staff_accesslogentry": "id"})
