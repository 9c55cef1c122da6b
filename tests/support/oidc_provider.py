"""A small OpenID Connect provider on this machine: discovery, codes with PKCE, signed ID tokens; lies on request."""

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode, urlsplit
from uuid import uuid4

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from django.utils import timezone

from casino.operators import changes
from casino.operators.models import Operator
from casino.staff import identity_providers, provider_descriptions
from casino.staff.models import IdentityProvider, ProviderDescription
from tests.support.rsa_keys import rsa_key
from tests.threads import serving

CLIENT, SECRET = "casino", "the-client's-secret"


@dataclass
class Provider:
    """Whom it has authenticated, and how it departs from the protocol."""

    issuer: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    key: RSAPrivateKey = field(default_factory=rsa_key)
    signs_with: Any = None
    algorithm: str = "RS256"
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def authorize(self, url: str) -> str:
        """Do what a browser does there: log in, and return the address to which it is sent back."""
        query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
        assert (query["client_id"], query["response_type"]) == (CLIENT, "code")
        assert "openid" in query["scope"].split()
        assert query["code_challenge_method"] == "S256"
        code = uuid4().hex
        self.codes[code] = query
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            **self.metadata,
        }

    def jwks(self) -> dict[str, Any]:
        public: dict[str, Any] = jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": "one", "use": "sig", "alg": "RS256"}]}

    def token(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """Exchange a code, once, for its client with the verifier of its challenge."""
        basic = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        query = self.codes.pop(form.get("code", ""), None)
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if (
            query is None
            or unquote(basic) != f"{CLIENT}:{SECRET}"
            or form.get("redirect_uri") != query["redirect_uri"]
            or base64.urlsafe_b64encode(challenge).rstrip(b"=").decode() != query["code_challenge"]
        ):
            return 400, {"error": "invalid_grant"}
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": query["nonce"]}
        claims = {name: value for name, value in {**claims, **self.claims}.items() if value is not None}
        signed = jwt.encode(claims, self.signs_with or self.key, algorithm=self.algorithm, headers={"kid": "one"})
        return 200, {"access_token": uuid4().hex, "token_type": "Bearer", "expires_in": 300, "id_token": signed}


@contextmanager
def running_provider() -> Iterator[Provider]:
    """Run a provider on a free port of the loopback address."""
    provider = Provider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            provider.asked.append(self.path)
            documents = {"/.well-known/openid-configuration": provider.discovery, "/jwks": provider.jwks}
            document = documents.get(self.path)
            self.reply(*((200, document()) if document else (404, {})))

        def do_POST(self) -> None:
            provider.asked.append(self.path)
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(text).items()}
            self.reply(*provider.token(form, self.headers.get("Authorization", "")))

        def reply(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Say nothing."""

    with serving(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as server:
        provider.issuer = f"http://127.0.0.1:{server.server_port}"
        yield provider


def register(operator: Operator, provider: Provider, *, factors: tuple[str, ...] = ("mfa",)) -> IdentityProvider:
    """Have two administrators agree on the provider."""
    change = identity_providers.request_provider(
        operator=operator.pk,
        issuer=provider.issuer,
        client_id=CLIENT,
        client_secret=SECRET,
        second_factors=factors,
        by="staff:1001",
    )
    changes.confirm(change.pk, by="staff:1002")
    provider_descriptions.read_due()
    return IdentityProvider.objects.get(operator=operator, removed_at=None)


def read_again() -> None:
    """Let all providers be due, and read them."""
    ProviderDescription.objects.update(due_at=timezone.now())
    provider_descriptions.read_due()
