"""The addresses of the log's checkpoints, under /api/v1/."""

from django.urls import path

from casino.operators.api import checkpoints_views

urlpatterns = [
    path("log/checkpoints", checkpoints_views.CheckpointListView.as_view(), name="log-checkpoints"),
    path("log/checkpoints/<int:number>", checkpoints_views.CheckpointView.as_view(), name="log-checkpoint"),
    path("log/keys", checkpoints_views.CheckpointKeyListView.as_view(), name="log-keys"),
    path("log/proofs/inclusion", checkpoints_views.InclusionProofView.as_view(), name="log-inclusion"),
    path("log/proofs/consistency", checkpoints_views.ConsistencyProofView.as_view(), name="log-consistency"),
]
