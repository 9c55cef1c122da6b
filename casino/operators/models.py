"""Tenants, their credentials, their players and the players' sessions."""

from django.db import models
from django.db.models.functions import Now


class Operator(models.Model):
    """A tenant: whoever runs a casino on this service."""

    id = models.UUIDField(primary_key=True)
    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=120)
    currency = models.CharField(max_length=3, help_text="ISO 4217: what its players play in.")
    sandbox = models.BooleanField(default=False, help_text="Play here is a test; credits may be made from nothing.")
    created_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.slug


class ApiKey(models.Model):
    """A credential of an operator's server. The secret is shown once; its SHA-256 stays."""

    key_id = models.CharField(primary_key=True, max_length=40)
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="keys")
    secret_hash = models.BinaryField(max_length=32)
    label = models.CharField(max_length=80, blank=True, default="")
    created_at = models.DateTimeField(db_default=Now())
    revoked_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return self.key_id


class Player(models.Model):
    """A person who plays, known to us by the operator's own reference and a nickname only."""

    id = models.UUIDField(primary_key=True)
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="players")
    reference = models.CharField(max_length=80, help_text="The operator's own id of this player.")
    nickname = models.CharField(max_length=40)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["operator", "reference"], name="operators_player_reference")]
        indexes = [models.Index(fields=["operator", "id"], name="operators_player_page")]

    def __str__(self) -> str:
        return f"{self.nickname} ({self.id})"


class PlayerSession(models.Model):
    """A player's short-lived token, kept as its SHA-256."""

    token_hash = models.BinaryField(primary_key=True, max_length=32)
    player = models.ForeignKey(Player, models.PROTECT, related_name="sessions")
    operator_id = models.UUIDField()
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["expires_at"], name="operators_session_expiry")]

    def __str__(self) -> str:
        return f"session of {self.player_id}"
