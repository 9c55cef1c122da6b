"""The addresses of chats, under /api/v1/."""

from django.urls import path

from baccarat.chat import staff_views, views

urlpatterns = [
    path("tables/<uuid:table>/chat", views.TableChatView.as_view(), name="chat"),
    path("tables/<uuid:table>/chat/open", views.ChatOpenView.as_view(), name="chat-open"),
    path("tables/<uuid:table>/chat/report-player", views.ReportPlayerView.as_view(), name="report-player"),
    path("tables/<uuid:table>/chat/<uuid:message>/report", views.ReportMessageView.as_view(), name="report-message"),
    path("chat/reports", staff_views.ChatReportListView.as_view(), name="chat-reports"),
    path("chat/reports/<uuid:report>/close", staff_views.CloseReportView.as_view(), name="close-chat-report"),
    path("chat/words", staff_views.FilterWordListView.as_view(), name="chat-words"),
    path("chat/words/remove", staff_views.RemoveFilterWordView.as_view(), name="remove-chat-word"),
    path("players/<uuid:player>/conduct", staff_views.PlayerModerationView.as_view(), name="player-conduct"),
    path("players/<uuid:player>/messages", staff_views.PlayerMessageListView.as_view(), name="player-messages"),
    path("players/<uuid:player>/mute", staff_views.MuteView.as_view(), name="mute-player"),
    path("players/<uuid:player>/unmute", staff_views.UnmuteView.as_view(), name="unmute-player"),
    path("players/<uuid:player>/remove", staff_views.BanView.as_view(), name="remove-player"),
    path("players/<uuid:player>/readmit", staff_views.UnbanView.as_view(), name="readmit-player"),
]
