"""The service's addresses and the bare view, served side by side by one server."""

from django.urls import path

from casino.urls import handler400, handler404, handler500
from casino.urls import urlpatterns as own
from tests.bench.bare import Bare

__all__ = ["handler400", "handler404", "handler500", "urlpatterns"]

urlpatterns = [path("bench/bare", Bare.as_view()), *own]
