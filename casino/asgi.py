"""The ASGI application that uvicorn serves."""

import os

from django.core.asgi import get_asgi_application

from casino.observability.startup import process_started

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

application = get_asgi_application()
process_started("web")
