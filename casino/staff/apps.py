from django.apps import AppConfig


class StaffConfig(AppConfig):
    name = "casino.staff"
    label = "staff"

    def ready(self) -> None:
        """Register this app's append-only tables for manifests."""
        from casino.checkpoints import table_digests

        table_digests.register({"staff_signin": "id", "staff_accesslogentry": "id"})
