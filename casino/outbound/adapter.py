"""Lets libraries that use `requests` connect to checked addresses alone."""

import io

import requests
from requests.adapters import BaseAdapter
from requests.structures import CaseInsensitiveDict

from casino.outbound.answers import NO_ANSWER
from casino.outbound.blocking import blocking_client


class CheckedAdapter(BaseAdapter):
    """Sends requests by `blocking_client`, in so many seconds, and takes answers of so many bytes."""

    def __init__(self, *, seconds: float, limit: int) -> None:
        super().__init__()
        self._seconds, self._limit = seconds, limit

    def send(self, request: requests.PreparedRequest, *_: object, **__: object) -> requests.Response:
        """Send a request. Raises requests.ConnectionError if there is no answer in time."""
        body = request.body or b""
        sent = {
            name: value if isinstance(value, str) else value.decode("latin-1")
            for name, value in request.headers.items()
        }
        try:
            answer = blocking_client().ask(
                request.method or "GET",
                request.url or "",
                headers=sent | {"Accept-Encoding": "identity"},
                body=body.encode() if isinstance(body, str) else bytes(body),  # type: ignore[arg-type]  # no files
                seconds=self._seconds,
                limit=self._limit,
            )
        except NO_ANSWER as error:
            raise requests.ConnectionError(error, request=request) from error
        response = requests.Response()
        response.status_code, response.raw = answer.status, io.BytesIO(answer.body)
        response.headers = CaseInsensitiveDict(answer.headers)
        response.url, response.request = request.url or "", request
        return response

    def close(self) -> None:
        """Leave the process's client open."""
