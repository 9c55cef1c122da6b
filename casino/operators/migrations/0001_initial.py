import django.contrib.postgres.fields
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Coalesce, Now

from casino.events.immutability import grant_all
from casino.events.row_digests import HeldTable, HoldRows

ORDINARY = (
    "operators_brand",
    "operators_changesecret",
    "operators_dailycap",
    "operators_declaredcurrency",
    "operators_limitsgroup",
    "operators_launch",
    "operators_playerpin",
    "operators_staffmembership",
    "operators_streamticket",
    "operators_playerban",
    "operators_usedassertion",
    "operators_keylimit",
    "operators_signingkey",
    "operators_usedsignature",
)
HELD = {
    "operators_apikey": HeldTable(("key_id",), ignored=("last_used_at", "previous_used_at"), own=()),
    "operators_assertionkey": HeldTable(("id",), own=()),
    "operators_brand": HeldTable(("id",), own=()),
    "operators_changesecret": HeldTable(("change_id",)),
    "operators_dailycap": HeldTable(("id",), ignored=("day", "moved"), own=()),
    "operators_declaredcurrency": HeldTable(("code",), own=()),
    "operators_keylimit": HeldTable(("id",), ignored=("day", "moved"), own=()),
    "operators_limitsgroup": HeldTable(("id",), own=()),
    "operators_operator": HeldTable(("id",), own=()),
    "operators_player": HeldTable(
        ("id",), own=("brand_id", "reference", "reference_index", "nickname", "nickname_index"), come_and_go=True
    ),
    "operators_playerpin": HeldTable(("player_id",)),
    "operators_playersession": HeldTable(("token_hash",), ignored=("last_used_at",)),
    "operators_signingkey": HeldTable(("id",), ignored=("last_used_at",), own=()),
    "operators_staffmembership": HeldTable(("id",), own=()),
    "operators_staffsubject": HeldTable(("id",), own=()),
}

# Each query of a volatile function sees what was committed before it, so that whoever has the lock sees every cap.
LOCK_CAPS = """
CREATE FUNCTION operators_lock_caps(operator uuid) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended(operator::text, 11));
    RETURN EXISTS (SELECT FROM operators_dailycap WHERE operator_id = operator);
END $$
"""
WINS_CAPPED = """
CREATE FUNCTION operators_wins_capped(operator uuid, unit text, wanted text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM operators_dailycap AS cap JOIN operators_operator AS own ON own.id = cap.operator_id
         WHERE cap.operator_id = operator AND cap.currency = unit AND cap.kind = 'wins' AND cap.effect = wanted
           AND cap.moved > cap.amount AND cap.day = (clock_timestamp() AT TIME ZONE own.time_zone)::date)
$$
"""
# At the end of the transaction, as a key and its limits are rows of two tables.
KEY_BOUNDS = """
CREATE FUNCTION operators_lacks_bounds(wanted text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM operators_apikey AS key JOIN operators_operator AS own ON own.id = key.operator_id
         WHERE key.key_id = wanted AND NOT own.sandbox AND 'money' = ANY (key.scopes) AND key.revoked_at IS NULL
           AND (key.networks = '{}' OR key.expires_at IS NULL
                OR (SELECT count(*) = 0 OR bool_or(per_day IS NULL) FROM operators_keylimit WHERE key_id = wanted)))
$$;

CREATE FUNCTION operators_require_bounds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF operators_lacks_bounds(OLD.key_id) OR operators_lacks_bounds(NEW.key_id) THEN
        RAISE EXCEPTION 'a key for money of a live operator needs limits by day, networks and an end'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER operators_apikey_bounded AFTER INSERT
    OR UPDATE OF operator_id, scopes, networks, expires_at, revoked_at ON operators_apikey
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION operators_require_bounds();
CREATE CONSTRAINT TRIGGER operators_keylimit_bounded AFTER DELETE OR INSERT
    OR UPDATE OF key_id, per_day ON operators_keylimit
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION operators_require_bounds();
"""
DROP_BOUNDS = """
DROP TRIGGER operators_apikey_bounded ON operators_apikey;
DROP TRIGGER operators_keylimit_bounded ON operators_keylimit;
DROP FUNCTION operators_require_bounds(), operators_lacks_bounds(text);
"""


class Migration(migrations.Migration):
    """Operators, their API keys, players, sessions and staff."""

    initial = True

    dependencies = [
        ("events", "0001_initial"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Operator",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("slug", models.SlugField(max_length=40, unique=True)),
                ("name", models.TextField()),
                (
                    "currencies",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=10),
                        help_text=(
                            "Codes of the currencies that it offers. The first is the default where a request names"
                            " none."
                        ),
                        size=None,
                    ),
                ),
                (
                    "jurisdiction",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Whose rules the risk desk follows where the operator set none, such as MT or US-NJ.",
                        max_length=10,
                    ),
                ),
                (
                    "complaint_texts",
                    models.JSONField(
                        blank=True,
                        db_default={},
                        default=dict,
                        help_text="Its own words for what players are told of complaints, by answer and language.",
                    ),
                ),
                (
                    "dispute_body",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The body for alternative dispute resolution, which players are told with the end of "
                        "a complaint.",
                        max_length=200,
                    ),
                ),
                (
                    "dispute_body_url",
                    models.CharField(blank=True, db_default="", default="", max_length=500),
                ),
                (
                    "player_record",
                    models.CharField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="The address of its own record of a player, with {reference} in it.",
                        max_length=500,
                    ),
                ),
                (
                    "sandbox",
                    models.BooleanField(
                        default=False, help_text="A test operator: credits may be created without a payment."
                    ),
                ),
                (
                    "customer_care",
                    models.CharField(
                        db_default="",
                        default="",
                        help_text=(
                            "Where players find help: an e-mail address, a telephone number or the https:// address of"
                            " a page."
                        ),
                        max_length=200,
                    ),
                ),
                (
                    "origins",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=200),
                        blank=True,
                        default=list,
                        help_text="Origins of its sites: they may frame the table page and call the API from a "
                        "browser.",
                        size=None,
                    ),
                ),
                (
                    "signatures_required",
                    models.BooleanField(
                        db_default=False, default=False, help_text="Requests with any of its API keys must be signed."
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "time_zone",
                    models.CharField(
                        db_default="UTC",
                        default="UTC",
                        help_text="IANA name. Accounting days begin at midnight there.",
                        max_length=40,
                    ),
                ),
                (
                    "return_floor",
                    models.IntegerField(
                        db_default=7500,
                        default=7500,
                        help_text="In hundredths of a percent. A real-money spot that returns less needs an "
                        "acknowledgement.",
                    ),
                ),
                (
                    "staff_networks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=43),
                        blank=True,
                        default=list,
                        help_text="Where its staff may sign in from; empty for anywhere.",
                        size=None,
                    ),
                ),
            ],
            options={
                "permissions": [
                    ("set_complaint_terms", "Can set the terms of complaints"),
                    ("set_origins", "Can set the origins of an operator's sites"),
                    ("require_signatures", "Can require signatures or do without them"),
                    ("set_staff_networks", "Can set where an operator's staff sign in from"),
                ]
            },
        ),
        migrations.CreateModel(
            name="DeclaredCurrency",
            fields=[
                ("code", models.CharField(max_length=10, primary_key=True, serialize=False)),
                ("exponent", models.SmallIntegerField()),
            ],
            options={"verbose_name_plural": "declared currencies"},
        ),
        migrations.CreateModel(
            name="Brand",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("slug", models.SlugField(max_length=40)),
                ("name", models.TextField()),
                (
                    "shares_players",
                    models.BooleanField(help_text="The operator's players play under it; otherwise it has its own."),
                ),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "operator",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="brands", to="operators.operator"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("operator", "slug"), name="operators_brand_slug")],
            },
        ),
        migrations.CreateModel(
            name="LimitsGroup",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.SlugField(max_length=40)),
                ("currency", models.CharField(max_length=10)),
                ("minimum", models.BigIntegerField(help_text="The lowest stake on a spot.", null=True)),
                ("maximum", models.BigIntegerField(help_text="The highest stake on a spot.", null=True)),
                ("stake_day", models.BigIntegerField(help_text="Staked in 24 hours, real money.", null=True)),
                ("loss_day", models.BigIntegerField(help_text="Lost in 24 hours, real money.", null=True)),
                (
                    "operator",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="limits_groups", to="operators.operator"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("operator", "name", "currency"), name="operators_limits_group_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="DailyCap",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=20)),
                ("currency", models.CharField(max_length=10)),
                ("amount", models.BigIntegerField()),
                ("effect", models.CharField(help_text="What follows beyond it.", max_length=20)),
                ("counted_from", models.DateTimeField(help_text="When it was first set.")),
                ("day", models.DateField(help_text="The accounting day of `moved`.")),
                ("moved", models.BigIntegerField(default=0, help_text="Counted on that day.")),
                (
                    "operator",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="daily_caps", to="operators.operator"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("operator", "kind", "currency"), name="operators_daily_cap_once")
                ],
            },
        ),
        migrations.RunSQL(sql=LOCK_CAPS, reverse_sql="DROP FUNCTION operators_lock_caps(uuid)"),
        migrations.RunSQL(sql=WINS_CAPPED, reverse_sql="DROP FUNCTION operators_wins_capped(uuid, text, text)"),
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                ("key_id", models.CharField(max_length=40, primary_key=True, serialize=False)),
                (
                    "brand",
                    models.ForeignKey(
                        blank=True,
                        help_text="Only this brand's players.",
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="keys",
                        to="operators.brand",
                    ),
                ),
                ("secret_hash", models.BinaryField(max_length=32)),
                ("secret_since", models.DateTimeField(db_default=Now())),
                ("previous_hash", models.BinaryField(max_length=32, null=True)),
                ("previous_ends_at", models.DateTimeField(null=True)),
                ("previous_used_at", models.DateTimeField(help_text="Last use of the previous secret.", null=True)),
                (
                    "signatures_required",
                    models.BooleanField(default=False, help_text="Requests with it must be signed."),
                ),
                ("label", models.TextField(blank=True, default="")),
                (
                    "scopes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=20),
                        default=list,
                        help_text="What requests with it may do.",
                        size=None,
                    ),
                ),
                (
                    "networks",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=43),
                        default=list,
                        help_text="Where requests may come from; empty for anywhere.",
                        size=None,
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                (
                    "last_used_at",
                    models.DateTimeField(help_text="Of the newest secret, accurate to half a minute.", null=True),
                ),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                (
                    "operator",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="keys", to="operators.operator"),
                ),
            ],
            options={
                "verbose_name": "API key",
            },
        ),
        migrations.CreateModel(
            name="KeyLimit",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("movement", models.CharField(max_length=20)),
                ("currency", models.CharField(max_length=10)),
                ("per_request", models.BigIntegerField(null=True)),
                ("per_day", models.BigIntegerField(null=True)),
                ("day", models.DateField(help_text="The day (UTC) of `moved`.")),
                ("moved", models.BigIntegerField(default=0, help_text="Moved on that day.")),
                (
                    "key",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="limits", to="operators.apikey"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("key", "movement", "currency"), name="operators_key_limit_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="SigningKey",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("keyid", models.CharField(help_text="`keyid` of its signatures.", max_length=60)),
                ("public_key", models.BinaryField(max_length=32)),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("last_used_at", models.DateTimeField(help_text="Accurate to half a minute.", null=True)),
                (
                    "key",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="signing_keys", to="operators.apikey"),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("key", "keyid"), name="operators_signing_key_once")],
            },
        ),
        migrations.CreateModel(
            name="UsedSignature",
            fields=[
                (
                    "digest",
                    models.BinaryField(
                        help_text="SHA-256 of the API key and the nonce.",
                        max_length=32,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("used_at", models.DateTimeField(db_default=Now())),
            ],
            options={"indexes": [models.Index(fields=["used_at"], name="operators_signature_used")]},
        ),
        migrations.CreateModel(
            name="Player",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "brand",
                    models.ForeignKey(
                        help_text="The brand whose own player this is.",
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="players",
                        to="operators.brand",
                    ),
                ),
                (
                    "limits_group",
                    models.SlugField(db_default="standard", db_index=False, default="standard", max_length=40),
                ),
                ("reference", models.TextField(help_text="The operator's own id of this player, encrypted.")),
                ("nickname", models.TextField(help_text="Encrypted.")),
                (
                    "nickname_index",
                    models.BinaryField(help_text="Blind index of the folded nickname.", max_length=32, null=True),
                ),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "operator",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="players", to="operators.operator"),
                ),
                (
                    "reference_index",
                    models.BinaryField(help_text="Blind index of the reference.", max_length=32, null=True),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["operator", "id"], name="operators_player_page"),
                    models.Index(fields=["nickname_index"], name="operators_player_nickname"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("reference_index"), Coalesce("brand", "operator"), name="operators_player_reference"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PlayerSession",
            fields=[
                (
                    "brand",
                    models.ForeignKey(
                        help_text="The brand under which the player plays.",
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to="operators.brand",
                    ),
                ),
                (
                    "opened_by",
                    models.CharField(
                        db_default="",
                        default="",
                        help_text="The API key that opened or launched it; empty for none.",
                        max_length=40,
                    ),
                ),
                ("token_hash", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("operator_id", models.UUIDField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("expires_at", models.DateTimeField()),
                (
                    "reality_check_at",
                    models.DateTimeField(blank=True, help_text="When the last one was due, if any.", null=True),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "player",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="sessions", to="operators.player"),
                ),
                (
                    "last_used_at",
                    models.DateTimeField(db_default=Now(), help_text="Accurate to half a minute."),
                ),
                ("ended_reason", models.TextField(blank=True, db_default="", default="")),
            ],
            options={
                "indexes": [
                    models.Index(fields=["expires_at"], name="operators_session_expiry"),
                    models.Index(fields=["player", "-created_at"], name="operators_session_latest"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)), fields=("player",), name="operators_session_one"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Launch",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("code_hash", models.BinaryField(max_length=32, unique=True)),
                (
                    "opened_by",
                    models.CharField(help_text="The API key that launched it; empty for none.", max_length=40),
                ),
                ("session_seconds", models.IntegerField()),
                (
                    "options",
                    models.JSONField(
                        help_text="How the page begins: table, language, addresses of the operator's sites."
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "used_by",
                    models.BinaryField(
                        help_text="Hash of what the browser may repeat that with.", max_length=32, null=True
                    ),
                ),
                (
                    "brand",
                    models.ForeignKey(null=True, on_delete=models.PROTECT, related_name="+", to="operators.brand"),
                ),
                (
                    "operator",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="launches", to="operators.operator"),
                ),
                (
                    "player",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="launches", to="operators.player"),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["expires_at"], name="operators_launch_expiry")],
            },
        ),
        migrations.CreateModel(
            name="PlayerPin",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=models.PROTECT,
                        primary_key=True,
                        related_name="pin",
                        serialize=False,
                        to="operators.player",
                    ),
                ),
                ("pin_hash", models.TextField()),
                ("set_at", models.DateTimeField(db_default=Now())),
                ("next_hash", models.TextField(blank=True)),
                ("replaced_at", models.DateTimeField(blank=True, null=True)),
                (
                    "failed_at",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.DateTimeField(), default=list, size=None
                    ),
                ),
                ("locked_until", models.DateTimeField(blank=True, null=True)),
            ],
            options={"permissions": [("unlock_pin", "Can lift the lock of a player's PIN")]},
        ),
        migrations.CreateModel(
            name="StaffMembership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("since", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "operator",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="staff", to="operators.operator"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "operator worked for",
                "verbose_name_plural": "operators worked for",
                "constraints": [models.UniqueConstraint(fields=("user", "operator"), name="operators_staff_once")],
            },
        ),
        migrations.CreateModel(
            name="StreamTicket",
            fields=[
                ("ticket_hash", models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ("session_hash", models.BinaryField(max_length=32)),
                ("expires_at", models.DateTimeField()),
            ],
            options={
                "indexes": [models.Index(fields=["expires_at"], name="operators_ticket_expiry")],
            },
        ),
        migrations.CreateModel(
            name="PlayerBan",
            fields=[
                (
                    "player",
                    models.OneToOneField(
                        on_delete=models.PROTECT,
                        primary_key=True,
                        related_name="ban",
                        serialize=False,
                        to="operators.player",
                    ),
                ),
                ("until", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="UsedAssertion",
            fields=[
                (
                    "digest",
                    models.BinaryField(
                        help_text="SHA-256 of the operator and the `jti`.",
                        max_length=32,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("used_at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [models.Index(fields=["used_at"], name="operators_assertion_used")],
            },
        ),
        migrations.CreateModel(
            name="AssertionKey",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "key_id",
                    models.CharField(
                        help_text="The key's thumbprint by RFC 7638: `kid` of its assertions.", max_length=43
                    ),
                ),
                ("name", models.TextField()),
                ("jwk", models.JSONField(help_text="The public key by RFC 7517.")),
                (
                    "subject",
                    models.CharField(
                        blank=True, help_text="The only person whom it names; empty for anybody.", max_length=60
                    ),
                ),
                ("requested_by", models.TextField()),
                ("confirmed_by", models.TextField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("removed_by", models.TextField(blank=True, default="")),
                ("removed_at", models.DateTimeField(null=True)),
                (
                    "operator",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="assertion_keys", to="operators.operator"),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("removed_at", None)),
                        fields=("operator", "key_id"),
                        name="operators_assertion_key",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Change",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=40)),
                ("subject", models.TextField(help_text="What it changes, such as `staff:7`.")),
                ("summary", models.TextField(help_text="The change in words.")),
                ("details", models.JSONField(help_text="What is applied when it takes effect.")),
                (
                    "persons",
                    models.SmallIntegerField(help_text="How many have to agree, the one who requests included."),
                ),
                ("status", models.TextField()),
                ("requested_by", models.TextField()),
                ("requested_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("owner", models.TextField(blank=True, help_text="Who is to decide it, if it was handed over.")),
                ("confirmed_by", models.JSONField(help_text="Who agreed, in their order.")),
                ("decided_by", models.TextField(blank=True, help_text="Who took the last step.")),
                ("decided_at", models.DateTimeField(null=True)),
                ("effective_at", models.DateTimeField(null=True)),
                ("version", models.IntegerField()),
                (
                    "operator",
                    models.ForeignKey(
                        db_constraint=False,
                        null=True,
                        on_delete=models.PROTECT,
                        related_name="changes",
                        to="operators.operator",
                    ),
                ),
            ],
            options={
                "verbose_name": "two-person change",
                "indexes": [
                    models.Index(fields=["operator", "-id"], name="operators_change_page"),
                    models.Index(fields=["subject", "-id"], name="operators_change_subject"),
                    models.Index(
                        condition=models.Q(("status", "confirmed")),
                        fields=["effective_at"],
                        name="operators_change_due",
                    ),
                    models.Index(
                        condition=models.Q(("status", "requested")),
                        fields=["expires_at"],
                        name="operators_change_wait",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ChangeSecret",
            fields=[
                ("change_id", models.UUIDField(primary_key=True, serialize=False)),
                ("details", models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name="StaffSubject",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("subject", models.CharField(max_length=60)),
                ("since", models.DateTimeField(db_default=Now())),
                (
                    "operator",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="subjects", to="operators.operator"),
                ),
                (
                    "user",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="subjects", to=settings.AUTH_USER_MODEL),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("operator", "subject"), name="operators_subject_once"),
                    models.UniqueConstraint(fields=("user", "operator"), name="operators_subject_of_user"),
                ],
            },
        ),
        migrations.RunSQL(sql=KEY_BOUNDS, reverse_sql=DROP_BOUNDS),
        # By which sessions past their retention are found.
        migrations.RunSQL(
            sql="CREATE INDEX operators_session_created ON operators_playersession USING brin (created_at) "
            "WITH (pages_per_range = 16, autosummarize = on)",
            reverse_sql=migrations.RunSQL.noop,
        ),
        *(migrations.RunSQL(sql=grant_all(table), reverse_sql=migrations.RunSQL.noop) for table in ORDINARY),
        *(HoldRows(table, held) for table, held in HELD.items()),
    ]
