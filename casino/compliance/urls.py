"""The addresses of players' own exports and of cases, under /api/v1/."""

from django.urls import path

from casino.compliance import api, cases_api

urlpatterns = [
    path("me/data-exports", api.MyDataExportsView.as_view(), name="my-data-exports"),
    path("me/data-exports/<uuid:export>/file", api.MyDataExportFileView.as_view(), name="my-data-export-file"),
    path("cases", cases_api.CaseListView.as_view(), name="cases"),
    path("cases/<uuid:case>", cases_api.CaseView.as_view(), name="case"),
    path("cases/<uuid:case>/entries", cases_api.CaseEntriesView.as_view(), name="case-entries"),
    path("cases/<uuid:case>/assign", cases_api.AssignCaseView.as_view(), name="assign-case"),
    path("cases/<uuid:case>/resolve", cases_api.ResolveCaseView.as_view(), name="resolve-case"),
    path("cases/<uuid:case>/reopen", cases_api.ReopenCaseView.as_view(), name="reopen-case"),
]
