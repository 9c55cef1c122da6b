"""How a request gets from the event loop to the code that answers it."""

from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class InOneThread(ASGIHandler):
    """Hands each request to a thread once, with all middleware, instead of once for every middleware and the view.

    Nearly every view is synchronous. One that is not runs on the event loop all the same, and so does what it streams.
    """

    def load_middleware(self, is_async: bool = False) -> None:  # noqa: FBT001, FBT002  (as Django calls it)
        """This will build the chain of middleware for a thread."""
        super().load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        """This will answer a request in the thread that its context keeps for it."""
        answer: Any = sync_to_async(self.get_response, thread_sensitive=True)
        response: HttpResponseBase = await answer(request)
        return response
