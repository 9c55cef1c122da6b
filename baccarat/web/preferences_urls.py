"""The address of players' preferences, under /api/v1/."""

from django.urls import path

from baccarat.web import preferences_views

urlpatterns = [path("preferences", preferences_views.MyPreferencesView.as_view(), name="preferences")]
