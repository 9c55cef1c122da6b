"""The addresses of the log's checkpoints, under /api/v1/."""

from django.urls import path

from casino.operators.api import checkpoints_views

urlpatterns = [
    path("log/checkpoints", checkpoints_views.Checkpoints.as_view(), name="log-checkpoints"),
    path("log/checkpoints/<int:number>", checkpoints_views.OneCheckpoint.as_view(), name="log-checkpoint"),
    path("log/keys", checkpoints_views.Keys.as_view(), name="log-keys"),
    path("log/proofs/inclusion", checkpoints_views.InclusionProof.as_view(), name="log-inclusion"),
    path("log/proofs/consistency", checkpoints_views.ConsistencyProof.as_view(), name="log-consistency"),
]
