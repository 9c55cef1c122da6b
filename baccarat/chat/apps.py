from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "baccarat.chat"
    label = "chat"

    def ready(self) -> None:
        """Register the filter of nicknames with the operators' players."""
        from baccarat.chat.services import check_nickname
        from casino.operators.services import register_nickname_check

        register_nickname_check(check_nickname)
