from django.apps import AppConfig


class StaffConfig(AppConfig):
    name = "casino.staff"
    label = "staff"

    def ready(self) -> None:
        """Have this app's append-only tables covered by manifests."""
        from casino.checkpoints import table_digests

        table_digests.register({"staff_signin": "id", "staff_accesslogentry": "id"})
