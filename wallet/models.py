"""Models of the wallet. Migrations create the tables from SQL; the ledger is written only by wallet.ledger.store."""

from django.db import models


class Account(models.Model):
    """An account of a player, a table or an operator. Never changes."""

    id = models.UUIDField(primary_key=True, editable=False)
    kind = models.TextField()
    operator_id = models.UUIDField()
    money_type = models.TextField()
    currency = models.TextField()
    player_id = models.UUIDField(null=True)
    table_id = models.UUIDField(null=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class Balance(models.Model):
    """The balance of an account in minor units: the sum of its postings, stored for locks and checks."""

    # Without a foreign key: dropping a replaced projection would lock the accounts.
    account = models.OneToOneField(Account, on_delete=models.DO_NOTHING, db_constraint=False, primary_key=True)
    balance = models.BigIntegerField(default=0)
    sequence = models.BigIntegerField(default=0)
    floor = models.BooleanField()

    def __str__(self) -> str:
        return f"{self.balance} on {self.account_id}"


class Entry(models.Model):
    """Postings made together because of one event, whose id is the entry's. Never changes."""

    cause = models.BigIntegerField(primary_key=True)
    recorded_at = models.DateTimeField()
    kind = models.TextField()
    operator_id = models.UUIDField(null=True)

    class Meta:
        verbose_name = "ledger entry"
        verbose_name_plural = "ledger entries"

    def __str__(self) -> str:
        return f"{self.kind.replace('_', ' ')} of event {self.cause}"


class Posting(models.Model):
    """A change of one account in minor units, the balance after it, and its gapless number. Never changes."""

    pk = models.CompositePrimaryKey("account_id", "sequence")
    entry = models.ForeignKey(Entry, on_delete=models.DO_NOTHING, related_name="postings")
    account = models.ForeignKey(Account, on_delete=models.DO_NOTHING, db_constraint=False, related_name="postings")
    amount = models.BigIntegerField()
    balance = models.BigIntegerField()
    sequence = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.amount} on {self.account_id}"


class DepositMethod(models.Model):
    """One version of an operator's deposit method. Never changes; a change is the next version."""

    id = models.BigAutoField(primary_key=True)
    method_id = models.UUIDField()
    version = models.IntegerField()
    operator_id = models.UUIDField()
    name = models.TextField()
    provider = models.TextField()
    currency = models.TextField()
    minimum = models.BigIntegerField()
    maximum = models.BigIntegerField()
    fee_fixed = models.BigIntegerField()
    fee_ppm = models.IntegerField()
    processing_seconds = models.IntegerField()
    supports_withdrawals = models.BooleanField()
    enabled = models.BooleanField()
    actor = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        db_table = "wallet_deposit_method"

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}"


class Payment(models.Model):
    """Common fields of deposits and withdrawals."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    method_id = models.UUIDField()
    method_version = models.IntegerField()
    provider = models.TextField()
    currency = models.TextField()
    amount = models.BigIntegerField()
    status = models.TextField()
    reference = models.TextField(null=True)
    reason = models.TextField()
    requested_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    version = models.IntegerField()

    class Meta:
        abstract = True


class Deposit(Payment):
    """A deposit: a projection of its events."""

    fee = models.BigIntegerField()
    debt_created = models.BigIntegerField()

    def __str__(self) -> str:
        return f"deposit {self.id}"


class Withdrawal(Payment):
    """A withdrawal: a projection of its events."""

    approvals_required = models.IntegerField()
    approved_by = models.TextField()
    rejected_by = models.TextField(null=True)
    owner = models.TextField(null=True)
    note = models.TextField()
    fee = models.BigIntegerField()

    def __str__(self) -> str:
        return f"withdrawal {self.id}"


class Hold(models.Model):
    """What keeps a withdrawal from being sent, until compliance decides: a projection of its events."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    withdrawal_id = models.UUIDField()
    currency = models.TextField()
    amount = models.BigIntegerField()
    causes = models.TextField()
    status = models.TextField()
    owner = models.TextField(null=True)
    told = models.IntegerField()
    tell_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField()
    decided_by = models.TextField()
    reason = models.TextField()
    placed_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    version = models.IntegerField()

    class Meta:
        verbose_name = "held payment"
        permissions = [
            ("decide_hold", "Can release or reject held payments"),
            ("freeze_player", "Can freeze a player's account"),
            ("unfreeze_player", "Can lift the freeze of a player's account"),
        ]

    def __str__(self) -> str:
        return f"hold {self.id}"


class PlayerRestrictions(models.Model):
    """Limits, pending increases, exclusion and block of a player: a projection of its events."""

    player_id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    state = models.JSONField()
    excluded_until = models.DateTimeField(null=True)
    self_excluded = models.BooleanField()
    blocked = models.BooleanField()
    frozen = models.BooleanField()
    version = models.IntegerField()

    class Meta:
        verbose_name = "player's limits"
        verbose_name_plural = "players' limits"
        permissions = [("exclude_player", "Can exclude a player from deposits and play")]

    def __str__(self) -> str:
        return f"limits of {self.player_id}"


class PlayerTableLimit(models.Model):
    """The limit per spot that a player has set in the currency of an account, in minor units; NULL for none.

    A projection of its events.
    """

    account_id = models.UUIDField(primary_key=True)
    player_id = models.UUIDField()
    operator_id = models.UUIDField()
    currency = models.TextField()
    amount = models.BigIntegerField(null=True)
    set_at = models.DateTimeField()
    next_change_at = models.DateTimeField()
    version = models.IntegerField()

    class Meta:
        db_table = "wallet_table_limit"

    def __str__(self) -> str:
        return f"table limit of {self.player_id}"


class OperatorFunding(models.Model):
    """How an operator's players come by money since its last change: a projection of its events."""

    operator_id = models.UUIDField(primary_key=True)
    funding = models.TextField()
    wallet_url = models.TextField(db_default="")
    wallet_profile = models.TextField(db_default="standard")
    since = models.DateTimeField()
    version = models.IntegerField()

    class Meta:
        db_table = "wallet_funding"

    def __str__(self) -> str:
        return f"funding of {self.operator_id}"


class Transfer(models.Model):
    """A transfer between an operator's own wallet and a player's account: a projection of its event."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    reference = models.TextField()
    direction = models.TextField()
    money_type = models.TextField()
    currency = models.TextField()
    amount = models.BigIntegerField()
    everything = models.BooleanField()
    balance = models.BigIntegerField()
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"transfer {self.reference}"


class RemoteTransaction(models.Model):
    """A transaction with an operator's own wallet: a projection of its events."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    table_id = models.UUIDField()
    round_id = models.UUIDField()
    wager_id = models.UUIDField()
    kind = models.TextField()
    concerns_id = models.UUIDField(null=True)
    request_id = models.UUIDField(null=True)
    currency = models.TextField()
    amount = models.BigIntegerField()
    status = models.TextField()
    reference = models.TextField()
    code = models.TextField()
    rollback_id = models.UUIDField(null=True)
    reason = models.TextField()
    found = models.BooleanField(null=True)
    answer_by = models.DateTimeField(null=True)
    requested_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    version = models.IntegerField()

    class Meta:
        db_table = "wallet_remote"
        verbose_name = "wallet transaction"

    def __str__(self) -> str:
        return f"{self.kind} {self.id}"


class Adjustment(models.Model):
    """A manual adjustment of a player's account: a projection of its events."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    money_type = models.TextField()
    currency = models.TextField()
    direction = models.TextField()
    amount = models.BigIntegerField()
    reason = models.TextField()
    note = models.TextField()
    message = models.TextField()
    requested_by = models.TextField()
    approved_by = models.TextField()
    posted_at = models.DateTimeField()
    taken = models.BigIntegerField()
    owed = models.BigIntegerField()

    class Meta:
        permissions = [
            ("request_adjustment", "Can request an adjustment"),
            ("approve_adjustment", "Can approve an adjustment"),
        ]

    def __str__(self) -> str:
        return f"adjustment {self.id}"


class ProviderCallback(models.Model):
    """A verified message as received, the payment that it names and whose that is, and its outcome.

    `body` is encrypted; `money` has those of its members that say what is paid.
    """

    id = models.BigAutoField(primary_key=True)
    provider = models.TextField()
    nonce = models.TextField()
    operator_id = models.UUIDField(null=True)
    player_id = models.UUIDField(null=True)
    payment_id = models.UUIDField(null=True)
    money = models.TextField()
    body = models.TextField()
    received_at = models.DateTimeField()
    attempts = models.IntegerField()
    outcome = models.TextField(null=True)
    last_error = models.TextField()

    class Meta:
        verbose_name = "provider callback"

    def __str__(self) -> str:
        return f"callback {self.id}"


class Reconciliation(models.Model):
    """The last comparison of a day with a provider in one currency: a projection of its events."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    provider = models.TextField()
    currency = models.TextField()
    day = models.DateField()
    since = models.DateTimeField()
    until = models.DateTimeField()
    ours = models.IntegerField()
    theirs = models.IntegerField()
    matched = models.IntegerField()
    amount = models.BigIntegerField()
    discrepancies = models.IntegerField()
    compared_at = models.DateTimeField()
    version = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.day} with {self.provider} in {self.currency}"


class Discrepancy(models.Model):
    """A payment on which the provider's records and ours differ: a projection of its events."""

    id = models.UUIDField(primary_key=True)
    run_id = models.UUIDField()
    operator_id = models.UUIDField(null=True)
    provider = models.TextField()
    currency = models.TextField()
    day = models.DateField()
    kind = models.TextField(null=True)
    payment = models.TextField()
    reference = models.TextField()
    type = models.TextField()
    our_amount = models.BigIntegerField(null=True)
    our_status = models.TextField(null=True)
    their_amount = models.BigIntegerField(null=True)
    their_currency = models.TextField(null=True)
    their_status = models.TextField(null=True)
    status = models.TextField()
    owner = models.TextField(null=True)
    resolution = models.TextField(null=True)
    resolved_by = models.TextField(null=True)
    found_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    version = models.IntegerField()

    class Meta:
        verbose_name_plural = "discrepancies"

    def __str__(self) -> str:
        return f"discrepancy {self.id}"


class DiscrepancyNote(models.Model):
    """A note on a discrepancy. Personal, so not in events."""

    id = models.BigAutoField(primary_key=True)
    discrepancy_id = models.UUIDField()
    actor = models.TextField()
    note = models.TextField()
    created_at = models.DateTimeField()

    class Meta:
        db_table = "wallet_discrepancy_note"

    def __str__(self) -> str:
        return f"note {self.id}"
