from django.urls import path

from casino.compliance import api

urlpatterns = [
    path("me/data-exports", api.MyDataExportsView.as_view(), name="my-data-exports"),
    path("me/data-exports/<uuid:export>/file", api.MyDataExportFileView.as_view(), name="my-data-export-file"),
]
