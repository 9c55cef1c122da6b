from django.apps import AppConfig


class PreferencesConfig(AppConfig):
    name = "baccarat.preferences"
    label = "preferences"
