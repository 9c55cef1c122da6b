"""What belongs to an API key: its limits, its signing keys, and the signatures that were used."""

from django.db import models
from django.db.models.functions import Now


class KeyLimit(models.Model):
    """How much real money an API key may move by one kind of movement in a currency, in minor units; empty for any.

    A key without limits may move any amount. A key that has one moves only what it has limits for.
    """

    id = models.BigAutoField(primary_key=True)
    key = models.ForeignKey("operators.ApiKey", models.CASCADE, related_name="limits")
    movement = models.CharField(max_length=20)
    currency = models.CharField(max_length=10)
    per_request = models.BigIntegerField(null=True)
    per_day = models.BigIntegerField(null=True)
    day = models.DateField(help_text="The day (UTC) of `moved`.")
    moved = models.BigIntegerField(default=0, help_text="Moved on that day.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "movement", "currency"], name="operators_key_limit_once")]

    def __str__(self) -> str:
        return f"{self.movement} in {self.currency}"


class SigningKey(models.Model):
    """An Ed25519 public key that verifies signatures of requests with an API key.

    An API key has two at most, so that one can take the place of the other.
    """

    id = models.BigAutoField(primary_key=True)
    key = models.ForeignKey("operators.ApiKey", models.CASCADE, related_name="signing_keys")
    keyid = models.CharField(max_length=60, help_text="`keyid` of its signatures.")
    public_key = models.BinaryField(max_length=32)
    created_at = models.DateTimeField(db_default=Now())
    last_used_at = models.DateTimeField(null=True, help_text="Accurate to half a minute.")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "keyid"], name="operators_signing_key_once")]

    def __str__(self) -> str:
        return self.keyid


class UsedSignature(models.Model):
    """The nonce of a signature that was used, until the signature would be too old anyway."""

    digest = models.BinaryField(primary_key=True, max_length=32, help_text="SHA-256 of the API key and the nonce.")
    used_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["used_at"], name="operators_signature_used")]

    def __str__(self) -> str:
        return f"signature used at {self.used_at}"
