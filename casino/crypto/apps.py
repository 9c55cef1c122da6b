from django.apps import AppConfig


class CryptoConfig(AppConfig):
    name = "casino.crypto"
    label = "crypto"
