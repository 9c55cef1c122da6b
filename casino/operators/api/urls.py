"""The operators' addresses, under /api/v1/."""

from django.urls import path

from casino.operators.api import views

urlpatterns = [
    path("operator", views.CurrentOperatorView.as_view(), name="operator"),
    path("thresholds", views.ThresholdListView.as_view(), name="thresholds"),
    path("players/<uuid:player>/sessions", views.PlayerSessionsView.as_view(), name="player-sessions"),
    path("players/<uuid:player>/pin", views.PlayerPinView.as_view(), name="player-pin"),
    path("me/pin", views.OwnPinView.as_view(), name="my-pin"),
    path("stream/tickets", views.StreamTicketsView.as_view(), name="stream-tickets"),
    path("sessions/current", views.CurrentSessionView.as_view(), name="current-session"),
]
