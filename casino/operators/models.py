"""Operators, their credentials, their players and the players' sessions and PINs."""

from enum import StrEnum

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Coalesce, Now

import casino.operators.key_models  # noqa: F401  (Django looks for models here)


class Operator(models.Model):
    """A tenant: a company that runs a casino on this service."""

    id = models.UUIDField(primary_key=True)
    slug = models.SlugField(max_length=40, unique=True)
    name = models.TextField()
    currencies = ArrayField(
        models.CharField(max_length=10),
        help_text="Codes of the currencies that it offers. The first is the default where a request names none.",
    )
    time_zone = models.CharField(
        max_length=40, default="UTC", db_default="UTC", help_text="IANA name. Accounting days begin at midnight there."
    )
    return_floor = models.IntegerField(
        default=7500,
        db_default=7500,
        help_text="In hundredths of a percent. A real-money spot that returns less needs an acknowledgement.",
    )
    customer_care = models.CharField(
        max_length=200,
        default="",
        db_default="",
        help_text="Where players find help: an e-mail address, a telephone number or the https:// address of a page.",
    )
    origins = ArrayField(
        models.CharField(max_length=200),
        default=list,
        blank=True,
        help_text="Origins of its sites: they may frame the table page and call the API from a browser.",
    )
    jurisdiction = models.CharField(
        max_length=10,
        default="",
        db_default="",
        blank=True,
        help_text="Whose rules the risk desk follows where the operator set none, such as MT or US-NJ.",
    )
    complaint_texts = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text="Its own words for what players are told of complaints, by answer and language.",
    )
    dispute_body = models.CharField(
        max_length=200,
        default="",
        db_default="",
        blank=True,
        help_text="The body for alternative dispute resolution, which players are told with the end of a complaint.",
    )
    dispute_body_url = models.CharField(max_length=500, default="", db_default="", blank=True)
    player_record = models.CharField(
        max_length=500,
        default="",
        db_default="",
        blank=True,
        help_text="The address of its own record of a player, with {reference} in it.",
    )
    sandbox = models.BooleanField(default=False, help_text="A test operator: credits may be created without a payment.")
    signatures_required = models.BooleanField(
        default=False, db_default=False, help_text="Requests with any of its API keys must be signed."
    )
    staff_networks = ArrayField(
        models.CharField(max_length=43),
        default=list,
        blank=True,
        help_text="Where its staff may sign in from; empty for anywhere.",
    )
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        permissions = [
            ("set_complaint_terms", "Can set the terms of complaints"),
            ("set_origins", "Can set the origins of an operator's sites"),
            ("require_signatures", "Can require signatures or do without them"),
            ("set_staff_networks", "Can set where an operator's staff sign in from"),
        ]

    def __str__(self) -> str:
        return self.slug

    @property
    def currency(self) -> str:
        """The default currency."""
        return self.currencies[0]


class DeclaredCurrency(models.Model):
    """A currency outside of ISO 4217 that an operator has offered. Its decimals must never change again."""

    code = models.CharField(primary_key=True, max_length=10)
    exponent = models.SmallIntegerField()

    class Meta:
        verbose_name_plural = "declared currencies"

    def __str__(self) -> str:
        return self.code


class Brand(models.Model):
    """A brand of an operator. Its players are the operator's, or its own with references of their own."""

    id = models.UUIDField(primary_key=True)
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="brands")
    slug = models.SlugField(max_length=40)
    name = models.TextField()
    shares_players = models.BooleanField(help_text="The operator's players play under it; otherwise it has its own.")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["operator", "slug"], name="operators_brand_slug")]

    def __str__(self) -> str:
        return self.slug


class LimitsGroup(models.Model):
    """What the players of a group may stake, in minor units of one currency; empty for no limit of the group's own.

    Every operator has the group `standard`, to which players belong unless they are moved to another one.
    """

    id = models.BigAutoField(primary_key=True)
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="limits_groups")
    name = models.SlugField(max_length=40)
    currency = models.CharField(max_length=10)
    minimum = models.BigIntegerField(null=True, help_text="The lowest stake on a spot.")
    maximum = models.BigIntegerField(null=True, help_text="The highest stake on a spot.")
    stake_day = models.BigIntegerField(null=True, help_text="Staked in 24 hours, real money.")
    loss_day = models.BigIntegerField(null=True, help_text="Lost in 24 hours, real money.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operator", "name", "currency"], name="operators_limits_group_once")
        ]

    def __str__(self) -> str:
        return f"{self.name} in {self.currency}"


class DailyCap(models.Model):
    """How much real money of a kind may move in an accounting day of an operator, in minor units, and what did.

    It counts what moves from `counted_from` on. Of earlier days nothing is kept: the ledger has it.
    """

    id = models.BigAutoField(primary_key=True)
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="daily_caps")
    kind = models.CharField(max_length=20)
    currency = models.CharField(max_length=10)
    amount = models.BigIntegerField()
    effect = models.CharField(max_length=20, help_text="What follows beyond it.")
    counted_from = models.DateTimeField(help_text="When it was first set.")
    day = models.DateField(help_text="The accounting day of `moved`.")
    moved = models.BigIntegerField(default=0, help_text="Counted on that day.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operator", "kind", "currency"], name="operators_daily_cap_once")
        ]

    def __str__(self) -> str:
        return f"{self.kind} in {self.currency}"


class StaffMembership(models.Model):
    """A member of staff works for an operator, and sees that operator's data."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="staff")
    since = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        verbose_name = "operator worked for"
        verbose_name_plural = "operators worked for"
        constraints = [models.UniqueConstraint(fields=["user", "operator"], name="operators_staff_once")]

    def __str__(self) -> str:
        return f"staff {self.user_id} of {self.operator_id}"


class ApiKey(models.Model):
    """A credential of an operator's server. A secret is shown once, kept as SHA-256, and valid while rotated."""

    key_id = models.CharField(primary_key=True, max_length=40)
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="keys")
    brand = models.ForeignKey(
        Brand, models.PROTECT, null=True, blank=True, related_name="keys", help_text="Only this brand's players."
    )
    secret_hash = models.BinaryField(max_length=32)
    secret_since = models.DateTimeField(db_default=Now())
    previous_hash = models.BinaryField(max_length=32, null=True)
    previous_ends_at = models.DateTimeField(null=True)
    previous_used_at = models.DateTimeField(null=True, help_text="Last use of the previous secret.")
    signatures_required = models.BooleanField(default=False, help_text="Requests with it must be signed.")
    label = models.TextField(blank=True, default="")
    scopes = ArrayField(models.CharField(max_length=20), default=list, help_text="What requests with it may do.")
    networks = ArrayField(
        models.CharField(max_length=43), default=list, help_text="Where requests may come from; empty for anywhere."
    )
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, help_text="Of the newest secret, accurate to half a minute.")
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "API key"

    def __str__(self) -> str:
        return self.key_id


class AssertionKey(models.Model):
    """A public key whose assertions name a person on an operator's staff: `subject`, or at a sandbox anybody.

    One member of staff requested it in the admin, and another confirmed it.
    """

    id = models.UUIDField(primary_key=True)
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="assertion_keys")
    key_id = models.CharField(max_length=43, help_text="The key's thumbprint by RFC 7638: `kid` of its assertions.")
    name = models.TextField()
    jwk = models.JSONField(help_text="The public key by RFC 7517.")
    subject = models.CharField(max_length=60, blank=True, help_text="The only person whom it names; empty for anybody.")
    requested_by = models.TextField()
    confirmed_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    removed_by = models.TextField(blank=True, default="")
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["operator", "key_id"], condition=models.Q(removed_at=None), name="operators_assertion_key"
            )
        ]

    def __str__(self) -> str:
        return self.name


class UsedAssertion(models.Model):
    """An assertion that was used, until it would have expired anyway."""

    digest = models.BinaryField(primary_key=True, max_length=32, help_text="SHA-256 of the operator and the `jti`.")
    used_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["used_at"], name="operators_assertion_used")]

    def __str__(self) -> str:
        return f"assertion used at {self.used_at}"


class StaffSubject(models.Model):
    """A member of staff who also acts by an operator's assertions: one person, by whichever door. Never changes."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="subjects")
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="subjects")
    subject = models.CharField(max_length=60)
    since = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["operator", "subject"], name="operators_subject_once"),
            models.UniqueConstraint(fields=["user", "operator"], name="operators_subject_of_user"),
        ]

    def __str__(self) -> str:
        return f"{self.subject} is staff {self.user_id}"


class ChangeName(StrEnum):
    """What a change that needs two persons is about, in whichever app. Values may be added."""

    ADJUSTMENT = "adjustment"
    API_KEY = "api_key"
    ASSERTION_KEY = "assertion_key"
    BRAND = "brand"
    CURRENCIES = "currencies"
    DAILY_CAP = "daily_cap"
    DEPOSIT_METHOD = "deposit_method"
    END_EXCLUSION = "end_exclusion"
    ERASURE = "erasure"
    FUNDING = "funding"
    IDENTITY_PROVIDER = "identity_provider"
    JURISDICTION = "jurisdiction"
    KEY_LIMIT = "key_limit"
    KEY_ROTATION = "key_rotation"
    KEY_TERMS = "key_terms"
    LIMITS_GROUP = "limits_group"
    OPEN_TABLE = "open_table"
    OPERATOR = "operator"
    ORIGINS = "origins"
    PLAY_MONEY_CAP = "play_money_cap"
    PLAYER_GROUP = "player_group"
    RELEASE = "release"
    RELEASE_CREDIT = "release_credit"
    REPORT_DESTINATION = "report_destination"
    REPLACE_WITNESS = "replace_witness"
    RELEASE_PAYMENT = "release_payment"
    RESUME_PLAY = "resume_play"
    RETURN_FLOOR = "return_floor"
    RISK_RULE = "risk_rule"
    RULES = "rules"
    SIGNING_KEY = "signing_key"
    STAFF_AUTHENTICATOR = "staff_authenticator"
    STAFF_EMAIL = "staff_email"
    STAFF_LINK = "staff_link"
    STAFF_NETWORKS = "staff_networks"
    STAFF_OPERATORS = "staff_operators"
    STAFF_PASSWORD = "staff_password"  # noqa: S105  (a kind of change)
    STAFF_RETURN = "staff_return"
    STAFF_ROLE = "staff_role"
    STAFF_ROLES = "staff_roles"
    STAFF_SUPERUSER = "staff_superuser"
    THRESHOLDS = "thresholds"
    TIME_ZONE = "time_zone"
    VOID = "void"
    UNFREEZE = "unfreeze"
    UNSIGNED_REQUESTS = "unsigned_requests"
    WEBHOOK = "webhook"
    VOID_POLICY = "void_policy"
    WITHDRAWAL = "withdrawal"
    WITHDRAWAL_POLICY = "withdrawal_policy"


class Change(models.Model):
    """A change that several persons agree on, as its events say; a delayed one takes effect at `effective_at`."""

    id = models.UUIDField(primary_key=True)
    operator = models.ForeignKey(Operator, models.PROTECT, null=True, related_name="changes", db_constraint=False)
    kind = models.CharField(max_length=40)
    subject = models.TextField(help_text="What it changes, such as `staff:7`.")
    summary = models.TextField(help_text="The change in words.")
    details = models.JSONField(help_text="What is applied when it takes effect.")
    persons = models.SmallIntegerField(help_text="How many have to agree, the one who requests included.")
    status = models.TextField()
    requested_by = models.TextField()
    requested_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    owner = models.TextField(blank=True, help_text="Who is to decide it, if it was handed over.")
    confirmed_by = models.JSONField(help_text="Who agreed, in their order.")
    decided_by = models.TextField(blank=True, help_text="Who took the last step.")
    decided_at = models.DateTimeField(null=True)
    effective_at = models.DateTimeField(null=True)
    version = models.IntegerField()
    key: str = ""
    """The API key by which the last person confirms it, while it is applied."""

    class Meta:
        verbose_name = "two-person change"
        indexes = [
            models.Index(fields=["operator", "-id"], name="operators_change_page"),
            models.Index(fields=["subject", "-id"], name="operators_change_subject"),
            models.Index(fields=["effective_at"], condition=models.Q(status="confirmed"), name="operators_change_due"),
            models.Index(fields=["expires_at"], condition=models.Q(status="requested"), name="operators_change_wait"),
        ]

    def __str__(self) -> str:
        return self.summary


class ChangeSecret(models.Model):
    """What a change applies and no event may hold; it is forgotten when the change ends."""

    change_id = models.UUIDField(primary_key=True)
    details = models.JSONField()

    def __str__(self) -> str:
        return f"secret of change {self.change_id}"


class Player(models.Model):
    """A player, known only by the operator's own reference and a nickname; both are encrypted."""

    id = models.UUIDField(primary_key=True)
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="players")
    brand = models.ForeignKey(
        Brand, models.PROTECT, null=True, related_name="players", help_text="The brand whose own player this is."
    )
    limits_group = models.SlugField(max_length=40, default="standard", db_default="standard", db_index=False)
    reference = models.TextField(help_text="The operator's own id of this player, encrypted.")
    reference_index = models.BinaryField(max_length=32, null=True, help_text="Blind index of the reference.")
    nickname = models.TextField(help_text="Encrypted.")
    nickname_index = models.BinaryField(max_length=32, null=True, help_text="Blind index of the folded nickname.")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint("reference_index", Coalesce("brand", "operator"), name="operators_player_reference")
        ]
        indexes = [
            models.Index(fields=["operator", "id"], name="operators_player_page"),
            models.Index(fields=["nickname_index"], name="operators_player_nickname"),
        ]

    def __str__(self) -> str:
        return f"player {self.id}"


class PlayerSession(models.Model):
    """A player's short-lived token, stored as its SHA-256. A player has at most one that has not ended."""

    token_hash = models.BinaryField(primary_key=True, max_length=32)
    player = models.ForeignKey(Player, models.PROTECT, related_name="sessions")
    operator_id = models.UUIDField()
    brand = models.ForeignKey(
        Brand, models.PROTECT, null=True, related_name="+", help_text="The brand under which the player plays."
    )
    opened_by = models.CharField(
        max_length=40, default="", db_default="", help_text="The API key that opened or launched it; empty for none."
    )
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(db_default=Now(), help_text="Accurate to half a minute.")
    reality_check_at = models.DateTimeField(null=True, blank=True, help_text="When the last one was due, if any.")
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_reason = models.TextField(blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player"], condition=models.Q(ended_at=None), name="operators_session_one")
        ]
        indexes = [
            models.Index(fields=["expires_at"], name="operators_session_expiry"),
            models.Index(fields=["player", "-created_at"], name="operators_session_latest"),
        ]

    def __str__(self) -> str:
        return f"session of {self.player_id}"


class Launch(models.Model):
    """A one-time code that opens a player's session on the table page; stored as its SHA-256."""

    id = models.UUIDField(primary_key=True)
    code_hash = models.BinaryField(max_length=32, unique=True)
    player = models.ForeignKey(Player, models.PROTECT, related_name="launches")
    operator = models.ForeignKey(Operator, models.PROTECT, related_name="launches")
    brand = models.ForeignKey(Brand, models.PROTECT, null=True, related_name="+")
    opened_by = models.CharField(max_length=40, help_text="The API key that launched it; empty for none.")
    session_seconds = models.IntegerField()
    options = models.JSONField(help_text="How the page begins: table, language, addresses of the operator's sites.")
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.BinaryField(max_length=32, null=True, help_text="Hash of what the browser may repeat that with.")

    class Meta:
        indexes = [models.Index(fields=["expires_at"], name="operators_launch_expiry")]

    def __str__(self) -> str:
        return f"launch {self.id}"


class PlayerPin(models.Model):
    """A player's PIN as an Argon2 hash, and the failed attempts since the last success.

    `next_hash` is that of a PIN that an operator requested, which replaces it from `replaced_at` on.
    """

    player = models.OneToOneField(Player, models.PROTECT, primary_key=True, related_name="pin")
    pin_hash = models.TextField()
    set_at = models.DateTimeField(db_default=Now())
    next_hash = models.TextField(blank=True)
    replaced_at = models.DateTimeField(null=True, blank=True)
    failed_at = ArrayField(models.DateTimeField(), default=list)
    locked_until = models.DateTimeField(null=True, blank=True)

    class Meta:
        permissions = [("unlock_pin", "Can lift the lock of a player's PIN")]

    def __str__(self) -> str:
        return f"PIN of {self.player_id}"


class PlayerBan(models.Model):
    """A player is banned until a time, or permanently; no session opens before."""

    player = models.OneToOneField(Player, models.PROTECT, primary_key=True, related_name="ban")
    until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"ban of {self.player_id}"


class StreamTicket(models.Model):
    """A single-use ticket that opens a stream; stored as its SHA-256, with the hash of the session's token."""

    ticket_hash = models.BinaryField(primary_key=True, max_length=32)
    session_hash = models.BinaryField(max_length=32)
    expires_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["expires_at"], name="operators_ticket_expiry")]

    def __str__(self) -> str:
        return f"stream ticket until {self.expires_at}"
