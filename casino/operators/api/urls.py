from django.urls import path

from casino.operators.api import changes, checkpoints, keys, operators, players, sessions

urlpatterns = [
    path("operator", operators.CurrentOperatorView.as_view(), name="operator"),
    path("operator/origins", operators.OperatorOriginsView.as_view(), name="operator-origins"),
    path("operator/key", keys.CurrentKeyView.as_view(), name="current-key"),
    path("operator/key/rotate", keys.RotateKeyView.as_view(), name="rotate-key"),
    path("operator/key/end-rotation", keys.EndRotationView.as_view(), name="end-key-rotation"),
    path("operator/key/signing-keys", keys.SigningKeysView.as_view(), name="signing-keys"),
    path("operator/key/signing-keys/<str:keyid>", keys.SigningKeyView.as_view(), name="signing-key"),
    path("changes", changes.ChangeListView.as_view(), name="changes"),
    path("changes/<uuid:change>", changes.ChangeView.as_view(), name="change"),
    path("changes/<uuid:change>/confirm", changes.ConfirmChangeView.as_view(), name="confirm-change"),
    path("changes/<uuid:change>/decline", changes.DeclineChangeView.as_view(), name="decline-change"),
    path("changes/<uuid:change>/cancel", changes.CancelChangeView.as_view(), name="cancel-change"),
    path("me/operator", operators.OwnOperatorView.as_view(), name="my-operator"),
    path("thresholds", operators.ThresholdListView.as_view(), name="thresholds"),
    path("players/<uuid:player>/sessions", sessions.PlayerSessionsView.as_view(), name="player-sessions"),
    path(
        "players/<uuid:player>/sessions/renew",
        sessions.RenewPlayerSessionView.as_view(),
        name="renew-player-session",
    ),
    path("players/<uuid:player>/pin", players.PlayerPinView.as_view(), name="player-pin"),
    path("me/pin", players.OwnPinView.as_view(), name="my-pin"),
    path("stream/tickets", players.StreamTicketsView.as_view(), name="stream-tickets"),
    path("sessions/launch", sessions.LaunchSessionView.as_view(), name="launch-session"),
    path("sessions/renew", sessions.RenewCurrentSessionView.as_view(), name="renew-session"),
    path("sessions/current", sessions.CurrentSessionView.as_view(), name="current-session"),
    path("log/checkpoints", checkpoints.CheckpointListView.as_view(), name="log-checkpoints"),
    path("log/checkpoints/<int:number>", checkpoints.CheckpointView.as_view(), name="log-checkpoint"),
    path("log/keys", checkpoints.LogKeyListView.as_view(), name="log-keys"),
    path("log/witnesses", checkpoints.LogWitnessListView.as_view(), name="log-witnesses"),
    path("log/proofs/inclusion", checkpoints.InclusionProofView.as_view(), name="log-inclusion"),
    path("log/proofs/consistency", checkpoints.ConsistencyProofView.as_view(), name="log-consistency"),
]
