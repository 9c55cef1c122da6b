"""Idempotent POSTs whose refusal has an effect: a wrong PIN is counted, so its transaction must be committed."""

from functools import wraps
from typing import ParamSpec, TypeVar

import msgspec
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api import errors
from casino.api.idempotency import Handler, IdempotentHandler, idempotent
from casino.operators import access_failures
from casino.operators.refusals import CommittedRefusal

View = TypeVar("View")
Parameters = ParamSpec("Parameters")


def idempotent_with_committed_refusals(handler: Handler[View, Parameters]) -> IdempotentHandler[View, Parameters]:
    """Wrap a view's `post` as `idempotent` does, but commit refusals that count.

    Like other effects, they have one stored response: repeating a request with a wrong PIN counts once.
    """

    @idempotent
    def keyed(view: View, request: Request, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Response:
        try:
            return handler(view, request, *args, **kwargs)
        except CommittedRefusal as refusal:
            access_failures.record_wrong_pin(request, refusal)
            answer = errors.handle(refusal, {"request": request})
            return Response(msgspec.Raw(answer.content), status=answer.status_code)

    @wraps(keyed)
    def answering(view: View, request: Request, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> HttpResponse:
        answer = keyed(view, request, *args, **kwargs)
        if answer.status_code >= 400:
            answer["Content-Type"] = errors.MEDIA_TYPE
        return answer

    return answering
