from django.urls import path

from casino.reports import api

urlpatterns = [
    path("report-definitions", api.ReportDefinitionListView.as_view(), name="report-definitions"),
    path("reports", api.ReportListView.as_view(), name="reports"),
    path("reports/<uuid:report>", api.ReportView.as_view(), name="report"),
    path("reports/<uuid:report>/file", api.ReportFileView.as_view(), name="report-file"),
]
