"""The catalogue of problems: every error code of the API, with its status and its remedy.

Responses follow RFC 9457 (problem details for HTTP APIs). Domain refusals define their own code, title and remedy; the
problems below belong to HTTP itself and to the format of a request.
"""

from typing import Annotated, Any, Final

from msgspec import Meta

from casino.api.shapes import Shape
from casino.kernel.errors import Refusal, RefusalKind, all_refusals

STATUS_OF_KIND: Final = {
    RefusalKind.INVALID: 422,
    RefusalKind.CONFLICT: 409,
    RefusalKind.FORBIDDEN: 403,
    RefusalKind.MISSING: 404,
    RefusalKind.GONE: 410,
    RefusalKind.UNAVAILABLE: 503,
}


class ProblemType(Shape):
    """A kind of error: a stable code, its HTTP status, what is wrong and what to do about it."""

    code: Annotated[str, Meta(examples=["idempotency_key_reused"])]
    status: Annotated[int, Meta(description="The HTTP status of the response.", examples=[422])]
    title: str
    remedy: str


class RequestRejected(Exception):
    """A request that fails before any domain rule is checked; `facts` are JSON-ready."""

    def __init__(self, problem: ProblemType, detail: str = "", *, remedy: str = "", **facts: object) -> None:
        super().__init__(detail or problem.title)
        self.problem = problem
        self.detail = detail or problem.title
        self.remedy = remedy or problem.remedy
        self.facts = facts


BAD_REQUEST: Final = ProblemType("bad_request", 400, "The request can't be understood", "Correct the request.")
MALFORMED_JSON: Final = ProblemType(
    "malformed_json", 400, "The body is not valid JSON", "Send one UTF-8 JSON object with unique keys."
)
LENGTH_REQUIRED: Final = ProblemType(
    "length_required", 411, "The length of the body is missing", "Send a Content-Length header, not a chunked body."
)
BODY_TOO_LARGE: Final = ProblemType(
    "body_too_large", 413, "The body is too large", "Send at most 64 KiB (65,536 bytes)."
)
UNSUPPORTED_MEDIA_TYPE: Final = ProblemType(
    "unsupported_media_type", 415, "The body's media type is not supported", "Send Content-Type: application/json."
)
NOT_AUTHENTICATED: Final = ProblemType(
    "not_authenticated", 401, "Credentials are missing", "Send an Authorization: Bearer header with a key or a token."
)
INVALID_CREDENTIALS: Final = ProblemType(
    "invalid_credentials", 401, "These credentials are not valid", "Use a valid key, or the token of an open session."
)
TOKEN_EXPIRED: Final = ProblemType(
    "token_expired", 401, "The player's token has expired", "Have the operator's server open a new player session."
)
SESSION_TAKEN_OVER: Final = ProblemType(
    "session_taken_over",
    401,
    "The player has logged in elsewhere, and this session has ended",
    "Continue in the new session, or open another one here from the operator's server.",
)
SESSION_TIMED_OUT: Final = ProblemType(
    "session_timed_out",
    401,
    "The session has ended after inactivity",
    "Have the operator's server open a new player session.",
)
SESSION_PLAYER_BANNED: Final = ProblemType(
    "session_ended_by_ban",
    401,
    "The player is banned, and the session has ended",
    "Contact the operator's support, which also pays out the balance.",
)
KEY_EXPIRED: Final = ProblemType(
    "key_expired", 401, "The API key has expired", "Use the key that replaced it, or have another one issued."
)
NETWORK_REFUSED: Final = ProblemType(
    "network_refused",
    403,
    "The API key may not be used from this network address",
    "Send the request from one of the key's networks, or have its networks changed.",
)
SIGNATURE_REQUIRED: Final = ProblemType(
    "request_signature_required",
    401,
    "Requests with this API key must be signed",
    "Sign the request with a signing key of this API key, as the guide to keys and signatures describes.",
)
SIGNATURE_INVALID: Final = ProblemType(
    "request_signature_invalid",
    401,
    "The signature of the request is not valid",
    "Compare your signature base with the published test vectors; `detail` says what is wrong.",
)
SIGNATURE_EXPIRED: Final = ProblemType(
    "request_signature_expired",
    401,
    "The signature of the request is too old, or from the future",
    "Sign the request again just before you send it, and check your clock.",
)
SIGNATURE_USED: Final = ProblemType(
    "request_signature_used",
    401,
    "The signature of the request was used before",
    "Sign each attempt with a nonce of its own, also when you repeat a request under the same Idempotency-Key.",
)
FORBIDDEN: Final = ProblemType(
    "forbidden", 403, "These credentials may not do this", "Use the kind of credentials that this endpoint accepts."
)
NOT_FOUND: Final = ProblemType(
    "not_found", 404, "There is nothing at this address", "Check the address and the ids in it."
)
METHOD_NOT_ALLOWED: Final = ProblemType(
    "method_not_allowed", 405, "This address does not support this method", "Use a method in the Allow header."
)
NOT_ACCEPTABLE: Final = ProblemType(
    "not_acceptable", 406, "No response in an accepted media type is available", "Accept application/json."
)
TOO_MANY_REQUESTS: Final = ProblemType("too_many_requests", 429, "Too many requests", "Wait, then repeat the request.")
IDEMPOTENCY_KEY_REQUIRED: Final = ProblemType(
    "idempotency_key_required",
    400,
    "The Idempotency-Key header is missing",
    "Send your own key: a new one for each new request, the same one when you repeat a request.",
)
IDEMPOTENCY_KEY_MALFORMED: Final = ProblemType(
    "idempotency_key_malformed",
    400,
    "The Idempotency-Key header is malformed",
    "Send 1 to 128 visible ASCII characters, such as a UUID.",
)
IDEMPOTENCY_KEY_REUSED: Final = ProblemType(
    "idempotency_key_reused",
    422,
    "This Idempotency-Key was used for another request",
    "Use a new key for a new request; repeat a request with the same body.",
)
INVALID_CURSOR: Final = ProblemType(
    "invalid_cursor",
    400,
    "The cursor is not valid",
    "Send the `next` of the previous page of this list, with the same filters, or no cursor.",
)
INVALID_LIMIT: Final = ProblemType(
    "invalid_limit", 400, "The page limit is out of range", "Send a whole number from 1 to 500."
)
UNKNOWN_PARAMETER: Final = ProblemType(
    "unknown_parameter",
    400,
    "There is no such query parameter",
    "Leave the parameter out, or correct its name: a filter that is not known would select too much.",
)
INVALID_FIELDS: Final = ProblemType(
    "invalid_fields", 422, "Several fields are not valid", "Correct each field in `errors`."
)
INTERNAL_ERROR: Final = ProblemType(
    "internal_error",
    500,
    "Something failed on our side",
    "Repeat the request with the same key, and quote the request id to support.",
)
UNAVAILABLE: Final = ProblemType(
    "unavailable", 503, "The service can't reach its database", "Repeat the request with the same key in a moment."
)

OVERLOADED: Final = ProblemType(
    "overloaded", 503, "The service has too many requests", "Repeat the request with the same key in a moment."
)
REQUEST_TIMEOUT: Final = ProblemType(
    "request_timeout", 408, "The body did not arrive in time", "Send the whole body within ten seconds."
)

FACTS: Final[dict[str, dict[str, Any]]] = {BODY_TOO_LARGE.code: {"max_bytes": int | None}}
"""The facts of problems that are no refusals."""
HTTP_PROBLEMS: Final = (
    BAD_REQUEST,
    MALFORMED_JSON,
    LENGTH_REQUIRED,
    BODY_TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    NOT_AUTHENTICATED,
    INVALID_CREDENTIALS,
    TOKEN_EXPIRED,
    SESSION_TAKEN_OVER,
    SESSION_TIMED_OUT,
    SESSION_PLAYER_BANNED,
    KEY_EXPIRED,
    NETWORK_REFUSED,
    SIGNATURE_REQUIRED,
    SIGNATURE_INVALID,
    SIGNATURE_EXPIRED,
    SIGNATURE_USED,
    FORBIDDEN,
    NOT_FOUND,
    METHOD_NOT_ALLOWED,
    NOT_ACCEPTABLE,
    TOO_MANY_REQUESTS,
    IDEMPOTENCY_KEY_REQUIRED,
    IDEMPOTENCY_KEY_MALFORMED,
    IDEMPOTENCY_KEY_REUSED,
    INVALID_CURSOR,
    INVALID_LIMIT,
    UNKNOWN_PARAMETER,
    INVALID_FIELDS,
    INTERNAL_ERROR,
    UNAVAILABLE,
    OVERLOADED,
    REQUEST_TIMEOUT,
)
FIELD_PROBLEMS: Final = (
    ProblemType("unknown_field", 422, "There is no such field", "Leave the field out, or correct its name."),
    ProblemType("field_required", 422, "A field is missing", "Send the field."),
    ProblemType("field_null", 422, "A field may not be null", "Send a value, or leave the field out."),
    ProblemType("field_blank", 422, "A field may not be empty", "Send at least one character."),
    ProblemType("field_too_long", 422, "A field is too long", "Send fewer characters or items."),
    ProblemType("field_too_short", 422, "A field is too short", "Send more characters or items."),
    ProblemType("field_invalid", 422, "A field is not valid", "Send a value in the documented format."),
    ProblemType("not_a_string", 422, "A field must be text", "Send a JSON string."),
    ProblemType("not_an_integer", 422, "A field must be a whole number", "Send a JSON number without a fraction."),
    ProblemType(
        "currency_not_offered", 422, "Your casino does not offer this currency", "Send one of the currencies it offers."
    ),
    ProblemType("not_a_boolean", 422, "A field must be true or false", "Send true or false, without quotes."),
    ProblemType("not_an_array", 422, "A field must be a list", "Send a JSON array."),
    ProblemType("not_an_object", 422, "A field must be an object", "Send a JSON object."),
    ProblemType("number_too_large", 422, "A number is too large", "Send a smaller number."),
    ProblemType("number_too_small", 422, "A number is too small", "Send a larger number."),
    ProblemType("unknown_choice", 422, "This is not one of the choices", "Send one of the listed values."),
)
_FIXED: Final = {problem.code: problem for problem in (*HTTP_PROBLEMS, *FIELD_PROBLEMS)}


def problem_for_refusal(refusal: type[Refusal]) -> ProblemType:
    """Return the problem type of a domain refusal."""
    return ProblemType(refusal.code, STATUS_OF_KIND[refusal.kind], refusal.title, refusal.remedy)


def find_problem(code: str) -> ProblemType | None:
    return _FIXED.get(code) or all_problems().get(code)


def all_problems() -> dict[str, ProblemType]:
    """Return every problem by code: those of this module, and those of all imported refusals."""
    refusals = {refusal.code: problem_for_refusal(refusal) for refusal in all_refusals()}
    return dict(sorted({**refusals, **_FIXED}.items()))
