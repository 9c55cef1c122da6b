"""Quotas of requests, kept before the database is asked: for each credential, and for each address without a valid one.

A quota is a token bucket in Redis. Each process takes tokens in lots, so that few requests ask Redis; while Redis is
away, each process has buckets of its own. A credential is charged to its address until authentication has accepted it,
and then to its owner however it is spelt, so invented credentials get no bucket.
"""

import functools
import hashlib
import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

import redis
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from redis.backoff import NoBackoff
from redis.retry import Retry

from casino.api.client_ip import client_network
from casino.api.error_catalogue import TOO_MANY_REQUESTS
from casino.api.errors import problem_response
from casino.database.redis_client import redis_client

WINDOW: Final = 60
"""Seconds in which an empty bucket is full again."""
LOTS: Final = 50
"""A process takes one fiftieth of a quota at a time: so much can it allow beyond the quota."""
REFUSED_SECONDS: Final = 1.0
"""For so long an exhausted quota refuses without asking Redis."""
MAX_REMEMBERED: Final = 20_000
"""Buckets, and accepted credentials, that a process remembers: those that were used last."""
REDIS_TIMEOUT: Final = 0.2
REDIS_PAUSE: Final = 1.0
"""Seconds for which Redis is not asked after it has failed."""
UNLIMITED_PATHS: Final = frozenset({"/livez", "/readyz", "/healthz"})
_TAKE: Final = """
local now = redis.call('TIME')
now = now[1] + now[2] / 1000000
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local quota, window, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local tokens = quota
if bucket[1] then
    tokens = math.min(quota, tonumber(bucket[1]) + math.max(0, now - tonumber(bucket[2])) * quota / window)
end
local granted = math.min(wanted, math.floor(tokens))
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens - granted), 'at', string.format('%.6f', now))
redis.call('EXPIRE', KEYS[1], window)
return {granted, math.floor(tokens - granted)}
"""
_log: Final = logging.getLogger(__name__)


class Quota(NamedTuple):
    """So many requests a minute; `name` is the policy's name in the headers."""

    name: str
    requests: int

    @property
    def lot(self) -> int:
        return max(1, self.requests // LOTS)


@dataclass(slots=True)
class _Bucket:
    """What a process holds of one bucket, what it last saw left in Redis, and its own bucket while Redis is away."""

    held: int = 0
    left: int = 0
    refused_until: float = 0.0
    tokens: float = math.inf
    at: float = 0.0


class QuotaResult(NamedTuple):
    """Whether a request is allowed, and how many more would be now."""

    allowed: bool
    remaining: int


class Quotas:
    """The buckets of one process; `take` is called from its threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._owners: OrderedDict[str, str] = OrderedDict()
        self._redis_away_until = 0.0

    def take(self, key: str, quota: Quota) -> QuotaResult:
        """Take a token of a bucket."""
        now = time.monotonic()
        with self._lock:
            bucket = self._bucket(key)
            if bucket.held:
                bucket.held -= 1
                return QuotaResult(allowed=True, remaining=bucket.held + bucket.left)
            if now < bucket.refused_until:
                return QuotaResult(allowed=False, remaining=0)
        granted, left = self._take_lot(key, quota, bucket, now)
        with self._lock:
            if not granted:
                bucket.refused_until = now + REFUSED_SECONDS
                return QuotaResult(allowed=False, remaining=0)
            bucket.held, bucket.left = bucket.held + granted - 1, left
            return QuotaResult(allowed=True, remaining=bucket.held + left)

    def accept(self, credential: str, owner: str) -> None:
        """Remember whose valid credential this is."""
        with self._lock:
            self._owners[credential] = owner
            self._owners.move_to_end(credential)
            if len(self._owners) > MAX_REMEMBERED:
                self._owners.popitem(last=False)

    def refuse(self, credential: str) -> None:
        """Forget a credential that is not valid any more."""
        with self._lock:
            self._owners.pop(credential, None)

    def owner(self, credential: str) -> str | None:
        """Return the owner of a credential that was accepted, else None."""
        return self._owners.get(credential)

    def _bucket(self, key: str) -> _Bucket:
        bucket = self._buckets.setdefault(key, _Bucket())
        self._buckets.move_to_end(key)
        if len(self._buckets) > MAX_REMEMBERED:
            self._buckets.popitem(last=False)
        return bucket

    def _take_lot(self, key: str, quota: Quota, bucket: _Bucket, now: float) -> tuple[int, int]:
        if now >= self._redis_away_until:
            try:
                arguments = (f"casino:quota:{key}", str(quota.requests), str(WINDOW), str(quota.lot))
                granted, left = cast("list[int]", _client(settings.REDIS_URL).eval(_TAKE, 1, *arguments))
            except (redis.RedisError, OSError) as error:
                self._redis_away_until = now + REDIS_PAUSE
                _log.warning("Redis does not answer, quotas are counted by each process: %s", error)
            else:
                return granted, left
        with self._lock:
            bucket.tokens = min(quota.requests, bucket.tokens + (now - bucket.at) * quota.requests / WINDOW)
            granted = min(quota.lot, int(bucket.tokens))
            bucket.tokens, bucket.at = bucket.tokens - granted, now
            return granted, int(bucket.tokens)


QUOTAS: Final = Quotas()


def fingerprint(header: str) -> str:
    """Return what an Authorization header is remembered by."""
    return hashlib.sha256(header.encode()).hexdigest()[:32]


def middleware(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Callable[[HttpRequest], HttpResponseBase]:
    """Refuse requests beyond a quota. Comes before everything that asks the database, after static files."""

    def handle(request: HttpRequest) -> HttpResponseBase:
        if request.path_info in UNLIMITED_PATHS:
            return get_response(request)
        owner = QUOTAS.owner(fingerprint(request.META.get("HTTP_AUTHORIZATION", "")))
        if owner is not None:
            key, quota = f"credential:{owner}", Quota("credential", settings.QUOTA_PER_CREDENTIAL)
        else:
            key, quota = f"address:{client_network(request)}", Quota("address", settings.QUOTA_PER_ADDRESS)
        if not quota.requests:
            return get_response(request)
        decision = QUOTAS.take(key, quota)
        if not decision.allowed:
            response: HttpResponseBase = problem_response(request, TOO_MANY_REQUESTS)
            response["Retry-After"] = str(math.ceil(WINDOW / quota.requests))
        else:
            response = get_response(request)
        return _with_headers(response, quota, decision.remaining)

    return handle


def _with_headers(response: HttpResponseBase, quota: Quota, remaining: int) -> HttpResponseBase:
    seconds = math.ceil((quota.requests - remaining) * WINDOW / quota.requests)
    response["RateLimit-Policy"] = f'"{quota.name}";q={quota.requests};w={WINDOW}'
    response["RateLimit"] = f'"{quota.name}";r={remaining};t={seconds}'
    return response


@functools.cache
def _client(url: str) -> Any:
    return redis_client(
        url, socket_timeout=REDIS_TIMEOUT, socket_connect_timeout=REDIS_TIMEOUT, retry=Retry(NoBackoff(), 0)
    )
