"""What the wallet refuses, and what to do about it."""

from casino.kernel import money
from casino.kernel.errors import Refusal, RefusalKind
from wallet.ledger.accounts import AccountName


class InsufficientFunds(Refusal):
    """`account` holds `balance` minor units and would have had to pay `needed`."""

    code = "insufficient_funds"
    kind = RefusalKind.CONFLICT
    title = "The balance does not cover this"
    remedy = "Lower the amount, rebuy from the account, or deposit."

    def __init__(self, *, account: AccountName, balance: int, needed: int) -> None:
        has, takes = money.format_amount(balance, account.currency), money.format_amount(needed, account.currency)
        super().__init__(
            f"The {account.kind} balance is {has} {account.currency}; this takes {takes}.",
            account=str(account.kind),
            balance=has,
            needed=takes,
            currency=account.currency,
        )
        self.account, self.balance, self.needed = account, balance, needed


class UnknownAccount(Refusal):
    code = "unknown_account"
    kind = RefusalKind.MISSING
    title = "This player has no such account"
    remedy = "Register the player first, and use the operator's currency."


class AccountCurrencyDiffers(Refusal):
    code = "account_currency_differs"
    kind = RefusalKind.CONFLICT
    title = "The player's account is open in another currency"
    remedy = "Use the currency in which the account was opened."


class OperatorNotSandbox(Refusal):
    code = "operator_not_sandbox"
    kind = RefusalKind.FORBIDDEN
    title = "This operator gives no sandbox credits"
    remedy = "Use an operator that was created as a sandbox."


class CreditTooLarge(Refusal):
    code = "credit_too_large"
    kind = RefusalKind.INVALID
    title = "The credit is larger than one sandbox credit may be"
    remedy = "Send a smaller amount, or several."


class TableRequired(Refusal):
    code = "table_required"
    kind = RefusalKind.INVALID
    title = "A game balance or rack is at a table"
    remedy = "Send the table's id as well."


class TableNotAllowed(Refusal):
    code = "table_not_allowed"
    kind = RefusalKind.INVALID
    title = "The account is at no table"
    remedy = "Leave the table out, or ask for the game balance or rack."


class DebtOutstanding(Refusal):
    """A reversed deposit left `owed` minor units to pay before anything else."""

    code = "debt_outstanding"
    kind = RefusalKind.CONFLICT
    title = "A reversed deposit has left a debt"
    remedy = "Deposit what is owed; a deposit pays the debt first."

    def __init__(self, *, owed: int, currency: str) -> None:
        shown = money.format_amount(owed, currency)
        super().__init__(f"{shown} {currency} is owed.", owed=shown, currency=currency)
        self.owed = owed


class PeriodReversed(Refusal):
    code = "period_reversed"
    kind = RefusalKind.INVALID
    title = "The period ends before it begins"
    remedy = "Send a `to` after `from`."
