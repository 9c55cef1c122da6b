"""The wallet's addresses, under /api/v1/."""

from django.urls import path

from wallet.api import views

urlpatterns = [
    path("players", views.Players.as_view(), name="players"),
    path("players/<uuid:player>", views.OnePlayer.as_view(), name="player"),
    path("players/<uuid:player>/sandbox-credits", views.SandboxCredits.as_view(), name="sandbox-credits"),
    path("players/<uuid:player>/balances", views.PlayerBalances.as_view(), name="player-balances"),
    path("players/<uuid:player>/statement", views.PlayerStatement.as_view(), name="player-statement"),
    path("me/balances", views.MyBalances.as_view(), name="my-balances"),
    path("me/statement", views.MyStatement.as_view(), name="my-statement"),
]
