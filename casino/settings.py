"""All settings, in one file. The environment decides; a wrong or missing value stops the start.

Without DATABASE_URL there is no database here: `manage.py` and the Makefile start an embedded one
first (casino.devstack).
"""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

from casino import env
from casino.backoffice import menu
from wallet.responsible_gaming import betting_week

BASE_DIR = Path(__file__).resolve().parent.parent
PRODUCTION = env.text("CASINO_ENV", "development") == "production"
DEBUG = env.flag("CASINO_DEBUG", default=False)

DEVELOPMENT_SECRET = "development-only-secret-never-use-in-production"  # noqa: S105  (refused below)
SECRET_KEY = env.text("SECRET_KEY", None if PRODUCTION else DEVELOPMENT_SECRET)
DEVELOPMENT_KEYS = None if PRODUCTION else "development:" + "00" * 32
SHOE_KEYS = env.text("SHOE_KEYS", DEVELOPMENT_KEYS)
"""`key-id:64 hex digits`, comma separated; the first one encrypts, all decrypt."""
PERSONAL_KEYS = env.text("PERSONAL_KEYS", DEVELOPMENT_KEYS)
"""As SHOE_KEYS, for personal data of players and the secrets of staff's authenticators."""

CHECKPOINT_KEYS = env.text("CHECKPOINT_KEYS", DEVELOPMENT_KEYS)
"""`key-id:64 hex digits`, comma separated; the first one signs, all are trusted. `none` where nothing is signed."""
CHECKPOINT_PUBLIC_KEYS = env.text("CHECKPOINT_PUBLIC_KEYS", "")
"""The same of public keys that are trusted too, such as retired ones."""
CHECKPOINT_STORAGE = env.text("CHECKPOINT_STORAGE", None if PRODUCTION else "")
"""Where checkpoints are copied outside the database: `file:///folder` or `https://host/path`."""
CHECKPOINT_STORAGE_TOKEN = env.text("CHECKPOINT_STORAGE_TOKEN", "")
CHECKPOINT_SECONDS = env.integer("CHECKPOINT_SECONDS", default=300, least=1, most=86400)
CHECKPOINT_POSITIONS = env.integer("CHECKPOINT_POSITIONS", default=1000, least=1)
"""A checkpoint is signed after so many seconds or events, whichever is first, and at least daily."""

ALLOWED_HOSTS = env.string_list("ALLOWED_HOSTS", "" if PRODUCTION else "127.0.0.1,localhost,[::1],testserver")
CSRF_TRUSTED_ORIGINS = env.string_list("CSRF_TRUSTED_ORIGINS")

DEMO_OPERATOR = env.text("DEMO_OPERATOR", "")
"""The slug of the sandbox operator whose demo players anybody may play as on the table page; empty for none."""

if PRODUCTION:
    if DEBUG:
        raise ImproperlyConfigured("CASINO_DEBUG must be false in production.")
    if DEMO_OPERATOR:
        raise ImproperlyConfigured("DEMO_OPERATOR must be empty in production.")
    if "development" in SECRET_KEY or len(SECRET_KEY) < 50:
        raise ImproperlyConfigured("SECRET_KEY must be a secret of your own, of 50 characters or more.")
    for _name, _keys in (("SHOE", SHOE_KEYS), ("PERSONAL", PERSONAL_KEYS), ("CHECKPOINT", CHECKPOINT_KEYS)):
        if not _keys or "development" in _keys or "00" * 32 in _keys:
            _or_none = " (or be `none`)" if _name == "CHECKPOINT" else ""
            raise ImproperlyConfigured(f"{_name}_KEYS must hold keys of your own{_or_none}: key-id:64 hex digits.")
    if not CHECKPOINT_STORAGE:
        raise ImproperlyConfigured("CHECKPOINT_STORAGE must name a storage outside the database.")
    if not ALLOWED_HOSTS:
        raise ImproperlyConfigured("Set ALLOWED_HOSTS to the names this service answers to.")

INSTALLED_APPS = [
    "casino.apps.CasinoConfig",
    "casino.backoffice",  # before unfold: its templates replace those of the same name
    "unfold.apps.BasicAppConfig",
    "casino.backoffice.apps.BackofficeConfig",  # casino.urls loads its pages: only web needs them
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_otp",
    "axes",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "casino.crypto",
    "casino.events",
    "casino.significant",
    "casino.compliance",
    "casino.api",
    "casino.operators",
    "casino.staff",
    "casino.checkpoints",
    "casino.reports",
    "wallet",
    "baccarat",
    "baccarat.chat",
    "baccarat.web",
]

MIDDLEWARE = [
    "casino.api.middleware.request_id_and_cors",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "casino.backoffice.context.middleware",
    "casino.staff.lockout_middleware.lockout_middleware",
]

ROOT_URLCONF = "casino.urls"
ASGI_APPLICATION = "casino.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

# -- PostgreSQL ---------------------------------------------------------------------------------------------------

DATABASE_APP_ROLE = env.text("DATABASE_APP_ROLE", "casino_app")
"""The role of every process but `migrate`. It may only SELECT and INSERT where rows are immutable."""


def database(url: str) -> dict[str, Any]:
    """Turn a libpq URL into Django's settings for one database."""
    parameters = conninfo_to_dict(url)
    options: dict[str, Any] = {
        # Prepared statements need server-side binding; switch off behind a transaction-mode pooler.
        "server_side_binding": True,
        "prepare_threshold": 5 if env.flag("DATABASE_PREPARED_STATEMENTS", default=True) else None,
    }
    if env.text("DATABASE_ROLE", "app") == "app":
        options["options"] = f"-c role={DATABASE_APP_ROLE}"
    pool = env.integer("DATABASE_POOL", default=0)
    if pool:
        options["pool"] = {"min_size": min(2, pool), "max_size": pool, "timeout": 10, "max_lifetime": 1800}
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    keys = {names[key]: value for key, value in parameters.items() if key in names}
    options.update({key: value for key, value in parameters.items() if key not in names})
    return {
        "ENGINE": "django.db.backends.postgresql",
        **keys,
        "OPTIONS": options,
        "CONN_MAX_AGE": 0 if pool else env.integer("DATABASE_CONN_MAX_AGE", default=600),
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": not env.flag("DATABASE_PREPARED_STATEMENTS", default=True),
    }


DATABASES = {"default": database(os.environ["DATABASE_URL"])} if os.environ.get("DATABASE_URL") else {}

# -- Redis and Celery ---------------------------------------------------------------------------------------------

REDIS_URL = env.text("REDIS_URL", "redis://127.0.0.1:6379/0")
# Celery spells a socket's address and its database number in its own way, and would quietly use number 0.
CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://").replace("?db=", "?virtual_host=")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# Celery would give up, and the worker end, after a hundred attempts.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 60,
    "unacked_restore_interval": 5,
    "unacked_restore_throttle": 1,
    "health_check_interval": 15,
    "socket_timeout": 5,
    "socket_connect_timeout": 5,
}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = 50
CELERY_TASK_SOFT_TIME_LIMIT = 40
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
AUDIT_HOUR = env.integer("AUDIT_HOUR", default=3, least=0, most=23)
"""The hour, in UTC, in which everything is audited each night."""


def _every(seconds: float, task: str, *, expires: float | None = None) -> dict[str, Any]:
    """Return a beat entry. It expires so that a worker comes back to one message, not to many."""
    return {"task": task, "schedule": seconds, "options": {"expires": seconds if expires is None else expires}}


CELERY_BEAT_SCHEDULE = {
    "deal-due": _every(1.0, "baccarat.deal_due"),  # finds what a lost wake-up left
    "release-absent-seats": _every(5.0, "baccarat.release_absent_seats"),
    "reconcile-payments": _every(900.0, "wallet.reconcile"),  # once a day is due, soon after it ends
    "run-nightly-audit": _every(3600.0, "baccarat.run_nightly_audit"),  # does so in AUDIT_HOUR
    "test-rng": _every(6 * 3600.0, "baccarat.test_rng", expires=3600.0),
    "sign-checkpoints": _every(10.0, "checkpoints.sign"),  # does so every CHECKPOINT_SECONDS or _POSITIONS
    "record-significant-events": _every(2.0, "baccarat.record_significant_events"),
    "generate-reports": _every(60.0, "reports.generate_due"),
    "check-clock": _every(300.0, "compliance.check_clock"),
    "process-payments": _every(2.0, "wallet.process_payments"),
}
# What may wait for a slow provider or storage, or scans many rows, has workers of its own: dealers never wait for it.
CELERY_TASK_ROUTES = {
    "wallet.*": {"queue": "background"},
    "compliance.*": {"queue": "background"},
    "checkpoints.*": {"queue": "background"},
    "reports.*": {"queue": "background"},
    "baccarat.release_absent_seats": {"queue": "background"},
    "baccarat.record_significant_events": {"queue": "background"},
    "baccarat.test_rng": {"queue": "background"},
    "baccarat.run_nightly_audit": {"queue": "audit"},  # may take hours
}
CELERY_BEAT_SCHEDULER = "baccarat.beat:DeadlineScheduler"
CELERY_BEAT_SCHEDULE_FILENAME = env.text("CELERY_BEAT_FILE", str(BASE_DIR / ".casino" / "beat"))

# -- integrity ----------------------------------------------------------------------------------------------------

INTEGRITY_AT_START = env.flag("INTEGRITY_AT_START", default=PRODUCTION)
"""Each process attests what it runs when it starts, and every 24 hours."""
INTEGRITY_STOPS_PLAY = env.flag("INTEGRITY_STOPS_PLAY", default=False)
"""Code that differs from the approved release stops all gaming."""
CLOCK_TOLERANCE_MS = env.integer("CLOCK_TOLERANCE_MS", default=500)
"""The largest offset of a process's clock from PostgreSQL's."""
OUTAGE_SECONDS = env.integer("OUTAGE_SECONDS", default=900)
"""Without a clock reading for so long the service was unavailable."""
INTEGRITY_SETTINGS = (
    "ALLOWED_HOSTS", "API_ALLOWED_ORIGINS", "BETTING_WEEK", "CELERY_BEAT_SCHEDULE", "CELERY_TASK_ROUTES",
    "CLOCK_TOLERANCE_MS", "DATABASE_APP_ROLE", "DEBUG", "DEMO_OPERATOR", "INSTALLED_APPS", "INTEGRITY_AT_START",
    "INTEGRITY_STOPS_PLAY", "LOGGING", "MIDDLEWARE", "PASSWORD_HASHERS", "PAYMENT_PROVIDERS", "PLAYER_AWAY_SECONDS",
    "PLAYER_IDLE_SECONDS", "PLAYER_SESSION_SECONDS", "PRODUCTION", "REST_FRAMEWORK", "SEAT_HOLD_SECONDS",
    "SECURE_HSTS_SECONDS", "SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "STAFF_IDLE_SECONDS", "STORAGES",
    "TEMPLATES",
)  # fmt: skip
"""Settings that attestation compares, by their digests. None is a secret."""

# -- payment providers --------------------------------------------------------------------------------------------

PAYMENT_PROVIDERS = dict(env.pairs("PAYMENT_PROVIDERS"))
"""`name=https://address`, comma separated. Without any, no deposit method can be offered."""
PAYMENT_SECRETS: dict[str, list[str]] = {}
"""`name=secret`, comma separated. The first of a provider's secrets signs, all of them verify."""
for _name, _secret in env.pairs("PAYMENT_SECRETS"):
    PAYMENT_SECRETS.setdefault(_name, []).append(_secret)
if PRODUCTION and any(len(_secret) < 32 for _secrets in PAYMENT_SECRETS.values() for _secret in _secrets):
    raise ImproperlyConfigured("PAYMENT_SECRETS must be of 32 characters or more.")

# -- HTTP ---------------------------------------------------------------------------------------------------------

APPEND_SLASH = False
FORCE_SCRIPT_NAME = env.text("SCRIPT_NAME", "") or None
"""The path under which a proxy publishes the service, such as /casino, whether the proxy strips it or not."""
if FORCE_SCRIPT_NAME is not None and not (FORCE_SCRIPT_NAME.startswith("/") and not FORCE_SCRIPT_NAME.endswith("/")):
    raise ImproperlyConfigured("SCRIPT_NAME must begin with a slash and end without one, such as /casino.")
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["casino.api.shape_schema.ShapeRenderer"],
    "DEFAULT_PARSER_CLASSES": ["casino.api.parsing.StrictJSONParser"],
    "EXCEPTION_HANDLER": "casino.api.errors.handle",
    "DEFAULT_SCHEMA_CLASS": "casino.api.openapi.Operation",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "URL_FORMAT_OVERRIDE": None,
    "COERCE_DECIMAL_TO_STRING": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Casino: event-sourced baccarat",
    "DESCRIPTION": "Seats, chips, rounds and wallets for operators' front-ends. Amounts are decimal strings.",
    "VERSION": "1.0.0",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "POSTPROCESSING_HOOKS": ["baccarat.streaming.document.add_stream"],
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "APPEND_COMPONENTS": {
        "securitySchemes": {
            "providerSignature": {
                "type": "apiKey",
                "in": "header",
                "name": "X-Payment-Signature",
                "description": "A payment provider's signature over timestamp, nonce and raw body.",
            }
        }
    },
}
API_ALLOWED_ORIGINS = env.string_list("API_ALLOWED_ORIGINS")
"""Origins whose browsers may call the API, such as https://play.example."""
PLAYER_SESSION_SECONDS = env.integer("PLAYER_SESSION_SECONDS", default=3600)
PLAYER_IDLE_SECONDS = env.integer("PLAYER_IDLE_SECONDS", default=900, least=60, most=1800)
"""Without a request for so long a player's session ends: half an hour at most (GLI-19 2.5.4)."""
PLAYER_AWAY_SECONDS = env.integer("PLAYER_AWAY_SECONDS", default=PLAYER_IDLE_SECONDS // 10)
"""Without a request for so long a player is away. Use is recorded every PLAYER_IDLE_SECONDS / 30."""
SEAT_HOLD_SECONDS = env.integer("SEAT_HOLD_SECONDS", default=PLAYER_IDLE_SECONDS + 300)
"""How long an absent player's seat is held while no rounds are played."""
if not PLAYER_IDLE_SECONDS / 15 <= PLAYER_AWAY_SECONDS <= SEAT_HOLD_SECONDS:
    raise ImproperlyConfigured("PLAYER_AWAY_SECONDS must be PLAYER_IDLE_SECONDS / 15 to SEAT_HOLD_SECONDS.")
try:
    BETTING_WEEK = betting_week.parse(env.text("BETTING_WEEK", "friday 00:00 -05:00"))
    """Players change their own limit once in it."""
except ValueError as error:
    raise ImproperlyConfigured(f"BETTING_WEEK: {error}") from None

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.flag("BEHIND_TLS_PROXY", default=False) else None
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_HSTS_SECONDS = 31536000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION
SECURE_HSTS_PRELOAD = PRODUCTION
SESSION_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_SECURE = PRODUCTION
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]

# -- staff ---------------------------------------------------------------------------------------------------------

STAFF_TOTP_REQUIRED = env.flag("STAFF_TOTP_REQUIRED", default=PRODUCTION)
"""Whether staff need a second factor. Production does not start without it."""
if PRODUCTION and not STAFF_TOTP_REQUIRED:
    raise ImproperlyConfigured("STAFF_TOTP_REQUIRED must be true in production.")
STAFF_IDLE_SECONDS = env.integer("STAFF_IDLE_SECONDS", default=900, least=60, most=1800)
"""Without a request for so long a member of staff logs in again."""
SESSION_COOKIE_AGE = STAFF_IDLE_SECONDS
SESSION_ENGINE = "casino.staff.sessions"  # each request begins the time anew; sessions are staff's alone

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "casino.staff.backend.RoleBackend"]
AXES_HANDLER = "casino.staff.lockout.LockoutHandler"
AXES_LOCKOUT_PARAMETERS = "casino.staff.lockout.lockout_parameters"
AXES_CLIENT_IP_CALLABLE = "casino.api.client_ip.address_of"
AXES_FAILURE_LIMIT = 3
AXES_COOLOFF_TIME = timedelta(minutes=30)
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True  # sign-ins are kept by casino.staff
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "password", "code", "csrfmiddlewaretoken"]
AXES_ENABLE_ADMIN = False
SILENCED_SYSTEM_CHECKS = ["axes.W002"]  # casino.staff.lockout_middleware replaces a middleware that fails under ASGI
AXES_VERBOSE = False

RETENTION_DAYS = {
    _kind: env.parse_integer(f"RETENTION_DAYS: {_kind}", _days) for _kind, _days in env.pairs("RETENTION_DAYS")
}
"""`kind=days`, comma separated, for kinds of data that are kept longer than `manage.py purge` says."""

# -- the admin ----------------------------------------------------------------------------------------------------

UNFOLD = menu.UNFOLD

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
FORMAT_MODULE_PATH = "casino.backoffice.formats"

STATIC_URL = "static/"
STATIC_ROOT = env.text("STATIC_ROOT", str(BASE_DIR / "static-root"))
WHITENOISE_USE_FINDERS = not PRODUCTION
WHITENOISE_AUTOREFRESH = not PRODUCTION  # a changed file is served as it is now
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# Variables may hold seeds, cards and keys: no error page, mail or log shows them.
DEFAULT_EXCEPTION_REPORTER_FILTER = "casino.observability.error_pages.RedactingExceptionFilter"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request": {"()": "casino.observability.request_id.RequestIdFilter"}},
    "formatters": {
        "line": {
            "()": "casino.observability.logging.RedactingFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(request_id)s %(message)s",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["request"]}},
    "root": {"handlers": ["stderr"], "level": env.text("LOG_LEVEL", "INFO")},
    "loggers": {
        "httpx": {"level": "WARNING"},
        "uvicorn.access": {"level": "WARNING"},
        "axes": {"level": "ERROR"},  # its counts are recorded as significant events
        "fontTools": {"level": "WARNING"},
        "celery": {"level": env.text("CELERY_LOG_LEVEL", "WARNING")},
    },
}
