"""The addresses of the log's checkpoints, under /api/v1/."""

from django.urls import path

from casino.checkpoints.api import views

urlpatterns = [
    path("log/checkpoints", views.Checkpoints.as_view(), name="log-checkpoints"),
    path("log/checkpoints/<int:number>", views.OneCheckpoint.as_view(), name="log-checkpoint"),
    path("log/keys", views.Keys.as_view(), name="log-keys"),
    path("log/proofs/inclusion", views.InclusionProof.as_view(), name="log-inclusion"),
    path("log/proofs/consistency", views.ConsistencyProof.as_view(), name="log-consistency"),
]
