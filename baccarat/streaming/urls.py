"""The addresses of the live stream and of the game restored, under /api/v1/."""

from django.urls import path

from baccarat.streaming import recovery_views, views

urlpatterns = [
    path("stream", views.stream, name="stream"),
    path("restore", recovery_views.GameRecoveryView.as_view(), name="restore"),
]
