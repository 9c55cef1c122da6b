"""The live stream's address, under /api/v1/."""

from django.urls import path

from baccarat.live import views

urlpatterns = [path("stream", views.stream, name="stream")]
