"""The operators' addresses, under /api/v1/."""

from django.urls import path

from casino.operators.api import views

urlpatterns = [
    path("operator", views.WhoAmI.as_view(), name="operator"),
    path("thresholds", views.LargeAmounts.as_view(), name="thresholds"),
    path("players/<uuid:player>/sessions", views.PlayerSessions.as_view(), name="player-sessions"),
    path("players/<uuid:player>/pin", views.PlayersPin.as_view(), name="player-pin"),
    path("me/pin", views.MyPin.as_view(), name="my-pin"),
    path("stream/tickets", views.StreamTickets.as_view(), name="stream-tickets"),
    path("sessions/current", views.CurrentSession.as_view(), name="current-session"),
]
