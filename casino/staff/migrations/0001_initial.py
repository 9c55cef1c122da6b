from typing import Any

import django.contrib.auth.models
import django.contrib.postgres.fields
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now

from casino.events.immutability import grant_all
from casino.events.row_digests import HeldTable, HoldRows
from casino.staff.retention_sql import DROP_FUNCTION, FUNCTION, drop_retain_for_sql, retain_for_sql

ROLES = ("compliance", "floor_manager", "duty_manager", "cashier", "approver", "support", "administrator")
TEN_YEARS = 3653
ORDINARY = (
    "staff_staffaccount",
    "staff_authenticator",
    "staff_recoverycode",
    "staff_passwordcode",
    "staff_identityprovider",
    "staff_providerdescription",
    "staff_staffidentity",
    "staff_roleend",
    "staff_stafftimezone",
)
# Of what staff did, `object_repr` may be a person's name, which an erasure overwrites.
HELD = {
    "auth_group": HeldTable(("id",), own=()),
    "auth_group_permissions": HeldTable(("id",), own=()),
    "auth_user": HeldTable(("id",), ignored=("last_login",), own=("password", "first_name", "last_name")),
    "auth_user_groups": HeldTable(("id",), own=()),
    "auth_user_user_permissions": HeldTable(("id",), own=()),
    "django_admin_log": HeldTable(("id",), ignored=("object_repr",)),
    "staff_authenticator": HeldTable(("id",), own=("key_id", "wrapped", "last_step")),
    "staff_identityprovider": HeldTable(("id",), own=("key_id", "wrapped")),
    "staff_passwordcode": HeldTable(("user_id",), own=()),
    "staff_providerdescription": HeldTable(("provider_id",), ignored=("due_at", "error")),
    "staff_recoverycode": HeldTable(("id",), own=("used_at",)),
    "staff_staffaccount": HeldTable(("user_id",), own=("password_changed_at", "confirmed_key")),
    "staff_roleend": HeldTable(("id",)),
    "staff_staffidentity": HeldTable(("id",), own=()),
    "staff_stafftimezone": HeldTable(("user_id",)),
}
NOTE_CHANGES = r"""
CREATE FUNCTION staff_email_key(email text) RETURNS text IMMUTABLE LANGUAGE sql AS $$
    SELECT nullif(lower(regexp_replace(email, '\+[^@]*@', '@')), '')
$$;
CREATE FUNCTION staff_note_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO staff_staffaccount AS kept (user_id, password_changed_at, disabled_at, email_key)
    VALUES (
        NEW.id, clock_timestamp(), CASE WHEN NEW.is_active THEN NULL ELSE clock_timestamp() END,
        staff_email_key(NEW.email)
    )
    ON CONFLICT (user_id) DO UPDATE
    SET password_changed_at = CASE WHEN TG_OP = 'UPDATE' AND OLD.password = NEW.password
                              THEN kept.password_changed_at ELSE excluded.password_changed_at END,
        disabled_at = CASE WHEN NEW.is_active THEN NULL ELSE coalesce(kept.disabled_at, excluded.disabled_at) END,
        email_key = excluded.email_key;
    RETURN NULL;
END $$;
CREATE TRIGGER staff_note_change AFTER INSERT OR UPDATE OF password, is_active, email ON auth_user
FOR EACH ROW EXECUTE FUNCTION staff_note_change()
"""


def make_groups(apps: Any, editor: Any) -> None:
    """Make a group for each role; one that is there stays as it is."""
    groups = apps.get_model("auth", "Group").objects.using(editor.connection.alias)
    for name in ROLES:
        groups.get_or_create(name=name)


class Migration(migrations.Migration):
    """What is kept of staff, and the groups that are the roles; what each role may do is in `acts.py` of each app."""

    initial = True

    dependencies = [
        ("events", "0001_initial"),
        ("operators", "0001_initial"),
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("auth", "0012_alter_user_first_name_max_length"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="StaffAccount",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="account",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("password_changed_at", models.DateTimeField(null=True)),
                ("disabled_at", models.DateTimeField(null=True)),
                (
                    "email_key",
                    models.TextField(
                        help_text="The address in the one spelling that is compared.", null=True, unique=True
                    ),
                ),
                (
                    "confirmed_key",
                    models.TextField(help_text="The spelling of the address that the user has confirmed.", null=True),
                ),
                (
                    "created_by",
                    models.TextField(
                        blank=True, db_default="", default="", help_text="Who made it; empty for a command."
                    ),
                ),
            ],
            options={
                "permissions": [
                    ("assign_role", "Can assign roles to other users"),
                    ("assign_operator", "Can say which operators users work for"),
                    ("unlock_user", "Can unlock a user after failed logins"),
                    ("export_access_review", "Can export the access review"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SignIn",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("user_id", models.IntegerField()),
                ("address", models.GenericIPAddressField(null=True)),
                ("second_factor", models.BooleanField()),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "verbose_name": "login",
                "indexes": [
                    models.Index(fields=["user_id", "-id"], name="staff_signin_user"),
                    models.Index(fields=["at"], name="staff_signin_at"),
                ],
            },
        ),
        migrations.CreateModel(
            name="AccessLogEntry",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("user_id", models.IntegerField()),
                ("operator_id", models.UUIDField(null=True)),
                ("subject", models.TextField()),
                ("path", models.TextField()),
                ("address", models.GenericIPAddressField(null=True)),
                ("at", models.DateTimeField(db_default=Now())),
            ],
            options={
                "indexes": [
                    models.Index(fields=["user_id", "-id"], name="staff_view_user"),
                    models.Index(fields=["subject", "-id"], name="staff_view_subject"),
                    models.Index(fields=["at"], name="staff_view_at"),
                ],
                "verbose_name": "access log entry",
                "verbose_name_plural": "access log entries",
            },
        ),
        migrations.CreateModel(
            name="Authenticator",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(help_text="The human-readable name of this device.", max_length=64)),
                ("confirmed", models.BooleanField(default=True, help_text="Is this device ready for use?")),
                ("key_id", models.TextField()),
                ("wrapped", models.BinaryField()),
                ("last_step", models.BigIntegerField(default=-1)),
                ("made_at", models.DateTimeField(db_default=Now())),
                (
                    "user",
                    models.ForeignKey(
                        help_text="The user that this device belongs to.",
                        on_delete=models.CASCADE,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "permissions": [("reset_authenticator", "Can reset a user's second factor")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("confirmed", True)),
                        fields=("user",),
                        name="staff_authenticator_one_confirmed",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RecoveryCode",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("digest", models.BinaryField(max_length=32)),
                ("used_at", models.DateTimeField(null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="recovery_codes",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("user", "digest"), name="staff_recovery_once")],
            },
        ),
        migrations.CreateModel(
            name="PasswordCode",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="password_code",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("change_id", models.UUIDField(help_text="The change on which the two administrators agreed.")),
                (
                    "first_digest",
                    models.BinaryField(help_text="Of the half that the requester gives.", max_length=32, null=True),
                ),
                (
                    "second_digest",
                    models.BinaryField(help_text="Of the half that the other one gives.", max_length=32, null=True),
                ),
                ("expires_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="IdentityProvider",
            fields=[
                ("id", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "operator",
                    models.ForeignKey(
                        on_delete=models.PROTECT, related_name="identity_providers", to="operators.operator"
                    ),
                ),
                ("issuer", models.CharField(max_length=300)),
                ("client_id", models.CharField(max_length=200)),
                ("key_id", models.TextField()),
                ("wrapped", models.BinaryField()),
                (
                    "second_factors",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=80),
                        help_text="Values of `amr` or `acr` with which no code of ours is needed.",
                        size=None,
                    ),
                ),
                ("requested_by", models.TextField()),
                ("confirmed_by", models.TextField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("removed_by", models.TextField(blank=True, default="")),
                ("removed_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("removed_at", None)),
                        fields=("operator",),
                        name="staff_identity_provider_one",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ProviderDescription",
            fields=[
                (
                    "provider",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="description",
                        serialize=False,
                        to="staff.identityprovider",
                    ),
                ),
                (
                    "document",
                    models.TextField(blank=True, default="", help_text="Its addresses and public keys, as JSON."),
                ),
                ("error", models.TextField(blank=True, default="")),
                ("due_at", models.DateTimeField(db_default=Now(), help_text="When it is read again.")),
            ],
        ),
        migrations.CreateModel(
            name="StaffIdentity",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "user",
                    models.ForeignKey(on_delete=models.CASCADE, related_name="identities", to=settings.AUTH_USER_MODEL),
                ),
                (
                    "provider",
                    models.ForeignKey(on_delete=models.PROTECT, related_name="identities", to="staff.identityprovider"),
                ),
                ("subject", models.CharField(help_text="The provider's `sub`.", max_length=255)),
                ("since", models.DateTimeField(db_default=Now())),
            ],
            options={
                "verbose_name_plural": "staff identities",
                "constraints": [
                    models.UniqueConstraint(fields=("provider", "subject"), name="staff_identity_once"),
                    models.UniqueConstraint(fields=("user", "provider"), name="staff_identity_of_user"),
                ],
            },
        ),
        migrations.CreateModel(
            name="SignedIn",
            fields=[],
            options={
                "default_permissions": (),
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("auth.user",),
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="Member",
            fields=[],
            options={
                "verbose_name": "member of staff",
                "verbose_name_plural": "members of staff",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("auth.user",),
            managers=[
                ("objects", django.contrib.auth.models.UserManager()),
            ],
        ),
        migrations.CreateModel(
            name="RoleGroup",
            fields=[],
            options={
                "verbose_name": "role",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("auth.group",),
            managers=[
                ("objects", django.contrib.auth.models.GroupManager()),
            ],
        ),
        migrations.CreateModel(
            name="RoleEnd",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("ends_at", models.DateTimeField()),
                (
                    "role",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="ends",
                        to="auth.group",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
                        related_name="role_ends",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("user", "role"), name="staff_role_end_once")],
                "indexes": [models.Index(fields=["ends_at"], name="staff_role_end_due")],
            },
        ),
        migrations.CreateModel(
            name="StaffTimeZone",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(help_text="An IANA name.", max_length=60)),
            ],
        ),
        *(migrations.RunSQL(sql=grant_all(table), reverse_sql=migrations.RunSQL.noop) for table in ORDINARY),
        migrations.RunSQL(sql=FUNCTION, reverse_sql=DROP_FUNCTION),
        *(
            migrations.RunSQL(
                sql=retain_for_sql(table, column="at", days=TEN_YEARS), reverse_sql=drop_retain_for_sql(table)
            )
            for table in ("staff_signin", "staff_accesslogentry")
        ),
        migrations.RunSQL(
            sql=NOTE_CHANGES,
            reverse_sql="DROP TRIGGER staff_note_change ON auth_user; DROP FUNCTION staff_note_change(); "
            "DROP FUNCTION staff_email_key(text)",
        ),
        migrations.RunPython(make_groups, migrations.RunPython.noop),
        *(HoldRows(table, held) for table, held in HELD.items()),
    ]
