"""The addresses of the live stream and of the game restored, under /api/v1/."""

from django.urls import path

from baccarat.live import restore_views, views

urlpatterns = [
    path("stream", views.stream, name="stream"),
    path("restore", restore_views.Restore.as_view(), name="restore"),
]
