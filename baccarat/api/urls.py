"""The addresses of tables and rounds, under /api/v1/."""

from typing import Final

from django.urls import include, path

from baccarat.api import actions, exclusions, kill_switch, launches, preferences, rounds, rules, skins, tables

TABLE_URLS: Final = [
    path("deal", actions.DealView.as_view(), name="deal"),
    path("odds", tables.TableOddsView.as_view(), name="table-odds"),
    path("close", tables.CloseTableView.as_view(), name="close-table"),
    path("fairness", tables.TableFairnessView.as_view(), name="table-fairness"),
    path("statistics", tables.TableStatisticsView.as_view(), name="table-statistics"),
    path("rounds", rounds.TableRoundsView.as_view(), name="table-rounds"),
    path("versions", rules.TableVersionsView.as_view(), name="table-versions"),
    path("versions/<int:version>", rules.TableVersionView.as_view(), name="table-version"),
    path("versions/<int:version>/publish", rules.PublishVersionView.as_view(), name="publish-version"),
    path("versions/<int:version>/reject", rules.RejectVersionView.as_view(), name="reject-version"),
    path("versions/<int:version>/discard", rules.DiscardVersionView.as_view(), name="discard-version"),
    path("versions/<int:version>/retire", rules.RetireVersionView.as_view(), name="retire-version"),
    path("seat", actions.TakeSeatView.as_view(), name="take-seat"),
    path("change-seat", actions.ChangeSeatView.as_view(), name="change-seat"),
    path("rebuy", actions.RebuyView.as_view(), name="rebuy"),
    path("leave", actions.LeaveTableView.as_view(), name="leave"),
    path("new-game", actions.NewGameView.as_view(), name="new-game"),
    path("place", actions.PlaceChipsView.as_view(), name="place"),
    path("undo", actions.UndoPlacementView.as_view(), name="undo"),
    path("clear", actions.ClearChipsView.as_view(), name="clear"),
    path("rebet", actions.RebetView.as_view(), name="rebet"),
    path("rebet-and-deal", actions.RebetAndDealView.as_view(), name="rebet-and-deal"),
    path("pass", actions.PassTurnView.as_view(), name="pass"),
    path("skip-show", actions.SkipShowView.as_view(), name="skip-show"),
    path("cut", actions.ContributeToCutView.as_view(), name="cut"),
    path("look", actions.LookAtCardsView.as_view(), name="look"),
    path("hand-back", actions.HandBackCardsView.as_view(), name="hand-back"),
]
urlpatterns = [
    path("tables/<uuid:table>/", include(TABLE_URLS)),
    path("tables", tables.TablesView.as_view(), name="tables"),
    path("tables/<uuid:table>", tables.TableView.as_view(), name="table"),
    path("lobby", tables.LobbyView.as_view(), name="lobby"),
    path("rounds", rounds.RoundsView.as_view(), name="rounds"),
    path("rounds/<uuid:round>", rounds.RoundView.as_view(), name="round"),
    path("rounds/<uuid:round>/events", rounds.RoundEventsView.as_view(), name="round-events"),
    path("rounds/<uuid:round>/shoe", rounds.RoundShoeView.as_view(), name="round-shoe"),
    path("rounds/<uuid:round>/proof", rounds.RoundProofView.as_view(), name="round-proof"),
    path("rounds/<uuid:round>/dispute-pack", rounds.DisputePackUrlView.as_view(), name="dispute-pack-url"),
    path("dispute-packs/keys", rounds.DisputePackKeysView.as_view(), name="dispute-pack-keys"),
    path("dispute-packs/<str:token>", rounds.DownloadDisputePackView.as_view(), name="dispute-pack"),
    path("stops", kill_switch.StopsView.as_view(), name="stops"),
    path("stops/resume", kill_switch.ResumePlayView.as_view(), name="resume-play"),
    path("me/exclusions", exclusions.MyExclusionsView.as_view(), name="my-exclusions"),
    path("players/<uuid:player>/exclusions", exclusions.PlayerExclusionsView.as_view(), name="player-exclusions"),
    path("players/<uuid:player>/exclusions/end", exclusions.EndExclusionView.as_view(), name="end-exclusion"),
    path("launches", launches.LaunchesView.as_view(), name="launches"),
    path("skins", skins.SkinsView.as_view(), name="skins"),
    path("skins/<str:name>", skins.SkinView.as_view(), name="skin"),
    path("preferences", preferences.PreferencesView.as_view(), name="preferences"),
]
