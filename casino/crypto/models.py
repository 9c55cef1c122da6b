"""Secrets stored in the database, each encrypted under PERSONAL_KEYS from the environment."""

from typing import Self

from django.db import models
from django.db.models.functions import Now

from casino.crypto.encryption import WrappedSecret, decrypt_secret, encrypt_secret


class EncryptedSecret(models.Model):
    """A row with a secret. `manage.py rotate_personal_keys` encrypts the rows of every such model under a new key."""

    key_id = models.TextField()
    wrapped = models.BinaryField()

    class Meta:
        abstract = True

    def bound_to(self) -> bytes:
        """Return what the secret belongs to: nowhere else can it be decrypted."""
        raise NotImplementedError  # abstract: each model says so of its own rows

    def sealed(self, secret: bytes) -> Self:
        """Hold a secret, encrypted under the first of PERSONAL_KEYS; the row is not saved."""
        encrypted = encrypt_secret(secret, associated_data=self.bound_to())
        self.key_id, self.wrapped = encrypted.key_id, encrypted.data
        return self

    def opened(self) -> bytes:
        """Return the secret. Raises DecryptionFailed."""
        return decrypt_secret(WrappedSecret(self.key_id, bytes(self.wrapped)), associated_data=self.bound_to())


class PersonalKey(EncryptedSecret):
    """A player's own key. `wrapped` becomes null when the key is destroyed."""

    player_id = models.UUIDField(primary_key=True)
    wrapped = models.BinaryField(null=True)  # type: ignore[assignment]
    made_at = models.DateTimeField(db_default=Now())
    destroyed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"player {self.player_id}"

    def bound_to(self) -> bytes:
        """Return what a player's stored key belongs to."""
        return b"casino.personal.key.v1\x00" + self.player_id.bytes


class BlindIndexKey(EncryptedSecret):
    """The one key of the blind index over players' references."""

    id = models.SmallIntegerField(primary_key=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="crypto_blindindexkey_one")]

    def __str__(self) -> str:
        return "the key of the blind index"

    def bound_to(self) -> bytes:
        """Return what the key belongs to."""
        return b"casino.personal.marks.v1\x00"
