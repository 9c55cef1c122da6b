"""Refusals of the ledger."""

from casino.kernel import money
from casino.kernel.errors import Amount, Refusal, RefusalKind
from wallet.ledger.accounts import AccountName, PlayerAccountKind


class InsufficientFunds(Refusal):
    """`account` has a `balance` below the `needed` minor units."""

    code = "insufficient_funds"
    kind = RefusalKind.CONFLICT
    title = "The balance does not cover this"
    remedy = "Lower the amount, rebuy from the account, or deposit."
    fact_types = {"account": PlayerAccountKind, "balance": Amount, "needed": Amount, "currency": str}

    def __init__(self, *, account: AccountName, balance: int, needed: int) -> None:
        held, required = money.format_amount(balance, account.currency), money.format_amount(needed, account.currency)
        super().__init__(
            f"The {account.kind} balance is {held} {account.currency}; this takes {required}.",
            account=str(account.kind),
            balance=held,
            needed=required,
            currency=account.currency,
        )
        self.account, self.balance, self.needed = account, balance, needed


class UnknownAccount(Refusal):
    code = "unknown_account"
    kind = RefusalKind.MISSING
    title = "This player has no such account"
    remedy = "Register the player first, and pay into the account in this currency."


class OperatorNotSandbox(Refusal):
    code = "operator_not_sandbox"
    kind = RefusalKind.FORBIDDEN
    title = "This operator is not a sandbox"
    remedy = "Use an operator that was created as a sandbox."


class CreditTooLarge(Refusal):
    code = "credit_too_large"
    kind = RefusalKind.INVALID
    title = "The credit is larger than one sandbox credit may be"
    remedy = "Send a smaller amount, or several."


class TableRequired(Refusal):
    code = "table_required"
    kind = RefusalKind.INVALID
    title = "A game balance or rack belongs to a table"
    remedy = "Send the id of the table."


class TableNotAllowed(Refusal):
    code = "table_not_allowed"
    kind = RefusalKind.INVALID
    title = "The account belongs to no table"
    remedy = "Omit the table, or choose the game balance or rack."


class DebtOutstanding(Refusal):
    """A reversed deposit left a debt of `owed` minor units, to be paid before anything else."""

    code = "debt_outstanding"
    kind = RefusalKind.CONFLICT
    title = "A reversed deposit has left a debt"
    remedy = "Deposit what is owed; a deposit pays the debt first."
    fact_types = {"owed": Amount, "currency": str}

    def __init__(self, *, owed: int, currency: str) -> None:
        amount = money.format_amount(owed, currency)
        super().__init__(f"{amount} {currency} is owed.", owed=amount, currency=currency)
        self.owed = owed
