"""What the browser may load on the table page: our own files, our own API, nothing inline, nothing from elsewhere."""

from typing import Final

from django.http import HttpResponse

_ALLOWED: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
CONTENT_SECURITY_POLICY: Final = "; ".join(f"{kind} {sources}" for kind, sources in _ALLOWED.items())
_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Cache-Control": "no-cache",
}


def add_security_policy(response: HttpResponse) -> HttpResponse:
    """Put the page's policy on an answer."""
    for name, value in _HEADERS.items():
        response[name] = value
    return response
