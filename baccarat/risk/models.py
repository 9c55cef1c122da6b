"""What players move, in quarter hours; rules and their alerts; and what staff wrote down about a player."""

from enum import StrEnum

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now


class Activity(models.Model):
    """What a player moved in a quarter of an hour, in one currency, real money: derived from sealed events.

    A withdrawal counts when it is requested, until its money is given back.
    """

    pk = models.CompositePrimaryKey("player_id", "currency", "slot")
    player_id = models.UUIDField()
    currency = models.TextField()
    slot = models.DateTimeField()
    operator_id = models.UUIDField()
    deposits = models.IntegerField()
    deposited = models.BigIntegerField()
    methods = ArrayField(models.UUIDField())
    withdrawals = models.IntegerField()
    withdrawn = models.BigIntegerField()
    rounds = models.IntegerField()
    staked = models.BigIntegerField()
    returned = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["slot", "operator_id"], name="risk_activity_slot")]

    def __str__(self) -> str:
        return f"{self.player_id} at {self.slot}"


class PlayerPair(models.Model):
    """How often two players bet in the same rounds of a table within an hour, and on opposite sides."""

    pk = models.CompositePrimaryKey("player_id", "other_id", "table_id", "currency", "slot")
    player_id = models.UUIDField(help_text="The lower of the two ids.")
    other_id = models.UUIDField()
    table_id = models.UUIDField()
    currency = models.TextField()
    slot = models.DateTimeField()
    operator_id = models.UUIDField()
    rounds = models.IntegerField()
    opposed = models.IntegerField()
    amount = models.BigIntegerField(help_text="What both had against each other: the lesser stake of each such round.")
    staked = models.BigIntegerField(help_text="What both staked in such rounds.")

    class Meta:
        indexes = [models.Index(fields=["slot"], name="risk_pair_slot")]

    def __str__(self) -> str:
        return f"{self.player_id} and {self.other_id}"


class PlayerNetwork(models.Model):
    """A network from which a player followed a table, as a keyed digest."""

    pk = models.CompositePrimaryKey("player_id", "network")
    player_id = models.UUIDField()
    network = models.BinaryField(max_length=32)
    last_used_at = models.DateTimeField(db_default=Now(), help_text="Accurate to an hour.")

    class Meta:
        indexes = [
            models.Index(fields=["network"], name="risk_network"),
            models.Index(fields=["last_used_at"], name="risk_network_age"),
        ]

    def __str__(self) -> str:
        return f"network of {self.player_id}"


class RiskRule(models.Model):
    """A version of a rule: for one operator, or for the operators of a jurisdiction. The newest counts."""

    operator_id = models.UUIDField(null=True)
    jurisdiction = models.TextField(default="", blank=True)
    kind = models.TextField()
    currency = models.TextField(default="", blank=True, help_text="Empty for all currencies.")
    enabled = models.BooleanField()
    hours = models.IntegerField()
    amount = models.BigIntegerField(null=True)
    count = models.IntegerField(null=True)
    share = models.IntegerField(null=True, help_text="In per cent.")
    reason = models.TextField()
    by = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(fields=["operator_id", "jurisdiction", "kind", "currency", "-id"], name="risk_rule_for")
        ]

    def __str__(self) -> str:
        return f"{self.kind.replace('_', ' ')} (version {self.pk})"


class RiskAlert(models.Model):
    """A rule found something about a player, or about two. The case is where staff work on it."""

    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    other_id = models.UUIDField(null=True)
    kind = models.TextField()
    currency = models.TextField()
    amount = models.BigIntegerField(null=True)
    count = models.IntegerField(null=True)
    hours = models.IntegerField()
    details = models.JSONField(help_text="What was measured, and the rule's terms; amounts as decimals.")
    slot = models.DateTimeField(help_text="The last quarter of an hour that was measured.")
    case_id = models.UUIDField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(fields=["operator_id", "-id"], name="risk_alert_operator"),
            models.Index(fields=["player_id", "kind", "slot"], name="risk_alert_player"),
            models.Index(fields=["other_id"], name="risk_alert_other", condition=models.Q(other_id__isnull=False)),
            models.Index(fields=["case_id"], name="risk_alert_case"),
        ]

    def __str__(self) -> str:
        return f"{self.kind.replace('_', ' ')} (no. {self.pk})"


class KycStatus(StrEnum):
    """How far a player's identity is verified. Values may be added."""

    UNKNOWN = "unknown"
    PENDING = "pending"
    VERIFIED = "verified"
    EXPIRED = "expired"
    FAILED = "failed"


class Screening(StrEnum):
    """What a screening elsewhere may find. Either holds the player's withdrawals. Values may be added."""

    SANCTIONS = "sanctions"
    PEP = "pep"


class PlayerStatus(models.Model):
    """A version of what is known of a player: tags, screening, how far the identity is verified. The newest counts.

    Migrations add indexes by tag and by KYC status.
    """

    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    kyc = models.TextField()
    tags = ArrayField(models.TextField())
    screening = models.JSONField(default=dict, help_text="What was found, with its date and source.")
    by = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        permissions = [
            ("assess_player", "Can assess players: notes, tags, KYC, complaints"),
            ("screen_player", "Can record what a screening found"),
        ]
        indexes = [models.Index(fields=["player_id", "-id"], name="risk_status_player")]
        verbose_name_plural = "player statuses"

    def __str__(self) -> str:
        return f"status {self.pk}"


class PlayerNote(models.Model):
    """A note about a player, encrypted under the player's key."""

    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    text = models.TextField()
    by = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["player_id", "-id"], name="risk_note_player")]

    def __str__(self) -> str:
        return f"note {self.pk}"
