"""Staff data: second factors, logins, and the access log."""

from typing import TYPE_CHECKING, Any, ClassVar, Final

from django.conf import settings
from django.contrib.auth.models import Group, User
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now
from django.utils.functional import cached_property

from casino.crypto.models import EncryptedSecret
from casino.operators import memberships

if TYPE_CHECKING:  # django-otp is untyped

    class Device(models.Model):
        """An abstract model of its own: `user`, `name`, `confirmed`."""

        user_id: int
        confirmed: bool
else:
    from django_otp.models import Device


_SUPERUSERS: Final = frozenset({"operators.add_operator", "operators.change_change"})
"""What superusers do beside users and roles: add operators, and confirm what they may request."""


class StaffAccount(models.Model):
    """What Django's users lack. A database trigger writes all but `confirmed_key` and `created_by`."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="account", db_constraint=False
    )
    password_changed_at = models.DateTimeField(null=True)
    disabled_at = models.DateTimeField(null=True)
    email_key = models.TextField(null=True, unique=True, help_text="The address in the one spelling that is compared.")
    confirmed_key = models.TextField(null=True, help_text="The spelling of the address that the user has confirmed.")
    created_by = models.TextField(blank=True, default="", db_default="", help_text="Who made it; empty for a command.")

    class Meta:
        permissions: ClassVar[Any] = [
            ("assign_role", "Can assign roles to other users"),
            ("assign_operator", "Can say which operators users work for"),
            ("unlock_user", "Can unlock a user after failed logins"),
            ("export_access_review", "Can export the access review"),
        ]

    def __str__(self) -> str:
        return f"account of staff {self.user_id}"


class SignIn(models.Model):
    """A login of a member of staff. Never changes."""

    id = models.BigAutoField(primary_key=True)
    user_id = models.IntegerField()
    address = models.GenericIPAddressField(null=True)
    second_factor = models.BooleanField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "login"
        indexes = [
            models.Index(fields=["user_id", "-id"], name="staff_signin_user"),
            models.Index(fields=["at"], name="staff_signin_at"),
        ]

    def __str__(self) -> str:
        return f"login {self.id}"


class AccessLogEntry(models.Model):
    """Access by a member of staff to players' data: whose, when, from which address, at which URL. Never changes."""

    id = models.BigAutoField(primary_key=True)
    user_id = models.IntegerField()
    operator_id = models.UUIDField(null=True)
    subject = models.TextField()
    path = models.TextField()
    address = models.GenericIPAddressField(null=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "access log entry"
        verbose_name_plural = "access log entries"
        indexes = [
            models.Index(fields=["user_id", "-id"], name="staff_view_user"),
            models.Index(fields=["subject", "-id"], name="staff_view_subject"),
            models.Index(fields=["at"], name="staff_view_at"),
        ]

    def __str__(self) -> str:
        return f"view {self.id}"


class Authenticator(EncryptedSecret, Device):  # type: ignore[django-manager-missing]
    """A TOTP authenticator (RFC 6238), with its secret."""

    last_step = models.BigIntegerField(default=-1)
    made_at = models.DateTimeField(db_default=Now())

    class Meta:
        permissions: ClassVar[Any] = [("reset_authenticator", "Can reset a user's second factor")]
        constraints = [
            models.UniqueConstraint(
                fields=["user"], condition=models.Q(confirmed=True), name="staff_authenticator_one_confirmed"
            )
        ]

    def __str__(self) -> str:
        return f"authenticator of staff {self.user_id}"

    def bound_to(self) -> bytes:
        """Return what the secret belongs to."""
        return f"casino.staff.authenticator.v1 {self.user_id}".encode()


class RecoveryCode(models.Model):
    """A code that replaces an authenticator once; stored as its SHA-256."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="recovery_codes")
    digest = models.BinaryField(max_length=32)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "digest"], name="staff_recovery_once")]

    def __str__(self) -> str:
        return f"recovery code of staff {self.user_id}"


class PasswordCode(models.Model):
    """A code by which a user sets a password: one half from each of two administrators, stored as their SHA-256."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="password_code"
    )
    change_id = models.UUIDField(help_text="The change on which the two administrators agreed.")
    first_digest = models.BinaryField(max_length=32, null=True, help_text="Of the half that the requester gives.")
    second_digest = models.BinaryField(max_length=32, null=True, help_text="Of the half that the other one gives.")
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"password code of staff {self.user_id}"


class IdentityProvider(EncryptedSecret):
    """An operator's OpenID Connect provider, with our client secret there. Two administrators agreed on it."""

    id = models.UUIDField(primary_key=True)
    operator = models.ForeignKey("operators.Operator", models.PROTECT, related_name="identity_providers")
    issuer = models.CharField(max_length=300)
    client_id = models.CharField(max_length=200)
    second_factors = ArrayField(
        models.CharField(max_length=80), help_text="Values of `amr` or `acr` with which no code of ours is needed."
    )
    requested_by = models.TextField()
    confirmed_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    removed_by = models.TextField(blank=True, default="")
    removed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["operator"], condition=models.Q(removed_at=None), name="staff_identity_provider_one"
            )
        ]

    def __str__(self) -> str:
        return self.issuer

    def bound_to(self) -> bytes:
        """Return what our client secret belongs to."""
        return f"casino.staff.identity_provider.v1 {self.operator_id} {self.issuer} {self.client_id}".encode()


class ProviderDescription(models.Model):
    """What an identity provider says of itself, as a job has read it last, or why it can't be asked."""

    provider = models.OneToOneField(IdentityProvider, models.CASCADE, primary_key=True, related_name="description")
    document = models.TextField(blank=True, default="", help_text="Its addresses and public keys, as JSON.")
    error = models.TextField(blank=True, default="")
    due_at = models.DateTimeField(db_default=Now(), help_text="When it is read again.")

    def __str__(self) -> str:
        return f"description of {self.provider}"


class StaffIdentity(models.Model):
    """A member of staff as an identity provider knows them. Never changes; a reset of the authenticator removes it."""

    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="identities")
    provider = models.ForeignKey(IdentityProvider, models.PROTECT, related_name="identities")
    subject = models.CharField(max_length=255, help_text="The provider's `sub`.")
    since = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "staff identities"
        constraints = [
            models.UniqueConstraint(fields=["provider", "subject"], name="staff_identity_once"),
            models.UniqueConstraint(fields=["user", "provider"], name="staff_identity_of_user"),
        ]

    def __str__(self) -> str:
        return f"identity of staff {self.user_id}"


class RoleEnd(models.Model):
    """When a member of staff ceases to hold a role: from then on it grants nothing. A role without a row has no end."""

    id = models.BigAutoField(primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="role_ends")
    role = models.ForeignKey(Group, models.CASCADE, related_name="ends")
    ends_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "role"], name="staff_role_end_once")]
        indexes = [models.Index(fields=["ends_at"], name="staff_role_end_due")]

    def __str__(self) -> str:
        return f"end of a role of staff {self.user_id}"


class StaffTimeZone(models.Model):
    """The time zone in which a member of staff reads and enters times; without a row it is UTC."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+")
    name = models.CharField(max_length=60, help_text="An IANA name.")

    def __str__(self) -> str:
        return self.name


class SignedIn(User):  # type: ignore[django-manager-missing]
    """A user who has signed in.

    A superuser makes and looks after users and roles, and sees everything. While there is a live operator, the flag is
    no permission for anything else, as money, cards, rules, stops and oversight: these take roles.
    """

    class Meta:
        proxy = True
        default_permissions = ()

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Return whether the user has a permission."""
        if not self.is_superuser or not self.is_active or _is_for_superusers(perm) or not self.has_live_operators:
            return super().has_perm(perm, obj)
        return perm in self.get_all_permissions(obj)

    @cached_property
    def has_live_operators(self) -> bool:
        return memberships.has_live_operators()


def _is_for_superusers(permission: str) -> bool:
    app, _, function = permission.partition(".")
    return app in {"admin", "auth", "staff"} or function.startswith("view_") or permission in _SUPERUSERS


class Member(User):  # type: ignore[django-manager-missing]
    """A user, as shown in the access review."""

    class Meta:
        proxy = True
        verbose_name = "member of staff"
        verbose_name_plural = "members of staff"

    def __str__(self) -> str:
        return f"staff {self.pk}"


class RoleGroup(Group):
    """A group that represents a role."""

    class Meta:
        proxy = True
        verbose_name = "role"

    def __str__(self) -> str:
        return self.name
