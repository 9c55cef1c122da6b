"""All URLs of the service."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from casino.alerts import metrics
from casino.api import jwks, views
from casino.observability import health

handler400 = views.handler400
handler404 = views.handler404
handler500 = views.handler500

admin.autodiscover()

# Django tries one after the other, so what players request most comes first.
API_URLS: list[URLPattern | URLResolver] = [
    path("", include("baccarat.api.urls")),
    path("", include("wallet.api.urls")),
    path("", include("baccarat.streaming.urls")),
    path("", include("baccarat.chat.urls")),
    path("", include("casino.operators.api.urls")),
    path("", include("casino.compliance.urls")),
    path("", include("casino.reports.urls")),
    path("", include("casino.feed.urls")),
    path("", include("casino.api.urls")),
]
urlpatterns: list[URLPattern | URLResolver] = [
    path("", RedirectView.as_view(pattern_name="docs")),
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("healthz", health.healthz),
    path("metrics", metrics.metrics),
    path(".well-known/jwks.json", jwks.house_keys, name="house-keys"),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("api/v1/", include(API_URLS)),
    re_path(r"^api/", views.unknown),
    path("play", RedirectView.as_view(pattern_name="play")),
    path("play/", include("baccarat.web.urls")),
]
