"""Who asked for whom to be forgotten, and what was decided. Kept for good; says nothing of the person."""

from django.db import models
from django.db.models.functions import Now


class Erasure(models.Model):
    """A request to erase what is personal of a player. Never changes."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    reason = models.TextField()
    overrides_retention = models.BooleanField(help_text="Although the law wants the data kept.")
    requested_by = models.TextField()
    requested_at = models.DateTimeField(db_default=Now())

    class Meta:
        permissions = [
            ("request_erasure", "Can ask for a player to be erased"),
            ("approve_erasure", "Can decide that a player is erased"),
            ("export_player", "Can export everything about a player"),
        ]
        indexes = [
            models.Index(fields=["operator_id", "-id"], name="compliance_erasure_operator"),
            models.Index(fields=["player_id"], name="compliance_erasure_player"),
        ]

    def __str__(self) -> str:
        return f"erasure {self.id}"


class Decision(models.Model):
    """What was decided about a request. Never changes; a request without one waits."""

    erasure = models.OneToOneField(Erasure, models.PROTECT, primary_key=True, related_name="decision")
    approved = models.BooleanField()
    decided_by = models.TextField()
    decided_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"decision on {self.erasure_id}"
