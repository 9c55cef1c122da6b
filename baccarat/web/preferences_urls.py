"""The address of players' preferences, under /api/v1/."""

from django.urls import path

from baccarat.preferences import views

urlpatterns = [path("preferences", views.MyPreferences.as_view(), name="preferences")]
