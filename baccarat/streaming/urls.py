"""The addresses of the live stream and of game recovery, under /api/v1/."""

from django.urls import path

from baccarat.streaming import recovery, views

urlpatterns = [
    path("stream", views.stream, name="stream"),
    path("recovery", recovery.RecoveryView.as_view(), name="recovery"),
]
