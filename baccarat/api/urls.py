"""The addresses of tables and rounds, under /api/v1/."""

from django.urls import path

from baccarat.api import actions, exclusion_views, fairness_views, lobby_views, proof_views, views

urlpatterns = [
    path("tables", views.Tables.as_view(), name="tables"),
    path("tables/<uuid:table>", views.Table.as_view(), name="table"),
    path("tables/<uuid:table>/odds", views.TableOdds.as_view(), name="table-odds"),
    path("tables/<uuid:table>/fairness", fairness_views.TableFairness.as_view(), name="table-fairness"),
    path("tables/<uuid:table>/rounds", views.TableRounds.as_view(), name="table-rounds"),
    path("tables/<uuid:table>/statistics", lobby_views.TableStatistics.as_view(), name="table-statistics"),
    path("lobby", lobby_views.Lobby.as_view(), name="lobby"),
    path("rounds", views.Rounds.as_view(), name="rounds"),
    path("rounds/<uuid:round>", views.Round.as_view(), name="round"),
    path("rounds/<uuid:round>/events", views.RoundEvents.as_view(), name="round-events"),
    path("rounds/<uuid:round>/shoe", fairness_views.RoundShoe.as_view(), name="round-shoe"),
    path("rounds/<uuid:round>/proof", proof_views.RoundProof.as_view(), name="round-proof"),
    path("tables/<uuid:table>/seat", actions.TakeSeat.as_view(), name="take-seat"),
    path("tables/<uuid:table>/change-seat", actions.ChangeSeat.as_view(), name="change-seat"),
    path("tables/<uuid:table>/rebuy", actions.Rebuy.as_view(), name="rebuy"),
    path("tables/<uuid:table>/leave", actions.Leave.as_view(), name="leave"),
    path("tables/<uuid:table>/new-game", actions.NewGame.as_view(), name="new-game"),
    path("tables/<uuid:table>/place", actions.Place.as_view(), name="place"),
    path("tables/<uuid:table>/undo", actions.Undo.as_view(), name="undo"),
    path("tables/<uuid:table>/clear", actions.Clear.as_view(), name="clear"),
    path("tables/<uuid:table>/rebet", actions.Rebet.as_view(), name="rebet"),
    path("tables/<uuid:table>/rebet-and-deal", actions.RebetAndDeal.as_view(), name="rebet-and-deal"),
    path("tables/<uuid:table>/deal", actions.Deal.as_view(), name="deal"),
    path("tables/<uuid:table>/pass", actions.Pass.as_view(), name="pass"),
    path("tables/<uuid:table>/cut", fairness_views.GiveCut.as_view(), name="cut"),
    path("tables/<uuid:table>/look", actions.Look.as_view(), name="look"),
    path("tables/<uuid:table>/hand-back", actions.HandBack.as_view(), name="hand-back"),
    path("me/exclusions", exclusion_views.MyExclusions.as_view(), name="my-exclusions"),
    path("players/<uuid:player>/exclusions", exclusion_views.PlayerExclusions.as_view(), name="player-exclusions"),
    path("players/<uuid:player>/exclusions/end", exclusion_views.EndExclusion.as_view(), name="end-exclusion"),
]
