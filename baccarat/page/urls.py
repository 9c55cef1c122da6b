"""The addresses of the table page, under /play/."""

from django.urls import path

from baccarat.page import views

urlpatterns = [
    path("", views.page, name="play"),
    path("demo", views.Demo.as_view(), name="play-demo"),
]
