"""Who may use which address of the admin: one line for each list and page of rows, and for each address beside them.

The roles by a letter: c compliance, f floor manager, k cashier, a approver, s support, u administrator of users.
"""

from typing import Final

from casino.staff.roles import Role

LETTERS: Final = {
    "c": Role.COMPLIANCE,
    "f": Role.FLOOR_MANAGER,
    "k": Role.CASHIER,
    "a": Role.APPROVER,
    "s": Role.SUPPORT,
    "u": Role.ADMINISTRATOR,
}
VIEWS: Final = {
    "admin_logentry": "cu",
    "auth_user": "cu",
    "baccarat_round": "cfas",
    "baccarat_table": "cfas",
    "baccarat_wager": "cfas",
    "chat_act": "cs",
    "chat_message": "cs",
    "chat_report": "cs",
    "chat_word": "cs",
    "events_event": "c",
    "events_headmark": "c",
    "events_subscription": "c",
    "operators_apikey": "cu",
    "operators_operator": "cfkasu",
    "operators_player": "cfkas",
    "significant_significantevent": "ca",
    "significant_threshold": "ca",
    "staff_member": "cu",
    "staff_rolegroup": "cu",
    "staff_signin": "cu",
    "staff_view": "cu",
    "wallet_account": "ckas",
    "wallet_adjustment": "cka",
    "wallet_callback": "cka",
    "wallet_deposit": "cka",
    "wallet_depositmethod": "cka",
    "wallet_difference": "cka",
    "wallet_entry": "cka",
    "wallet_protection": "ckas",
    "wallet_reconciliation": "cka",
    "wallet_withdrawal": "cka",
}
"""Who may see the lists and pages of a model: `changelist`, `change`, `history`. Nobody adds or deletes a row."""
ACTIONS: Final = {
    "auth_user_add": "u",
    "auth_user_password_change": "u",
    "baccarat_round_approve_void": "a",
    "baccarat_round_decline_void": "a",
    "baccarat_round_request_void": "f",
    "baccarat_round_resume": "f",
    "baccarat_round_void": "fa",
    "chat_act_mute": "s",
    "chat_act_readmit": "s",
    "chat_act_remove": "s",
    "chat_act_unmute": "s",
    "chat_message_mute": "s",
    "chat_message_readmit": "s",
    "chat_message_remove": "s",
    "chat_message_unmute": "s",
    "chat_report_close": "s",
    "chat_report_mute": "s",
    "chat_report_readmit": "s",
    "chat_report_remove": "s",
    "chat_report_unmute": "s",
    "chat_word_drop": "s",
    "chat_word_list": "s",
    "operators_apikey_revoke": "u",
    "operators_operator_thresholds": "a",
    "operators_player_end": "s",
    "significant_significantevent_acknowledge": "c",
    "significant_significantevent_note": "c",
    "staff_member_export": "cu",
    "staff_member_reset": "u",
    "staff_member_unlock": "u",
    "wallet_account_adjust": "k",
    "wallet_account_exclude": "s",
    "wallet_account_limit": "s",
    "wallet_adjustment_approve": "a",
    "wallet_adjustment_reject": "a",
    "wallet_difference_assign": "k",
    "wallet_difference_resolve": "k",
    "wallet_protection_end": "s",
    "wallet_withdrawal_approve": "ka",
    "wallet_withdrawal_reject": "ka",
}
"""Who may use an address of its own."""
OF_EVERYBODY: Final = {
    "app_list", "authenticator", "autocomplete", "index", "jsi18n", "login", "logout", "password_change",
    "password_change_done", "search", "view_on_site",
}  # fmt: skip
"""The site's own addresses, which show what each person may see."""
