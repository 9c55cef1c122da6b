"""The ledger's tables as Django sees them; migrations/*.sql makes them. Written only through wallet.ledger."""

from django.db import models


class Account(models.Model):
    """Who can hold money. Never changes."""

    id = models.UUIDField(primary_key=True, editable=False)
    kind = models.TextField()
    operator_id = models.UUIDField()
    book = models.TextField()
    currency = models.TextField()
    player_id = models.UUIDField(null=True)
    table_id = models.UUIDField(null=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class Balance(models.Model):
    """What an account holds, in minor units: the sum of its postings, kept so that it can be locked and checked."""

    account = models.OneToOneField(Account, on_delete=models.DO_NOTHING, primary_key=True)
    balance = models.BigIntegerField(default=0)
    sequence = models.BigIntegerField(default=0)
    floor = models.BooleanField()

    def __str__(self) -> str:
        return f"{self.balance} on {self.account_id}"


class Entry(models.Model):
    """Postings that happened together because of one event. Never changes."""

    id = models.BigAutoField(primary_key=True)
    kind = models.TextField()
    cause = models.BigIntegerField(unique=True)
    recorded_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "entries"

    def __str__(self) -> str:
        return f"{self.kind} of event {self.cause}"


class Posting(models.Model):
    """Minor units moved on one account, the balance after it, and its gapless number there. Never changes."""

    id = models.BigAutoField(primary_key=True)
    entry = models.ForeignKey(Entry, on_delete=models.DO_NOTHING, related_name="postings")
    account = models.ForeignKey(Account, on_delete=models.DO_NOTHING, db_constraint=False, related_name="postings")
    amount = models.BigIntegerField()
    balance = models.BigIntegerField()
    sequence = models.BigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["account", "sequence"], name="wallet_posting_gapless"),
            models.UniqueConstraint(fields=["entry", "account"], name="wallet_posting_once"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} on {self.account_id}"
