"""The addresses of reports, under /api/v1/."""

from django.urls import path

from casino.reports.api import views

urlpatterns = [
    path("report-kinds", views.ReportKinds.as_view(), name="report-kinds"),
    path("reports", views.Reports.as_view(), name="reports"),
    path("reports/<uuid:report>", views.OneReport.as_view(), name="report"),
    path("reports/<uuid:report>/file", views.ReportFile.as_view(), name="report-file"),
]
