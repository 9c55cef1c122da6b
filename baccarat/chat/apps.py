from django.apps import AppConfig


class ChatConfig(AppConfig):
    name = "baccarat.chat"
    label = "chat"
