"""Refusals of the ledger."""

from casino.kernel import money
from casino.kernel.errors import Amount, Forbidden, Invalid, Missing, Refusal
from wallet.ledger.accounts import AccountName, PlayerAccountKind


class InsufficientFunds(Refusal):
    """`account` has a `balance` below the `needed` minor units."""

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


class UnknownAccount(Missing):
    title = "This player has no such account"
    remedy = "Register the player first, and pay into the account in this currency."


class OperatorNotSandbox(Forbidden):
    title = "This operator is not a sandbox"
    remedy = "Use an operator that was created as a sandbox."


class CreditTooLarge(Invalid):
    title = "The credit is larger than one sandbox credit may be"
    remedy = "Send a smaller amount, or several."


class TableRequired(Invalid):
    title = "A game balance or rack belongs to a table"
    remedy = "Send the id of the table."


class TableNotAllowed(Invalid):
    title = "The account belongs to no table"
    remedy = "Omit the table, or choose the game balance or rack."


class DebtOutstanding(Refusal):
    """A reversed deposit left a debt of `owed` minor units, to be paid before anything else."""

    title = "A reversed deposit has left a debt"
    remedy = "Deposit what is owed; a deposit pays the debt first."
    fact_types = {"owed": Amount, "currency": str}

    def __init__(self, *, owed: int, currency: str) -> None:
        amount = money.format_amount(owed, currency)
        super().__init__(f"{amount} {currency} is owed.", owed=amount, currency=currency)
        self.owed = owed
