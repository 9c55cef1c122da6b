"""The addresses of tables and rounds, under /api/v1/."""

from django.urls import path

from baccarat.api import actions, exclusions, fairness, kill_switch, lobby, preferences, proofs, rounds, rules, tables

urlpatterns = [
    path("tables", tables.TablesView.as_view(), name="tables"),
    path("tables/<uuid:table>", tables.TableView.as_view(), name="table"),
    path("tables/<uuid:table>/odds", tables.TableOddsView.as_view(), name="table-odds"),
    path("tables/<uuid:table>/close", tables.CloseTableView.as_view(), name="close-table"),
    path("tables/<uuid:table>/fairness", fairness.TableFairnessView.as_view(), name="table-fairness"),
    path("tables/<uuid:table>/statistics", lobby.TableStatisticsView.as_view(), name="table-statistics"),
    path("tables/<uuid:table>/rounds", rounds.TableRoundsView.as_view(), name="table-rounds"),
    path("tables/<uuid:table>/versions", rules.TableVersionsView.as_view(), name="table-versions"),
    path("tables/<uuid:table>/versions/<int:version>", rules.TableVersionView.as_view(), name="table-version"),
    path(
        "tables/<uuid:table>/versions/<int:version>/publish", rules.PublishVersionView.as_view(), name="publish-version"
    ),
    path("tables/<uuid:table>/versions/<int:version>/reject", rules.RejectVersionView.as_view(), name="reject-version"),
    path(
        "tables/<uuid:table>/versions/<int:version>/discard", rules.DiscardVersionView.as_view(), name="discard-version"
    ),
    path("tables/<uuid:table>/versions/<int:version>/retire", rules.RetireVersionView.as_view(), name="retire-version"),
    path("tables/<uuid:table>/seat", actions.TakeSeatView.as_view(), name="take-seat"),
    path("tables/<uuid:table>/change-seat", actions.ChangeSeatView.as_view(), name="change-seat"),
    path("tables/<uuid:table>/rebuy", actions.RebuyView.as_view(), name="rebuy"),
    path("tables/<uuid:table>/leave", actions.LeaveTableView.as_view(), name="leave"),
    path("tables/<uuid:table>/new-game", actions.NewGameView.as_view(), name="new-game"),
    path("tables/<uuid:table>/place", actions.PlaceChipsView.as_view(), name="place"),
    path("tables/<uuid:table>/undo", actions.UndoPlacementView.as_view(), name="undo"),
    path("tables/<uuid:table>/clear", actions.ClearChipsView.as_view(), name="clear"),
    path("tables/<uuid:table>/rebet", actions.RebetView.as_view(), name="rebet"),
    path("tables/<uuid:table>/rebet-and-deal", actions.RebetAndDealView.as_view(), name="rebet-and-deal"),
    path("tables/<uuid:table>/deal", actions.DealView.as_view(), name="deal"),
    path("tables/<uuid:table>/pass", actions.PassTurnView.as_view(), name="pass"),
    path("tables/<uuid:table>/cut", fairness.ContributeToCutView.as_view(), name="cut"),
    path("tables/<uuid:table>/look", actions.LookAtCardsView.as_view(), name="look"),
    path("tables/<uuid:table>/hand-back", actions.HandBackCardsView.as_view(), name="hand-back"),
    path("lobby", lobby.LobbyView.as_view(), name="lobby"),
    path("rounds", rounds.RoundsView.as_view(), name="rounds"),
    path("rounds/<uuid:round>", rounds.RoundView.as_view(), name="round"),
    path("rounds/<uuid:round>/events", rounds.RoundEventsView.as_view(), name="round-events"),
    path("rounds/<uuid:round>/shoe", fairness.RoundShoeView.as_view(), name="round-shoe"),
    path("rounds/<uuid:round>/proof", proofs.RoundProofView.as_view(), name="round-proof"),
    path("rounds/<uuid:round>/dispute-pack", proofs.DisputePackUrlView.as_view(), name="dispute-pack-url"),
    path("dispute-packs/keys", proofs.DisputePackKeysView.as_view(), name="dispute-pack-keys"),
    path("dispute-packs/<str:token>", proofs.DownloadDisputePackView.as_view(), name="dispute-pack"),
    path("stops", kill_switch.StopsView.as_view(), name="stops"),
    path("stops/resume", kill_switch.ResumePlayView.as_view(), name="resume-play"),
    path("me/exclusions", exclusions.MyExclusionsView.as_view(), name="my-exclusions"),
    path("players/<uuid:player>/exclusions", exclusions.PlayerExclusionsView.as_view(), name="player-exclusions"),
    path("players/<uuid:player>/exclusions/end", exclusions.EndExclusionView.as_view(), name="end-exclusion"),
    path("preferences", preferences.PreferencesView.as_view(), name="preferences"),
]
