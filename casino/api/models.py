"""Responses stored for idempotency keys."""

from django.db import models
from django.db.models.functions import Now


class IdempotentRequest(models.Model):
    """A completed POST: written in the transaction of its effect, so that both exist or neither does."""

    pk = models.CompositePrimaryKey("scope", "key")
    scope = models.TextField(help_text="Whose request it was, its method and path.")
    key = models.TextField(help_text="The caller's Idempotency-Key.")
    body_hash = models.BinaryField(help_text="HMAC-SHA-256 of the query string and the body.")
    status = models.SmallIntegerField(null=True, help_text="Null only inside the transaction that is at work.")
    response = models.TextField(null=True, help_text="The body of the answer, byte for byte.")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["created_at"], name="api_idempotent_created")]

    def __str__(self) -> str:
        return f"{self.scope} {self.key}"
