"""The addresses of chats, under /api/v1/."""

from django.urls import path

from baccarat.chat import staff_views, views

urlpatterns = [
    path("tables/<uuid:table>/chat", views.TableChat.as_view(), name="chat"),
    path("tables/<uuid:table>/chat/open", views.ChatOpen.as_view(), name="chat-open"),
    path("tables/<uuid:table>/chat/report-player", views.ReportPlayer.as_view(), name="report-player"),
    path("tables/<uuid:table>/chat/<uuid:message>/report", views.ReportMessage.as_view(), name="report-message"),
    path("chat/reports", staff_views.Reports.as_view(), name="chat-reports"),
    path("chat/reports/<uuid:report>/close", staff_views.CloseReport.as_view(), name="close-chat-report"),
    path("chat/words", staff_views.FilterWords.as_view(), name="chat-words"),
    path("chat/words/remove", staff_views.RemoveFilterWord.as_view(), name="remove-chat-word"),
    path("players/<uuid:player>/conduct", staff_views.Conduct.as_view(), name="player-conduct"),
    path("players/<uuid:player>/messages", staff_views.PlayerMessages.as_view(), name="player-messages"),
    path("players/<uuid:player>/mute", staff_views.Mute.as_view(), name="mute-player"),
    path("players/<uuid:player>/unmute", staff_views.Unmute.as_view(), name="unmute-player"),
    path("players/<uuid:player>/remove", staff_views.Remove.as_view(), name="remove-player"),
    path("players/<uuid:player>/readmit", staff_views.Readmit.as_view(), name="readmit-player"),
]
