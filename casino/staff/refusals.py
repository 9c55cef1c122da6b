"""Refusals about staff."""

from casino.kernel.errors import Forbidden, Invalid, Refusal


class WrongCode(Forbidden):
    code = "staff_code_wrong"
    title = "This is not the code that the authenticator shows"
    remedy = "Wait for its next code. If that is wrong too, check the clock of the device."


class WrongAddressCode(Forbidden):
    code = "staff_address_code_wrong"
    title = "This is not the code that was sent to your e-mail address"
    remedy = "Copy the whole code from the latest e-mail. A code is good for three days."


class NothingToConfirm(Refusal):
    code = "staff_authenticator_not_started"
    title = "There is no authenticator to confirm"
    remedy = "Open the page again and scan what it shows."


class AlreadyEnrolled(Refusal):
    code = "staff_authenticator_exists"
    title = "The user has an authenticator already"
    remedy = "Ask an administrator to reset it first."


class ReasonMissing(Invalid):
    code = "staff_reason_missing"
    title = "A change of access needs a reason"
    remedy = "Enter a reason of 3 to 500 characters."


class OwnAccessChange(Forbidden):
    code = "staff_cannot_change_own_access"
    title = "You can't change your own access"
    remedy = "Ask another administrator."


class RolesApart(Refusal):
    code = "staff_roles_apart"
    title = "Nobody may be on two sides: do, approve, oversee, administer"
    remedy = "Give the roles to different people."


class InvalidRole(Invalid):
    code = "staff_role_invalid"
    title = "This is no role that can be made"
    remedy = "Name it with 2 to 40 small letters, digits and underscores, not as a built-in role, and choose functions."


class NoPasswordCode(Refusal):
    code = "staff_password_code_gone"
    title = "There is no half of a code to give out"
    remedy = "Each administrator sees the own half once, within a day. Request another code."


class InvalidIdentityProvider(Invalid):
    code = "staff_identity_provider_invalid"
    title = "This is no identity provider's issuer"
    remedy = "Enter the https:// address that the provider calls its issuer, without a query."


class ProviderFailed(Forbidden):
    code = "staff_identity_provider_failed"
    title = "The sign-in by your organisation failed"
    remedy = "Begin again. If it fails again, sign in with your password, and tell an administrator."


class UnknownIdentity(Forbidden):
    code = "staff_identity_unknown"
    title = "Nobody here can sign in with this account"
    remedy = (
        "Ask an administrator whether your user is active and has the e-mail address that your organisation verified."
    )


class InvalidLink(Refusal):
    code = "staff_link_invalid"
    title = "The user can't be linked to this person"
    remedy = "Use the person's id, as assertions name it. A link is made once and never moved."


class EmailTaken(Refusal):
    title = "Another account has this e-mail address"
    remedy = "Give each person one account; what follows a + in an address does not make another one."


class TooFewAdministrators(Refusal):
    title = "Fewer than two administrators would remain"
    remedy = "Make another administrator first: one alone gives nobody access."
