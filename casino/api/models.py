"""Responses stored for idempotency keys."""

from django.contrib.postgres.indexes import BrinIndex
from django.db import models
from django.db.models.functions import Now


class IdempotentRequest(models.Model):
    """A completed POST: written in the transaction of its effect, so that both exist or neither does."""

    id = models.UUIDField(
        primary_key=True,
        help_text="The first half of SHA-256 of caller, method, path and Idempotency-Key.",
    )
    player_id = models.UUIDField(null=True, help_text="The player whom the response is for or about.")
    created_at = models.DateTimeField(db_default=Now())
    response = models.BinaryField(help_text="Status and body, encrypted.")

    class Meta:
        indexes = [
            # Rows are stored in the order of their times.
            BrinIndex(fields=["created_at"], name="api_idempotent_created", autosummarize=True, pages_per_range=16)
        ]

    def __str__(self) -> str:
        return str(self.id)
