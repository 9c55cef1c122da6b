"""Read models of tables, rounds and wagers, rebuilt from events; and the encrypted seeds, which are not.

Amounts are minor units. `state` is the folded state as canonical JSON; `version` is the stream's version it reflects.
Only what commands need is kept folded: tables, each with its current round. Ended rounds are folded when they are read.
"""

from enum import StrEnum

from django.db import models
from django.db.models.functions import Now


class Table(models.Model):
    """Current state of a table and of its current round: the rows that commands lock.

    `in_lobby`: listed, and neither closed nor about to close. `brands`: ids of those it is for, comma separated; empty
    for all.
    """

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    name = models.TextField()
    preset = models.TextField()
    rules = models.TextField()
    currency = models.TextField()
    money_types = models.TextField()
    seats = models.IntegerField()
    seats_taken = models.IntegerField()
    round_id = models.UUIDField(null=True)
    rounds = models.IntegerField()
    suspension_reason = models.TextField(null=True)
    in_lobby = models.BooleanField()
    brands = models.TextField()
    opened_at = models.DateTimeField()
    version = models.IntegerField()
    state = models.JSONField()
    round_version = models.IntegerField(null=True)
    round_state = models.JSONField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["operator_id", "id"], name="table_operator"),
            models.Index(fields=["operator_id", "id"], name="table_lobby", condition=models.Q(in_lobby=True)),
            models.Index(fields=["rules"], name="table_rules"),
        ]
        permissions = [
            ("approve_table", "Can confirm tables that two persons agree on"),
            ("close_table", "Can close a table permanently"),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.preset})"


class DueTable(models.Model):
    """When a worker must act on a table, NULL if never: to close it, deal `round_id`, or end the show if that is NULL.

    From `links_due_at` on, anybody may ask the witnesses for links that its closings wait for, NULL if none does.

    A row of its own, because an update of an indexed column touches every index of its row.
    """

    table_id = models.UUIDField(primary_key=True)
    round_id = models.UUIDField(null=True)
    closes = models.BooleanField()
    due_at = models.DateTimeField(null=True)
    links_due_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["due_at"], name="duetable_due", condition=models.Q(due_at__isnull=False)),
            models.Index(
                fields=["links_due_at"], name="duetable_links", condition=models.Q(links_due_at__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"table {self.table_id} due at {self.due_at}"


class RoundFlag(StrEnum):
    """What sets a round apart from those that run or are settled."""

    LAPSED = "lapsed"
    SUSPENDED = "suspended"
    VOIDED = "voided"


class Round(models.Model):
    """A running or ended round. Ids ascend with time.

    `flag` is NULL for nearly all rounds: its index stays small, and a settlement changes no indexed column. `forced`
    rounds, whose cards were chosen, are in no statistics.
    """

    id = models.UUIDField(primary_key=True)
    table_id = models.UUIDField()
    operator_id = models.UUIDField()
    number = models.IntegerField()
    rules = models.TextField()
    rules_label = models.TextField()
    currency = models.TextField()
    phase = models.TextField()
    opened_at = models.DateTimeField()
    deadline_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    cards = models.TextField()
    outcome = models.TextField(null=True)
    player_total = models.IntegerField(null=True)
    banker_total = models.IntegerField(null=True)
    wagers = models.IntegerField()
    suspension_reason = models.TextField(null=True)
    flag = models.TextField(null=True)
    forced = models.BooleanField(db_default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["table_id", "number"], name="round_number")]
        indexes = [
            models.Index(fields=["operator_id", "id"], name="round_operator"),
            models.Index(
                fields=["flag", "operator_id", "id"], name="round_flag", condition=models.Q(flag__isnull=False)
            ),
            models.Index(fields=["id"], name="round_forced", condition=models.Q(forced=True)),
        ]
        permissions = [
            ("request_void", "Can request a void"),
            ("approve_void", "Can approve or decline a void"),
            ("share_dispute_pack", "Can share dispute packs by link"),
        ]

    def __str__(self) -> str:
        return f"round {self.number}"


class Wager(models.Model):
    """One seat's confirmed wager in one round, and its result. The id is the round's plus the seat."""

    id = models.UUIDField(primary_key=True)
    round_id = models.UUIDField()
    table_id = models.UUIDField()
    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    seat = models.IntegerField()
    preset = models.TextField()
    money_type = models.TextField()
    currency = models.TextField()
    stakes = models.JSONField()
    staked = models.BigIntegerField()
    won = models.BigIntegerField(null=True)
    pushed = models.BigIntegerField(null=True, help_text="Stakes that came back without a decision.")
    commission = models.BigIntegerField(null=True)
    returned = models.BigIntegerField(null=True)
    confirmed_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)
    voided_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["player_id", "round_id"], name="wager_player"),
            models.Index(fields=["round_id"], name="wager_round"),
            models.Index(fields=["staked"], name="wager_staked"),
            models.Index(
                fields=["player_id", "voided_at"], name="wager_voided", condition=models.Q(voided_at__isnull=False)
            ),
        ]

    def __str__(self) -> str:
        return f"wager {self.id}"


class Sitting(models.Model):
    """A player's present or past seat at a table; `seat` is NULL after leaving. The id combines the table's and the
    player's.

    `at` is when the player last sat down, changed seats or left.
    """

    id = models.TextField(primary_key=True)
    table_id = models.UUIDField()
    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    seat = models.IntegerField(null=True)
    money_type = models.TextField()
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["player_id", "at"], name="sitting_player"),
            models.Index(fields=["table_id", "seat"], name="sitting_table"),
            models.Index(fields=["id"], name="sitting_now", condition=models.Q(seat__isnull=False)),
        ]

    def __str__(self) -> str:
        return f"sitting {self.id}"


class KillSwitch(models.Model):
    """A stop, in force or lifted, of all gaming, an operator, rules, a table or a player. The id is scope and subject.

    `operator_id` is NULL if it reaches beyond one operator. `reason`, `rank`, `regulator_order`, `by`, `agreed_by` and
    `at` are those of the last change.
    """

    id = models.TextField(primary_key=True)
    scope = models.TextField()
    subject = models.TextField()
    operator_id = models.UUIDField(null=True)
    active = models.BooleanField()
    reason = models.TextField()
    message = models.TextField()
    rank = models.TextField()
    regulator_order = models.TextField()
    deposits = models.BooleanField(help_text="Whether deposits are stopped, too.")
    by = models.TextField()
    agreed_by = models.TextField()
    at = models.DateTimeField()
    version = models.IntegerField()

    class Meta:
        verbose_name_plural = "kill switches"
        indexes = [models.Index(fields=["operator_id", "id"], name="killswitch_operator")]
        permissions = [
            ("stop_play", "Can stop and resume play"),
            ("stop_gaming", "Can stop and resume all gaming"),
            ("replace_witness", "Can confirm that tables use another witness"),
        ]

    def __str__(self) -> str:
        return self.id


class RulesVersion(models.Model):
    """One version of a table's rules: its returns, its author and its period in force. The id combines the table's and
    it.

    `digest` names the rules, also where other rules have the same `label`, which is for people. `return_floor` is the
    operator's minimum return then, in hundredths of a percent. `returns` are exact fractions by
    spot.
    """

    id = models.TextField(primary_key=True)
    table_id = models.UUIDField()
    operator_id = models.UUIDField()
    version = models.IntegerField()
    label = models.TextField()
    digest = models.TextField()
    rules = models.JSONField()
    returns = models.JSONField()
    return_floor = models.IntegerField()
    acknowledgement = models.TextField()
    change_reason = models.TextField()
    status = models.TextField()
    drafted_by = models.TextField()
    drafted_at = models.DateTimeField()
    decided_by = models.TextField()
    decided_at = models.DateTimeField(null=True)
    effective_from = models.TextField()
    reason = models.TextField()
    first_round = models.IntegerField(null=True)
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    ended_by = models.TextField()

    class Meta:
        verbose_name = "rules version"
        indexes = [
            models.Index(fields=["table_id", "version"], name="rulesversion_table"),
            models.Index(fields=["label", "status"], name="rulesversion_label"),
            models.Index(fields=["digest"], name="rulesversion_digest"),
            models.Index(fields=["operator_id", "-drafted_at"], name="rulesversion_operator"),
        ]
        permissions = [
            ("draft_rules", "Can draft rules and discard drafts"),
            ("publish_rules", "Can publish, reject and retire rules"),
        ]

    def __str__(self) -> str:
        return f"{self.label} of table {self.table_id}"


class VoidPolicy(models.Model):
    """Policy on winnings spent before their round was voided. Rows never change; the newest applies."""

    id = models.BigAutoField(primary_key=True)
    operator_id = models.UUIDField()
    forgive = models.BooleanField()
    actor = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["operator_id", "-id"], name="void_policy_operator")]

    def __str__(self) -> str:
        return f"{self.operator_id} {'forgives' if self.forgive else 'records a debt'}"


class ShoeSecret(models.Model):
    """A shoe's seed, encrypted with AES-GCM by a key outside the database; deleted when the seed is revealed."""

    shoe_id = models.UUIDField(primary_key=True)
    key_id = models.TextField()
    nonce = models.BinaryField()
    ciphertext = models.BinaryField()

    def __str__(self) -> str:
        return f"secret of shoe {self.shoe_id}"


class Style(StrEnum):
    """Visual style of the table."""

    MODERN = "modern"
    CLASSIC = "classic"


class PlayerPreferences(models.Model):
    """A player's preferences. A client reads `animation` whenever the player enters a game.

    So the Atlantic City rules print it: "You must exit and re-enter the game to activate the Animation feature."
    """

    player_id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    sound = models.BooleanField(default=True)
    voice = models.BooleanField(default=False)
    animation = models.BooleanField(default=True)
    full_screen = models.BooleanField(default=False)
    instant = models.BooleanField(default=False)
    show_nickname = models.BooleanField(default=False)
    style = models.TextField(choices=[(style.value, style.name.title()) for style in Style], default=Style.MODERN.value)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(style__in=[style.value for style in Style]), name="preferences_style"
            )
        ]

    def __str__(self) -> str:
        return f"preferences of {self.player_id}"


class Skin(models.Model):
    """The looks of the table page for an operator's launches: custom properties of its style sheets, and a logo.

    `logo` is a PNG that was written here, empty without one.
    """

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    name = models.TextField()
    properties = models.JSONField(help_text="Colours such as #0b474e, and the radius of corners in pixels, by name.")
    logo = models.BinaryField()
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["operator_id", "name"], name="skin_name")]

    def __str__(self) -> str:
        return self.name
