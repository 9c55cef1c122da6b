"""The API's own URLs, under /api/v1/."""

from django.urls import path

from casino.api import views

urlpatterns = [
    path("schema", views.schema, name="schema"),
    path("schema.yaml", views.schema_yaml, name="schema-yaml"),
    path("docs", views.DocsView.as_view(), name="docs"),
    path("problems", views.ProblemListView.as_view(), name="problems"),
    path("problems/<slug:code>", views.ProblemView.as_view(), name="problem"),
]
