"""The addresses of reports, under /api/v1/."""

from django.urls import path

from casino.reports.api import reports

urlpatterns = [
    path("report-definitions", reports.ReportDefinitionListView.as_view(), name="report-definitions"),
    path("reports", reports.ReportListView.as_view(), name="reports"),
    path("reports/<uuid:report>", reports.ReportView.as_view(), name="report"),
    path("reports/<uuid:report>/file", reports.ReportFileView.as_view(), name="report-file"),
]
