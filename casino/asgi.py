"""The ASGI application that uvicorn serves."""

import os

import django

from casino.handler import InOneThread

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

django.setup(set_prefix=False)
application = InOneThread()
