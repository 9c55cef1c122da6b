"""The addresses of chats, under /api/v1/."""

from django.urls import path

from baccarat.chat import api, moderation_api

urlpatterns = [
    path("tables/<uuid:table>/chat", api.TableChatView.as_view(), name="chat"),
    path("tables/<uuid:table>/chat/open", api.ChatOpenView.as_view(), name="chat-open"),
    path("tables/<uuid:table>/chat/report-player", api.ReportPlayerView.as_view(), name="report-player"),
    path("tables/<uuid:table>/chat/<uuid:message>/report", api.ReportMessageView.as_view(), name="report-message"),
    path("chat/reports", moderation_api.ChatReportListView.as_view(), name="chat-reports"),
    path("chat/reports/<uuid:report>/close", moderation_api.CloseReportView.as_view(), name="close-chat-report"),
    path("chat/filter-words", moderation_api.FilterWordListView.as_view(), name="chat-filter-words"),
    path("chat/filter-words/remove", moderation_api.RemoveFilterWordView.as_view(), name="remove-chat-filter-word"),
    path("players/<uuid:player>/moderation", moderation_api.PlayerModerationView.as_view(), name="player-moderation"),
    path("players/<uuid:player>/messages", moderation_api.PlayerMessageListView.as_view(), name="player-messages"),
    path("players/<uuid:player>/mute", moderation_api.MuteView.as_view(), name="mute-player"),
    path("players/<uuid:player>/unmute", moderation_api.UnmuteView.as_view(), name="unmute-player"),
    path("players/<uuid:player>/ban", moderation_api.BanView.as_view(), name="ban-player"),
    path("players/<uuid:player>/unban", moderation_api.UnbanView.as_view(), name="unban-player"),
]
