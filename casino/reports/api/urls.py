"""The addresses of reports, under /api/v1/."""

from django.urls import path

from casino.reports.api import views

urlpatterns = [
    path("report-kinds", views.OperatorReportKindListView.as_view(), name="report-kinds"),
    path("reports", views.OperatorReportListView.as_view(), name="reports"),
    path("reports/<uuid:report>", views.OperatorReportView.as_view(), name="report"),
    path("reports/<uuid:report>/file", views.OperatorReportFileView.as_view(), name="report-file"),
]
