from django.apps import AppConfig


class StaffConfig(AppConfig):
    name = "casino.staff"
    label = "staff"

    def ready(self) -> None:
        """Register this app's append-only tables for manifests, and what may be done to staff."""
        from casino.checkpoints import table_digests
        from casino.operators import changes
        from casino.staff import access_changes, acts, duties, identity_providers, people

        duties.register(*acts.ACTS)
        access_changes.register()
        identity_providers.register()
        changes.register_person_rule(people.is_independent)
        changes.register_person_rule(people.serves)

        table_digests.register({"staff_signin": "id", "staff_accesslogentry": "id"})
