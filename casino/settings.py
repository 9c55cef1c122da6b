"""All settings, read from the environment. A wrong or missing value prevents the start.

Without DATABASE_URL, DATABASES is empty: `manage.py` and the Makefile first start an embedded server
and set it (casino.devstack).
"""

import os
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from casino import env, production
from casino.api import reference
from casino.backoffice import menu
from casino.database import capacity, connection_settings
from casino.database.redis_client import broker
from casino.kernel import money
from casino.observability.logging import log_settings
from wallet.responsible_gaming import table_limit

BASE_DIR = Path(__file__).resolve().parent.parent
PRODUCTION = env.text("CASINO_ENV", "development") == "production"
DEBUG = env.flag("CASINO_DEBUG", default=False)

DEVELOPMENT_SECRET = "development-only-secret-never-use-in-production"  # noqa: S105  (refused below)
PROCESS = env.choice("CASINO_PROCESS", production.NEEDS)
"""The kind of process, which decides the secrets that it needs; empty for one that may do everything."""
SECRET_KEY = production.secret("SECRET_KEY", PROCESS, development=None if PRODUCTION else DEVELOPMENT_SECRET)
SECRET_KEY_FALLBACKS = [each.strip() for each in env.text("SECRET_KEY_FALLBACKS", "").split(",") if each.strip()]
"""Earlier values, comma separated, the last one first: what they signed and encrypted stays valid."""
PACK_PUBLIC_KEYS = env.string_list("PACK_PUBLIC_KEYS")
"""Public keys, in hex, that signed dispute packs under a SECRET_KEY that is no longer known."""
RECEIPT_PUBLIC_KEYS = env.string_list("RECEIPT_PUBLIC_KEYS")  # the same of receipts
DEVELOPMENT_KEYS = None if PRODUCTION else "development:" + "00" * 32
SHOE_KEYS = production.secret("SHOE_KEYS", PROCESS, development=DEVELOPMENT_KEYS)
"""`key-id:64 hex digits`, comma separated; the first one encrypts, all decrypt. Empty where no seed is read."""
PERSONAL_KEYS = production.secret("PERSONAL_KEYS", PROCESS, development=DEVELOPMENT_KEYS)
"""As SHOE_KEYS, for personal data of players and the secrets of staff's authenticators."""
WALLET_RSA_KEY = env.text("WALLET_RSA_KEY", "")  # signs requests to wallets of the profile `hub88`; empty for none

CHECKPOINT_KEYS = production.secret("CHECKPOINT_KEYS", PROCESS, development=DEVELOPMENT_KEYS) or "none"
"""`key-id:64 hex digits`, comma separated; the first one signs, all are trusted. `none` where nothing is signed."""
CHECKPOINT_PUBLIC_KEYS = env.text("CHECKPOINT_PUBLIC_KEYS", "")
"""Public keys that are trusted too, such as those of retired keys, in the same form."""
CHECKPOINT_STORAGE = env.text("CHECKPOINT_STORAGE", None if PRODUCTION else "")
"""Where checkpoints are copied outside the database: `file:///folder` or `https://host/path`."""
CHECKPOINT_STORAGE_TOKEN = env.text("CHECKPOINT_STORAGE_TOKEN", "")
CHECKPOINT_SECONDS = env.integer("CHECKPOINT_SECONDS", default=300, minimum=1, maximum=86400)
CHECKPOINT_POSITIONS = env.integer("CHECKPOINT_POSITIONS", default=1000, minimum=1)
"""One is copied, and signed where no witness cosigns, after so many seconds or events, whichever is first."""

WITNESSES = env.text("WITNESSES", "")
"""`URL COSIGNER RELEASE-KEY, ...`, as `manage.py witness` prints them; `-` for the release key of one that cosigns."""
CLOSING_KEYS = env.text("CLOSING_KEYS", "")
"""`key-id:64 hex digits`, comma separated; the first signs closings of new chains, the others those of older ones."""
WITNESS_QUORUM = env.integer("WITNESS_QUORUM", default=0, minimum=0, maximum=16)
"""How many witnesses must cosign a checkpoint before what it holds counts as protected; 0 for more than half."""
TABLE_WITNESSES = env.integer("TABLE_WITNESSES", default=0, minimum=0, maximum=4)  # the first of WITNESSES
LOG_ORIGIN = env.text("LOG_ORIGIN", None if PRODUCTION else "casino.localhost/log")
"""The name under which this log's checkpoints are signed, for good."""

ALLOWED_HOSTS = env.string_list("ALLOWED_HOSTS", "" if PRODUCTION else "127.0.0.1,localhost,[::1],testserver")
CSRF_TRUSTED_ORIGINS = env.string_list("CSRF_TRUSTED_ORIGINS")

DEMO_OPERATOR = env.text("DEMO_OPERATOR", "")
"""The slug of the sandbox operator whose demo players anybody may play as on the table page; empty for none."""
FORCED_CARDS = env.flag("FORCED_CARDS", default=False)  # sandbox operators may choose the cards of rounds, as a test

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
    "casino.jobs",
    "casino.mail",
    "casino.significant",
    "casino.compliance",
    "casino.api",
    "casino.operators",
    "casino.staff",
    "casino.checkpoints",
    "casino.reports",
    "casino.feed",
    "casino.alerts",
    "wallet",
    "baccarat",
    "baccarat.chat",
    "baccarat.risk",
    "baccarat.web",
    # Their commands are for a clone of the repository: neither the wheel nor the image has them.
    *(name for name in ("casino.devstack", "wallet.conformance") if find_spec(name)),
]

MIDDLEWARE = [
    "casino.operators.request_log.middleware",
    "casino.api.middleware.request_id_and_cors",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "casino.api.quotas.middleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "casino.backoffice.scope.middleware",
    "casino.staff.login.lockout_middleware",
]

ROOT_URLCONF = "casino.urls"
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
    return connection_settings(url, process=PROCESS, app_role=DATABASE_APP_ROLE)


DATABASES = {"default": database(os.environ["DATABASE_URL"])} if os.environ.get("DATABASE_URL") else {}

# -- Redis and Celery ---------------------------------------------------------------------------------------------

REDIS_URL = env.text("REDIS_URL", "redis://127.0.0.1:6379/0")
CELERY_BROKER_URL, _broker_options = broker(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # by default a worker ends after a hundred attempts
CELERY_BROKER_TRANSPORT_OPTIONS = {
    **_broker_options, "health_check_interval": 15, "socket_timeout": 5, "socket_connect_timeout": 5
}  # fmt: skip
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = 50
CELERY_TASK_SOFT_TIME_LIMIT = 40
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 10
# Cancelling kills processes of the pool, which deal without a broker, and Celery replaces none while it has no broker.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_DB_REUSE_MAX = 10**9  # when strangers have taken PostgreSQL's other connections, dealing goes on
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
AUDIT_HOUR = env.integer("AUDIT_HOUR", default=3, minimum=0, maximum=23)
"""The hour, in UTC, in which everything is audited each night."""

AUDIT_REPLAY_DAYS = env.integer("AUDIT_REPLAY_DAYS", default=90, minimum=1)
"""Within so many days every part of the log is replayed again, by a share each night."""

# Run by `manage.py run_jobs`, not by beat: PostgreSQL holds when each is due, and no message is sent.
CELERY_BEAT_SCHEDULE = {
    "release-absent-seats": {"task": "baccarat.release_absent_seats", "schedule": 5.0},
    "open-chains": {"task": "baccarat.open_chains", "schedule": 10.0},
    "reconcile-payments": {"task": "wallet.reconcile", "schedule": 900.0},  # each day, soon after it ends
    "run-nightly-audit": {"task": "baccarat.run_nightly_audit", "schedule": 3600.0},  # runs in AUDIT_HOUR only
    "test-rng": {"task": "baccarat.test_rng", "schedule": 6 * 3600.0},
    "sign-checkpoints": {"task": "checkpoints.sign", "schedule": 5.0},  # every CHECKPOINT_SECONDS or _POSITIONS
    "record-significant-events": {"task": "baccarat.record_significant_events", "schedule": 2.0},
    "watch-risk": {"task": "baccarat.watch_risk", "schedule": 5.0},
    "generate-reports": {"task": "reports.generate_due", "schedule": 60.0},
    "deliver-reports": {"task": "reports.deliver_due", "schedule": 30.0},
    "make-exports": {"task": "compliance.make_exports", "schedule": 5.0},
    "copy-erasures": {"task": "compliance.copy_erasures", "schedule": 10.0},
    "remind-of-cases": {"task": "compliance.remind", "schedule": 600.0},
    "purge-expired": {"task": "compliance.purge_expired", "schedule": 3600.0},
    "check-clock": {"task": "compliance.check_clock", "schedule": 300.0},
    "expire-feed": {"task": "feed.expire", "schedule": 3600.0},
    "process-payments": {"task": "wallet.process_payments", "schedule": 2.0},
    "watch-holds": {"task": "wallet.watch_holds", "schedule": 10.0},
    "send-mail": {"task": "mail.send_due", "schedule": 5.0},
    "apply-changes": {"task": "operators.apply_changes", "schedule": 30.0},
    "end-sessions": {"task": "operators.end_sessions", "schedule": 5.0},
    "read-identity-providers": {"task": "staff.read_identity_providers", "schedule": 5.0},
    "end-roles": {"task": "staff.end_roles", "schedule": 60.0},
    "announce-reality-checks": {"task": "wallet.announce_reality_checks", "schedule": 5.0},
}

# -- integrity ----------------------------------------------------------------------------------------------------

INTEGRITY_AT_START = env.flag("INTEGRITY_AT_START", default=PRODUCTION)
"""Each process attests what it runs when it starts, and every 24 hours."""
INTEGRITY_STOPS_PLAY = env.flag("INTEGRITY_STOPS_PLAY", default=False)
"""Code that differs from the approved release stops all gaming."""
CLOCK_TOLERANCE_MS = env.integer("CLOCK_TOLERANCE_MS", default=500)
"""The largest offset of a process's clock from PostgreSQL's."""
OUTAGE_SECONDS = env.integer("OUTAGE_SECONDS", default=900)  # a longer time without a clock reading is an outage
CHANGE_DELAY_HOURS = env.integer("CHANGE_DELAY_HOURS", default=24, minimum=0)
"""Withdrawal policies and deposit methods take effect so long after the second person; at once in a sandbox."""
DISCREPANCY_HOURS = env.integer("DISCREPANCY_HOURS", default=24, minimum=0)
"""Differences from a provider's records that wait longer raise an alert."""
INTEGRITY_SETTINGS = (
    "ALLOWED_HOSTS", "BETTING_WEEK", "CELERY_BEAT_SCHEDULE", "CHANGE_DELAY_HOURS", "CLOCK_TOLERANCE_MS", "CURRENCIES",
    "DATABASE_APP_ROLE", "DEBUG", "DEMO_OPERATOR", "FORCED_CARDS", "INSTALLED_APPS", "INTEGRITY_AT_START", "LEGAL_HOLD",
    "INTEGRITY_STOPS_PLAY", "LOGGING", "MIDDLEWARE", "PASSWORD_HASHERS", "PAYMENT_PROVIDERS", "PLAYER_AWAY_SECONDS",
    "PLAYER_IDLE_SECONDS", "PLAYER_SESSION_SECONDS", "PRODUCTION", "PROXY_HOPS", "REST_FRAMEWORK", "SEAT_HOLD_SECONDS",
    "SECURE_HSTS_SECONDS", "SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "STAFF_IDLE_SECONDS", "STORAGES",
    "TEMPLATES", "WEBHOOK_NETWORKS",
)  # fmt: skip
"""Settings that attestation compares, by their digests. None is a secret."""

# -- payment providers --------------------------------------------------------------------------------------------

PAYMENT_PROVIDERS = dict(env.pairs("PAYMENT_PROVIDERS"))
"""`name=https://address`, comma separated. Without any, no deposit method can be offered."""
PAYMENT_SECRETS: dict[str, list[str]] = {}
"""`name=secret`, comma separated. The first of a provider's secrets signs, all of them verify."""
for _name, _secret in env.pairs("PAYMENT_SECRETS"):
    PAYMENT_SECRETS.setdefault(_name, []).append(_secret)

# -- feed and webhooks --------------------------------------------------------------------------------------------

FEED_DAYS = env.integer("FEED_DAYS", default=30, minimum=1)
"""How long items of operators' feeds, and deliveries of webhooks, are kept."""
WEBHOOK_NETWORKS = env.string_list("WEBHOOK_NETWORKS", "" if PRODUCTION else "127.0.0.0/8,::1/128")
"""Networks with private addresses to which webhooks may be sent, such as 10.1.0.0/16."""

# -- HTTP ---------------------------------------------------------------------------------------------------------

APPEND_SLASH = False
FORCE_SCRIPT_NAME = env.text("SCRIPT_NAME", "") or None
"""The path under which a proxy publishes the service, such as /casino, whether the proxy strips it or not."""
if FORCE_SCRIPT_NAME is not None and not (FORCE_SCRIPT_NAME.startswith("/") and not FORCE_SCRIPT_NAME.endswith("/")):
    raise ImproperlyConfigured("SCRIPT_NAME must begin with a slash and end without one, such as /casino.")
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024
"""Bytes of the longest body; the web server refuses a longer one before it has read it."""
WEB_THREADS = capacity.web_threads()
"""Threads of a web process for the API and the table page, each with a database connection of its own."""
QUOTA_PER_ADDRESS = env.integer("QUOTA_PER_ADDRESS", default=3000 if PRODUCTION else 0, minimum=0)
"""Requests a minute of an address without valid credentials; 0 for any number."""
QUOTA_PER_CREDENTIAL = env.integer("QUOTA_PER_CREDENTIAL", default=30000 if PRODUCTION else 0, minimum=0)
"""Requests a minute of an operator's key or a player's token; 0 for any number."""
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["casino.api.json_format.ShapeRenderer"],
    "DEFAULT_PARSER_CLASSES": ["casino.api.json_format.StrictJSONParser"],
    "EXCEPTION_HANDLER": "casino.api.errors.handle",
    "DEFAULT_SCHEMA_CLASS": "casino.api.openapi.Operation",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
    "URL_FORMAT_OVERRIDE": None,
    "COERCE_DECIMAL_TO_STRING": True,
}
SPECTACULAR_SETTINGS = reference.settings(contact=env.text("API_CONTACT_URL", ""))
PLAYER_SESSION_SECONDS = env.integer("PLAYER_SESSION_SECONDS", default=3600)
PLAYER_IDLE_SECONDS = env.integer("PLAYER_IDLE_SECONDS", default=900, minimum=60, maximum=1800)
"""A player's session ends after this time without a request: half an hour at most (GLI-19 2.5.4)."""
PLAYER_AWAY_SECONDS = env.integer("PLAYER_AWAY_SECONDS", default=PLAYER_IDLE_SECONDS // 10)
"""A player is away after this time without a request. Use is recorded every PLAYER_IDLE_SECONDS / 30."""
SEAT_HOLD_SECONDS = env.integer("SEAT_HOLD_SECONDS", default=PLAYER_IDLE_SECONDS + 300)
"""How long an absent player's seat is held while no rounds are played."""
if not PLAYER_IDLE_SECONDS / 15 <= PLAYER_AWAY_SECONDS <= SEAT_HOLD_SECONDS:
    raise ImproperlyConfigured("PLAYER_AWAY_SECONDS must be PLAYER_IDLE_SECONDS / 15 to SEAT_HOLD_SECONDS.")
try:
    BETTING_WEEK = table_limit.parse_betting_week(env.text("BETTING_WEEK", "friday 00:00 -05:00"))
    """Players change their own limit once in it."""
except ValueError as error:
    raise ImproperlyConfigured(f"BETTING_WEEK: {error}") from None

try:
    CURRENCIES = money.parse_declarations(env.string_list("CURRENCIES", "" if PRODUCTION else "BTC:8:0.0001"))
    """Currencies beside those of ISO 4217."""
except ValueError as error:
    raise ImproperlyConfigured(f"CURRENCIES: {error}") from None

BEHIND_TLS_PROXY = env.flag("BEHIND_TLS_PROXY", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_TLS_PROXY else None
PROXY_HOPS = env.integer("PROXY_HOPS", default=1, minimum=1, maximum=8) if BEHIND_TLS_PROXY else 0
"""How many of our own proxies append an address to X-Forwarded-For; 0 if that header is not believed."""
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_HSTS_SECONDS = 31536000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION
SECURE_HSTS_PRELOAD = PRODUCTION
SESSION_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_SECURE = PRODUCTION
if PRODUCTION:  # a browser takes such cookies from this host alone, over TLS
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
KNOWN_BROWSER_COOKIE_NAME = "__Host-known_browser" if PRODUCTION else "known_browser"
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$", r"^healthz$", r"^metrics$"]

# -- staff ---------------------------------------------------------------------------------------------------------

STAFF_TOTP_REQUIRED = env.flag("STAFF_TOTP_REQUIRED", default=PRODUCTION)
"""Whether staff need a second factor. Production does not start without it."""
STAFF_IDLE_SECONDS = env.integer("STAFF_IDLE_SECONDS", default=900, minimum=60, maximum=1800)
"""A member of staff has to log in again after this time without a request."""
STAFF_SESSION_SECONDS = env.integer("STAFF_SESSION_SECONDS", default=12 * 3600, minimum=STAFF_IDLE_SECONDS)
"""A member of staff has to log in again after this time in any case."""
SESSION_COOKIE_AGE = STAFF_IDLE_SECONDS
LOGIN_REDIRECT_URL = "admin:index"  # also where a refused `next` leads
SESSION_ENGINE = "casino.staff.login"  # sliding expiry; only staff have sessions

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "casino.staff.login.RoleBackend",
    "casino.staff.password_codes.PasswordCodeBackend",
    "casino.staff.oidc.IdentityBackend",
]
AXES_HANDLER = "casino.staff.lockout.LockoutHandler"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address", "user_agent"]]  # instead of the last one, the known browser
AXES_USERNAME_CALLABLE = "casino.staff.lockout.counted_name"
AXES_CLIENT_IP_CALLABLE = "casino.api.client_ip.client_network"
AXES_FAILURE_LIMIT = 3
AXES_COOLOFF_TIME = timedelta(hours=24)  # counts are kept so long; casino.staff.lockout has the lengths of locks
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True  # casino.staff records logins
AXES_SENSITIVE_PARAMETERS = ["username", "ip_address", "password", "code", "csrfmiddlewaretoken"]
AXES_ENABLE_ADMIN = False
SILENCED_SYSTEM_CHECKS = ["axes.W002"]  # lockout_middleware replaces its middleware
AXES_VERBOSE = False

# -- e-mail ---------------------------------------------------------------------------------------------------------

EMAIL_HOST = env.text("EMAIL_HOST", "")
"""The mail server. Without one, development prints e-mails."""
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_PORT = env.integer("EMAIL_PORT", default=587, minimum=1, maximum=65535)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = env.text("EMAIL_USER", ""), env.text("EMAIL_PASSWORD", "")
EMAIL_SECURITY = env.choice("EMAIL_SECURITY", ("", "starttls", "tls", "none")) or "starttls"
EMAIL_USE_TLS, EMAIL_USE_SSL = EMAIL_SECURITY == "starttls", EMAIL_SECURITY == "tls"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("EMAIL_FROM", "casino@localhost")
ALERT_EMAILS = env.string_list("ALERT_EMAILS")
"""Addresses that `manage.py watch` tells when the health of the service changes."""
DEAD_MAN_URL = env.text("DEAD_MAN_URL", "")
"""An address that gets a POST every 15 seconds while `manage.py watch` can tell people."""

RETENTION_DAYS = {
    _kind: env.parse_integer(f"RETENTION_DAYS: {_kind}", _days) for _kind, _days in env.pairs("RETENTION_DAYS")
}
"""`kind=days`, comma separated, for kinds of data to keep longer than `manage.py purge` lists by default."""
LEGAL_HOLD = env.day("LEGAL_HOLD")
"""The day from whose beginning (UTC) on no data is purged or archived, None without a legal hold."""
PDF_FONTS = env.text("PDF_FONTS", "/usr/share/fonts")
"""The folder of the Noto fonts that reports as PDF are printed with; what it lacks they show by code points."""
ARCHIVE_STORAGE = env.text("ARCHIVE_STORAGE", "")
"""The folder that `manage.py archive` writes to: `file:///folder`."""
ARCHIVE_AFTER_DAYS = env.integer("ARCHIVE_AFTER_DAYS", default=90, minimum=1)
"""A month is archived when it has been over for so many days."""

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
WHITENOISE_AUTOREFRESH = not PRODUCTION  # serves changed files without a restart
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "casino.api.static_files.HashedStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# Variables may contain seeds, cards and keys: no error page, mail or log shows them.
DEFAULT_EXCEPTION_REPORTER_FILTER = "casino.observability.logging.RedactingExceptionFilter"

METRICS_TOKEN = env.text("METRICS_TOKEN", "")  # with which Prometheus reads /metrics; nobody does without one
OTEL_EXPORTER_OTLP_ENDPOINT = env.text("OTEL_EXPORTER_OTLP_ENDPOINT", "")  # where traces go; there are none without one
REQUEST_LOG = env.flag("REQUEST_LOG", default=PRODUCTION)
LOGGING = log_settings(
    formatter=env.choice("LOG_FORMAT", ("", "lines", "json")) or ("json" if PRODUCTION else "lines"),
    level=env.text("LOG_LEVEL", "INFO"),
    celery_level=env.text("CELERY_LOG_LEVEL", "WARNING"),
)

if PRODUCTION:
    production.check(globals())
