"""What may be done with money, and to limits and exclusions of players."""

from typing import Final

from casino.staff.duties import Act, DutySide, Role, Signed

_CONFIG: Final = "config_changed"

APPROVE_TERMS: Final = Act(
    "wallet.change_depositmethod",
    "change methods, policies, the cap of play money; confirm the end of an exclusion",
    DutySide.APPROVE,
    (Role.APPROVER,),
    scope="configure",
    assertion=Signed.LIVE,
    persons=2,
    delayed=True,
    event=_CONFIG,
    tells="who asked, who confirmed",
)
CHANGE_FUNDING: Final = Act(
    "wallet.change_operatorfunding",
    "change where players' money is",
    DutySide.APPROVE,
    (Role.APPROVER,),
    scope="configure",
    assertion=Signed.LIVE,
    persons=2,
    event=_CONFIG,
    tells="who asked, who confirmed",
)
PAY_OUT: Final = Act(
    "wallet.change_withdrawal",
    "pay out or reject withdrawals",
    DutySide.DO,
    (Role.CASHIER,),
    one_more="above the policy's amount",
    tells="the player",
)
REQUEST_ADJUSTMENT: Final = Act(
    "wallet.request_adjustment",
    "request adjustments",
    DutySide.DO,
    (Role.CASHIER,),
    scope="money",
    assertion=Signed.ALWAYS,
)
APPROVE_ADJUSTMENT: Final = Act(
    "wallet.approve_adjustment",
    "approve or reject adjustments",
    DutySide.APPROVE,
    (Role.APPROVER,),
    scope="money",
    assertion=Signed.ALWAYS,
    persons=2,
    event="money_adjusted",
    tells="the player",
)
RESOLVE_DISCREPANCY: Final = Act(
    "wallet.change_discrepancy",
    "own and resolve discrepancies",
    DutySide.OVERSEE,
    (Role.COMPLIANCE,),
    scope="compliance",
    assertion=Signed.LIVE,
    one_more="for a provider's message above the policy's second amount",
)
EXCLUDE: Final = Act(
    "wallet.exclude_player",
    "exclude players",
    DutySide.ANY,
    (Role.COMPLIANCE, Role.SUPPORT),
    scope="compliance",
    event="player_data_changed",
    tells="the player",
)
SET_RESTRICTIONS: Final = Act(
    "wallet.change_playerrestrictions",
    "set limits of players, request the end of an exclusion",
    DutySide.DO,
    (Role.SUPPORT,),
    scope="compliance",
    event="player_data_changed",
    tells="the player",
)
END_EXCLUSION: Final = Act(
    "wallet.end_exclusion",
    "request the end of an exclusion",
    DutySide.DO,
    scope="compliance",
    assertion=Signed.LIVE,
    persons=2,
    delayed=True,
    event=_CONFIG,
)
DECIDE_HOLD: Final = Act(
    "wallet.decide_hold",
    "own, release and reject held payments and credits",
    DutySide.OVERSEE,
    (Role.COMPLIANCE,),
    scope="compliance",
    assertion=Signed.ALWAYS,
    one_more="to release a credit, or above the policy's amount",
    event="payment_held",
)
FREEZE: Final = Act(
    "wallet.freeze_player",
    "freeze accounts of players",
    DutySide.ANY,
    (Role.COMPLIANCE,),
    scope="compliance",
    assertion=Signed.ALWAYS,
    event="account_frozen",
)
UNFREEZE: Final = Act(
    "wallet.unfreeze_player",
    "lift the freeze of an account",
    DutySide.OVERSEE,
    (Role.COMPLIANCE,),
    scope="compliance",
    assertion=Signed.ALWAYS,
    persons=2,
    event="account_frozen",
)
REGISTER_PLAYER: Final = Act("wallet.register_player", "register players", DutySide.DO, scope="play")
CREDIT_SANDBOX: Final = Act(
    "wallet.credit_sandbox", "give money to players of a sandbox operator", DutySide.DO, scope="money"
)
TRANSFER: Final = Act(
    "wallet.transfer_money", "transfer money from and to the operator's own wallet", DutySide.DO, scope="money"
)
ACTS: Final = (
    END_EXCLUSION,
    REGISTER_PLAYER,
    CREDIT_SANDBOX,
    TRANSFER,
    APPROVE_TERMS,
    REQUEST_ADJUSTMENT,
    APPROVE_ADJUSTMENT,
    CHANGE_FUNDING,
    PAY_OUT,
    RESOLVE_DISCREPANCY,
    EXCLUDE,
    SET_RESTRICTIONS,
    DECIDE_HOLD,
    FREEZE,
    UNFREEZE,
)
