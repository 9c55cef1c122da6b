"""Refusals of funding."""

from typing import Literal

from casino.kernel.errors import Invalid, Refusal


class FundingDiffers(Refusal):
    title = "The operator's players come by money in another way"
    remedy = "Use the calls of the operator's `funding`, which GET /api/v1/operator/funding shows."
    fact_types = {
        "funding": Literal["house", "transfer", "seamless"],
        "needed": Literal["house", "transfer", "seamless"],
    }


class FundingInUse(Refusal):
    """`payments` deposits and withdrawals have not ended."""

    title = "Payments are under way"
    remedy = "Wait until every deposit and withdrawal has ended, and try again."
    fact_types = {"payments": int}


class FundingMoneyHeld(Refusal):
    """`accounts` with real money and `transactions` with the operator's own wallet."""

    title = "Players' real money is here, or on its way"
    remedy = "Let players leave their tables, pay their balances out, and wait until nothing is on its way."
    fact_types = {"accounts": int, "transactions": int}


class WalletAddressInvalid(Invalid):
    title = "The address of the wallet cannot be used"
    remedy = "`seamless` needs a `wallet_url` with https:// and a public address, and nothing else has one."


class WalletProfileUnavailable(Refusal):
    title = "The wallet cannot be asked in this profile"
    remedy = "Only `seamless` has another profile than `standard`. For `hub88` the house sets WALLET_RSA_KEY first."


class WalletKeyMissing(Refusal):
    title = "A key between the wallet and this service is missing"
    remedy = (
        "Register a signing key with one of your API keys first (POST /api/v1/operator/key/signing-keys): it verifies "
        "your wallet's answers."
    )


class WalletNotConformant(Refusal):
    title = "Nothing proves that the wallet passes the conformance kit"
    remedy = (
        "Run `manage.py conform` against the wallet, and send the `proof` of its report within thirty days. "
        "A wallet at another address needs a run of its own."
    )
