"""Refusals about staff."""

from casino.kernel.errors import Refusal, RefusalKind


class WrongCode(Refusal):
    code = "staff_code_wrong"
    kind = RefusalKind.FORBIDDEN
    title = "This is not the code that the authenticator shows"
    remedy = "Wait for its next code. If that is wrong too, check the clock of the device."


class WrongAddressCode(Refusal):
    code = "staff_address_code_wrong"
    kind = RefusalKind.FORBIDDEN
    title = "This is not the code that was sent to your e-mail address"
    remedy = "Copy the whole code from the latest e-mail. A code is good for three days."


class NothingToConfirm(Refusal):
    code = "staff_authenticator_not_started"
    kind = RefusalKind.CONFLICT
    title = "There is no authenticator to confirm"
    remedy = "Open the page again and scan what it shows."


class AlreadyEnrolled(Refusal):
    code = "staff_authenticator_exists"
    kind = RefusalKind.CONFLICT
    title = "The user has an authenticator already"
    remedy = "Ask an administrator to reset it first."


class ReasonMissing(Refusal):
    code = "staff_reason_missing"
    kind = RefusalKind.INVALID
    title = "A change of access needs a reason"
    remedy = "Enter a reason of 3 to 500 characters."


class OwnAccessChange(Refusal):
    code = "staff_cannot_change_own_access"
    kind = RefusalKind.FORBIDDEN
    title = "You can't change your own access"
    remedy = "Ask another administrator."


class RolesApart(Refusal):
    code = "staff_roles_apart"
    kind = RefusalKind.CONFLICT
    title = "Nobody may be on two sides: do, approve, oversee, administer"
    remedy = "Give the roles to different people."


class InvalidRole(Refusal):
    code = "staff_role_invalid"
    kind = RefusalKind.INVALID
    title = "This is no role that can be made"
    remedy = "Name it with 2 to 40 small letters, digits and underscores, not as a built-in role, and choose functions."


class NoPasswordCode(Refusal):
    code = "staff_password_code_gone"
    kind = RefusalKind.CONFLICT
    title = "There is no half of a code to give out"
    remedy = "Each administrator sees the own half once, within a day. Request another code."


class InvalidIdentityProvider(Refusal):
    code = "staff_identity_provider_invalid"
    kind = RefusalKind.INVALID
    title = "This is no identity provider's issuer"
    remedy = "Enter the https:// address that the provider calls its issuer, without a query."


class ProviderFailed(Refusal):
    code = "staff_identity_provider_failed"
    kind = RefusalKind.FORBIDDEN
    title = "The sign-in by your organisation failed"
    remedy = "Begin again. If it fails again, sign in with your password, and tell an administrator."


class UnknownIdentity(Refusal):
    code = "staff_identity_unknown"
    kind = RefusalKind.FORBIDDEN
    title = "Nobody here can sign in with this account"
    remedy = (
        "Ask an administrator whether your user is active and has the e-mail address that your organisation verified."
    )


class InvalidLink(Refusal):
    code = "staff_link_invalid"
    kind = RefusalKind.CONFLICT
    title = "The user can't be linked to this person"
    remedy = "Use the person's id, as assertions name it. A link is made once and never moved."


class EmailTaken(Refusal):
    code = "email_taken"
    kind = RefusalKind.CONFLICT
    title = "Another account has this e-mail address"
    remedy = "Give each person one account; what follows a + in an address does not make another one."


class TooFewAdministrators(Refusal):
    code = "too_few_administrators"
    kind = RefusalKind.CONFLICT
    title = "Fewer than two administrators would remain"
    remedy = "Make another administrator first: one alone gives nobody access."
