"""URLs of the table page, under /play/."""

from django.urls import path
from django.views.generic import RedirectView

from baccarat.web import views

urlpatterns = [
    path("", views.table_page, name="play"),
    path("verify", RedirectView.as_view(pattern_name="play-verify", query_string=True)),
    path("verify/", views.verify_page, name="play-verify"),
    path("verify/verifier.py", views.download_verifier, name="play-verifier"),
    path("verify/specification", views.read_specification, name="play-specification"),
    path("verify/vectors.json", views.read_vectors, name="play-vectors"),
    path("skins/<uuid:skin>/<str:name>", views.skin_file, name="play-skin"),
    path("demo/care", views.demo_care, name="play-demo-care"),
    path("demo", views.DemoView.as_view(), name="play-demo"),
]
