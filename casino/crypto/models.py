"""Keys stored in the database, each encrypted under PERSONAL_KEYS from the environment."""

from django.db import models
from django.db.models.functions import Now


class PersonalKey(models.Model):
    """A player's own key. `wrapped` becomes null when the key is destroyed."""

    player_id = models.UUIDField(primary_key=True)
    key_id = models.TextField()
    wrapped = models.BinaryField(null=True)
    made_at = models.DateTimeField(db_default=Now())
    destroyed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"key of {self.player_id}"


class BlindIndexKey(models.Model):
    """The one key of the blind index over players' references."""

    id = models.SmallIntegerField(primary_key=True)
    key_id = models.TextField()
    wrapped = models.BinaryField()

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="crypto_blindindexkey_one")]

    def __str__(self) -> str:
        return "blind index key"
