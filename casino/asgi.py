"""The ASGI application that uvicorn serves."""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.utils.module_loading import import_string

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")

application = get_asgi_application()
import_string(settings.PROCESS_STARTED)("web")
