from django.apps import AppConfig


class BaccaratConfig(AppConfig):
    name = "baccarat"
    label = "baccarat"
