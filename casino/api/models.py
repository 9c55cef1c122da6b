"""Responses stored for idempotency keys."""

from django.db import models
from django.db.models.functions import Now


class IdempotentRequest(models.Model):
    """A completed POST: written in the transaction of its effect, so that both exist or neither does."""

    id = models.BinaryField(
        primary_key=True,
        max_length=32,
        help_text="SHA-256 of the caller, the method, the path and the Idempotency-Key.",
    )
    response = models.BinaryField(help_text="Status and body, encrypted.")
    player_id = models.UUIDField(null=True, help_text="The player whom the response is for or about.")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["created_at"], name="api_idempotent_created")]

    def __str__(self) -> str:
        return bytes(self.id).hex()
