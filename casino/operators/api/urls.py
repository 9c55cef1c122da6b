"""Addresses of operators, players' credentials and the log's checkpoints, under /api/v1/."""

from django.urls import path

from casino.operators.api import checkpoints, operators, pins, sessions

urlpatterns = [
    path("operator", operators.CurrentOperatorView.as_view(), name="operator"),
    path("thresholds", operators.ThresholdListView.as_view(), name="thresholds"),
    path("players/<uuid:player>/sessions", sessions.PlayerSessionsView.as_view(), name="player-sessions"),
    path("players/<uuid:player>/pin", pins.PlayerPinView.as_view(), name="player-pin"),
    path("me/pin", pins.OwnPinView.as_view(), name="my-pin"),
    path("stream/tickets", sessions.StreamTicketsView.as_view(), name="stream-tickets"),
    path("sessions/current", sessions.CurrentSessionView.as_view(), name="current-session"),
    path("log/checkpoints", checkpoints.CheckpointListView.as_view(), name="log-checkpoints"),
    path("log/checkpoints/<int:number>", checkpoints.CheckpointView.as_view(), name="log-checkpoint"),
    path("log/keys", checkpoints.LogKeyListView.as_view(), name="log-keys"),
    path("log/proofs/inclusion", checkpoints.InclusionProofView.as_view(), name="log-inclusion"),
    path("log/proofs/consistency", checkpoints.ConsistencyProofView.as_view(), name="log-consistency"),
]
