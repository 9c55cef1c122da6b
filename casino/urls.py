"""Every address of the service."""

from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path, re_path
from django.views.generic import RedirectView

from casino.api import views
from casino.observability import health

handler400 = views.handler400
handler404 = views.handler404
handler500 = views.handler500

admin.autodiscover()

urlpatterns: list[URLPattern | URLResolver] = [
    path("", RedirectView.as_view(pattern_name="docs")),
    path("livez", health.livez),
    path("readyz", health.readyz),
    path("admin", RedirectView.as_view(pattern_name="admin:index")),
    path("admin/", admin.site.urls),
    path("api/v1/", include("casino.api.urls")),
    path("api/v1/", include("casino.operators.api.urls")),
    path("api/v1/", include("casino.reports.api.urls")),
    path("api/v1/", include("wallet.api.urls")),
    path("api/v1/", include("baccarat.api.urls")),
    path("api/v1/", include("baccarat.streaming.urls")),
    path("api/v1/", include("baccarat.chat.urls")),
    re_path(r"^api/", views.unknown),
    path("play", RedirectView.as_view(pattern_name="play")),
    path("play/", include("baccarat.web.urls")),
]
