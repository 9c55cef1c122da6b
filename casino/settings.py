"""Django's settings. The table of ours is casino/variables.py; each has its variable's name here.

Without DATABASE_URL, DATABASES is empty: `manage.py` and the Makefile first start an embedded server
and set it (casino.devstack).
"""

import os
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from casino import production, variables
from casino.api import reference
from casino.backoffice import menu
from casino.database import connection_settings
from casino.database.redis_client import broker
from casino.kernel import money
from casino.observability.logging import log_settings
from wallet.responsible_gaming import table_limit

BASE_DIR = Path(__file__).resolve().parent.parent
VALUES = variables.read(os.environ)
globals().update(VALUES)
PRODUCTION = VALUES["CASINO_ENV"] == "production"
PROCESS = VALUES["CASINO_PROCESS"]
DEBUG = VALUES["CASINO_DEBUG"]
CHECKPOINT_KEYS = VALUES["CHECKPOINT_KEYS"] or "none"

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


def database(url: str) -> dict[str, Any]:
    """Turn a libpq URL into Django's settings for one database."""
    return connection_settings(url, process=PROCESS, app_role=VALUES["DATABASE_APP_ROLE"])


DATABASES = {"default": database(VALUES["DATABASE_URL"])} if VALUES["DATABASE_URL"] else {}

# -- Redis and Celery ---------------------------------------------------------------------------------------------

CELERY_BROKER_URL, _broker_options = broker(VALUES["REDIS_URL"])
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # by default a worker ends after a hundred attempts
CELERY_BROKER_TRANSPORT_OPTIONS = {
    **_broker_options, "ack_emulation": False, "health_check_interval": 15, "socket_timeout": 5,
    "socket_connect_timeout": 5,
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

INTEGRITY_SETTINGS = (
    *(variable.name for variable in variables.TABLE if variable.attested),
    "CELERY_BEAT_SCHEDULE", "DEBUG", "INSTALLED_APPS", "LOGGING", "MIDDLEWARE", "PASSWORD_HASHERS", "PRODUCTION",
    "REST_FRAMEWORK", "SECURE_HSTS_SECONDS", "SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "STORAGES", "TEMPLATES",
)  # fmt: skip
"""Settings that attestation compares, by their digests. None is a secret."""

# -- payment providers --------------------------------------------------------------------------------------------

PAYMENT_PROVIDERS = dict(VALUES["PAYMENT_PROVIDERS"])
PAYMENT_SECRETS: dict[str, list[str]] = {}
for _name, _secret in VALUES["PAYMENT_SECRETS"]:
    PAYMENT_SECRETS.setdefault(_name, []).append(_secret)

# -- HTTP ---------------------------------------------------------------------------------------------------------

APPEND_SLASH = False
FORCE_SCRIPT_NAME = VALUES["SCRIPT_NAME"] or None  # whether the proxy strips it or not
if FORCE_SCRIPT_NAME is not None and not (FORCE_SCRIPT_NAME.startswith("/") and not FORCE_SCRIPT_NAME.endswith("/")):
    raise ImproperlyConfigured("SCRIPT_NAME must begin with a slash and end without one, such as /casino.")
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024
"""Bytes of the longest body; the web server refuses a longer one before it has read it."""
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
SPECTACULAR_SETTINGS = reference.settings(contact=VALUES["API_CONTACT_URL"])
PLAYER_AWAY_SECONDS = VALUES["PLAYER_AWAY_SECONDS"] or VALUES["PLAYER_IDLE_SECONDS"] // 10
SEAT_HOLD_SECONDS = VALUES["SEAT_HOLD_SECONDS"] or VALUES["PLAYER_IDLE_SECONDS"] + 300
# Use is recorded every PLAYER_IDLE_SECONDS / 30.
if not VALUES["PLAYER_IDLE_SECONDS"] / 15 <= PLAYER_AWAY_SECONDS <= SEAT_HOLD_SECONDS:
    raise ImproperlyConfigured("PLAYER_AWAY_SECONDS must be PLAYER_IDLE_SECONDS / 15 to SEAT_HOLD_SECONDS.")
try:
    BETTING_WEEK = table_limit.parse_betting_week(VALUES["BETTING_WEEK"])
except ValueError as error:
    raise ImproperlyConfigured(f"BETTING_WEEK: {error}") from None
try:
    CURRENCIES = money.parse_declarations(VALUES["CURRENCIES"])
except ValueError as error:
    raise ImproperlyConfigured(f"CURRENCIES: {error}") from None

SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if VALUES["BEHIND_TLS_PROXY"] else None
PROXY_HOPS = VALUES["PROXY_HOPS"] if VALUES["BEHIND_TLS_PROXY"] else 0  # 0 if X-Forwarded-For is not believed
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

if VALUES["STAFF_SESSION_SECONDS"] < VALUES["STAFF_IDLE_SECONDS"]:
    raise ImproperlyConfigured("STAFF_SESSION_SECONDS must be STAFF_IDLE_SECONDS or more.")
SESSION_COOKIE_AGE = VALUES["STAFF_IDLE_SECONDS"]
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

EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if VALUES['EMAIL_HOST'] else 'console'}.EmailBackend"
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = VALUES["EMAIL_USER"], VALUES["EMAIL_PASSWORD"]
EMAIL_USE_TLS, EMAIL_USE_SSL = VALUES["EMAIL_SECURITY"] == "starttls", VALUES["EMAIL_SECURITY"] == "tls"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = VALUES["EMAIL_FROM"]

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
STATIC_ROOT = str(BASE_DIR / VALUES["STATIC_ROOT"])
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

LOGGING = log_settings(
    formatter=VALUES["LOG_FORMAT"], level=VALUES["LOG_LEVEL"], celery_level=VALUES["CELERY_LOG_LEVEL"]
)

if PRODUCTION:
    production.check(VALUES)
