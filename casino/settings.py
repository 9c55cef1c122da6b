"""All settings, in one file. The environment decides; a wrong or missing value stops the start.

Without DATABASE_URL there is no database here: `manage.py` and the Makefile start an embedded one
first (casino.devstack).
"""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.templatetags.static import static
from django.urls import reverse_lazy
from psycopg.conninfo import conninfo_to_dict

from casino import env
from wallet.responsible_gaming import betting_week

BASE_DIR = Path(__file__).resolve().parent.parent
PRODUCTION = env.text("CASINO_ENV", "development") == "production"
DEBUG = env.flag("CASINO_DEBUG", default=False)

DEVELOPMENT_SECRET = "development-only-secret-never-use-in-production"  # noqa: S105  (refused below)
SECRET_KEY = env.text("SECRET_KEY", None if PRODUCTION else DEVELOPMENT_SECRET)
DEVELOPMENT_SHOE_KEYS = "development:" + "00" * 32
SHOE_KEYS = env.text("SHOE_KEYS", None if PRODUCTION else DEVELOPMENT_SHOE_KEYS)
"""`key-id:64 hex digits`, comma separated; the first one encrypts, all decrypt."""

DEVELOPMENT_CHECKPOINT_KEYS = "development:" + "00" * 32
CHECKPOINT_KEYS = env.text("CHECKPOINT_KEYS", None if PRODUCTION else DEVELOPMENT_CHECKPOINT_KEYS)
"""`key-id:64 hex digits`, comma separated: the first one signs, all are trusted. `none` where nothing is signed."""
CHECKPOINT_PUBLIC_KEYS = env.text("CHECKPOINT_PUBLIC_KEYS", "")
"""The same of public halves that are trusted besides, such as those of keys long gone."""
CHECKPOINT_STORE = env.text("CHECKPOINT_STORE", None if PRODUCTION else "")
"""Where checkpoints are kept outside of the database: `file:///folder` or `https://host/path`."""
CHECKPOINT_STORE_TOKEN = env.text("CHECKPOINT_STORE_TOKEN", "")
CHECKPOINT_SECONDS = env.integer("CHECKPOINT_SECONDS", default=300)
CHECKPOINT_POSITIONS = env.integer("CHECKPOINT_POSITIONS", default=1000)
"""After so many seconds or events, whichever is first, and at least daily, a checkpoint is signed."""
if not (1 <= CHECKPOINT_SECONDS <= 86400 and CHECKPOINT_POSITIONS >= 1):
    raise ImproperlyConfigured("CHECKPOINT_SECONDS must be 1 to 86400, CHECKPOINT_POSITIONS 1 or more.")

ALLOWED_HOSTS = env.string_list("ALLOWED_HOSTS", "" if PRODUCTION else "127.0.0.1,localhost,[::1],testserver")
CSRF_TRUSTED_ORIGINS = env.string_list("CSRF_TRUSTED_ORIGINS")

CASINO_DEMO = env.text("CASINO_DEMO", "")
"""The slug of the sandbox operator whose demo players anybody may play as on the table page; empty for none."""

DEVELOPMENT_PERSONAL_KEYS = "development:" + "00" * 32
PERSONAL_KEYS = env.text("PERSONAL_KEYS", None if PRODUCTION else DEVELOPMENT_PERSONAL_KEYS)
"""As SHOE_KEYS, for what is personal: players' names and words, and the secrets of staff's authenticators."""

if PRODUCTION:
    if DEBUG:
        raise ImproperlyConfigured("CASINO_DEBUG must be false in production.")
    if CASINO_DEMO:
        raise ImproperlyConfigured("CASINO_DEMO must be empty in production.")
    if "development" in SECRET_KEY or len(SECRET_KEY) < 50:
        raise ImproperlyConfigured("SECRET_KEY must be a secret of your own, of 50 characters or more.")
    if "development" in SHOE_KEYS or "00" * 32 in SHOE_KEYS:
        raise ImproperlyConfigured("SHOE_KEYS must hold keys of your own: key-id:64 hex digits.")
    if "development" in PERSONAL_KEYS or "00" * 32 in PERSONAL_KEYS:
        raise ImproperlyConfigured("PERSONAL_KEYS must hold keys of your own: key-id:64 hex digits.")
    if "development" in CHECKPOINT_KEYS or "00" * 32 in CHECKPOINT_KEYS or not CHECKPOINT_KEYS:
        raise ImproperlyConfigured("CHECKPOINT_KEYS must hold keys of your own (key-id:64 hex digits), or be `none`.")
    if not CHECKPOINT_STORE:
        raise ImproperlyConfigured("CHECKPOINT_STORE must name a place outside of the database.")
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

APP_ROLE = env.text("DATABASE_APP_ROLE", "casino_app")
"""Every process but `migrate` acts as this role, which may only SELECT and INSERT where rows are immutable."""


def database(url: str) -> dict[str, Any]:
    """Turn a libpq URL into Django's settings for one database."""
    given = conninfo_to_dict(url)
    options: dict[str, Any] = {
        # Prepared statements need server-side binding; switch off behind a transaction-mode pooler.
        "server_side_binding": True,
        "prepare_threshold": 5 if env.flag("DATABASE_PREPARE", default=True) else None,
    }
    if env.text("DATABASE_ACT_AS", "app") == "app":
        options["options"] = f"-c role={APP_ROLE}"
    pool = env.integer("DATABASE_POOL", default=0)
    if pool:
        options["pool"] = {"min_size": min(2, pool), "max_size": pool, "timeout": 10, "max_lifetime": 1800}
    names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
    found = {names[key]: value for key, value in given.items() if key in names}
    options.update({key: value for key, value in given.items() if key not in names})
    return {
        "ENGINE": "django.db.backends.postgresql",
        **found,
        "OPTIONS": options,
        "CONN_MAX_AGE": 0 if pool else env.integer("DATABASE_CONN_MAX_AGE", default=600),
        "CONN_HEALTH_CHECKS": True,
        "DISABLE_SERVER_SIDE_CURSORS": not env.flag("DATABASE_PREPARE", default=True),
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
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
AUDIT_HOUR = env.integer("AUDIT_HOUR", default=3)
"""The hour, in UTC, in which everything is audited each night."""
if not 0 <= AUDIT_HOUR <= 23:
    raise ImproperlyConfigured("AUDIT_HOUR must be 0 to 23.")
NIGHTLY_AUDIT = "baccarat.audit.scheduled.run_nightly_audit"
CELERY_BEAT_SCHEDULE = {
    # The net under every wake-up that was lost: expires so that a stopped worker comes back to one message, not many.
    "deal what is due": {"task": "baccarat.deal_due", "schedule": 1.0, "options": {"expires": 1.0}},
    "free the seats of who is gone": {"task": "baccarat.free_seats", "schedule": 5.0, "options": {"expires": 5.0}},
    # Each day once, soon after it ends where its operator counts days; the quarters between make up for a lost one.
    "reconcile": {"task": "wallet.reconcile", "schedule": 900.0, "options": {"expires": 900.0}},
    # Looks at the clock each hour: in AUDIT_HOUR it audits.
    "audit": {"task": "baccarat.audit_nightly", "schedule": 3600.0, "options": {"expires": 3600.0}},
    "watch the chance": {"task": "baccarat.watch_chance", "schedule": 6 * 3600.0, "options": {"expires": 3600.0}},
    # Looks often, signs when CHECKPOINT_SECONDS or CHECKPOINT_POSITIONS are over.
    "sign checkpoints": {"task": "checkpoints.sign", "schedule": 10.0, "options": {"expires": 10.0}},
    "note what is significant": {
        "task": "baccarat.note_significant",
        "schedule": 2.0,
        "options": {"expires": 2.0},
    },
    # What is over and was not reported yet: days without a worker are made up for, some at a time.
    "make reports": {"task": "reports.make_due", "schedule": 60.0, "options": {"expires": 60.0}},
    "read the clock": {"task": "integrity.read_clock", "schedule": 300.0, "options": {"expires": 300.0}},
    "advance payments": {"task": "wallet.advance_payments", "schedule": 2.0, "options": {"expires": 2.0}},
}
# A provider that is slow to answer holds up other payments, and no table: payments have a worker of their own.
# Looking for seats to free takes a while with thousands of absent players, and no dealer may wait for it.
# The same holds for a place of checkpoints that is slow to answer.
CELERY_TASK_ROUTES = {
    "wallet.*": {"queue": "payments"},
    "integrity.*": {"queue": "payments"},
    "checkpoints.*": {"queue": "payments"},
    # May take hours, and has a process to itself where there is more than one.
    "baccarat.audit_nightly": {"queue": "audit"},
    "baccarat.free_seats": {"queue": "payments"},
    "baccarat.note_significant": {"queue": "payments"},
    "baccarat.watch_chance": {"queue": "payments"},
    "reports.*": {"queue": "payments"},
}
CELERY_BEAT_SCHEDULER = "baccarat.beat:DeadlineScheduler"
CELERY_BEAT_SCHEDULE_FILENAME = env.text("CELERY_BEAT_FILE", str(BASE_DIR / ".casino" / "beat"))

# -- reports ------------------------------------------------------------------------------------------------------

REPORTS = [
    "baccarat.reports.performance.PERFORMANCE",
    "baccarat.reports.revenue.REVENUE",
    "wallet.reports.liability.LIABILITY",
    "wallet.reports.accounts.ACCOUNTS",
    "wallet.reports.adjustments.ADJUSTMENTS",
    "baccarat.reports.voids.VOIDS",
    "baccarat.reports.significant.SIGNIFICANT",
    "baccarat.reports.variance.VARIANCE",
]
"""Every report there is, made each day for every operator; loaded when one is asked for."""
REPORT_FORMATS = {
    "json": "casino.reports.renderers.json_file.JSON",
    "csv": "casino.reports.renderers.csv_file.CSV",
    "parquet": "casino.reports.renderers.parquet_file.PARQUET",
    "pdf": "casino.reports.renderers.pdf_file.PDF",
}
"""The forms a report is downloaded in; the last two bring heavy libraries, loaded when they are asked for."""

# -- integrity ----------------------------------------------------------------------------------------------------

INTEGRITY_AT_START = env.flag("INTEGRITY_AT_START", default=PRODUCTION)
"""Each process measures what it runs when it starts, and every 24 hours."""
INTEGRITY_STOPS = env.flag("INTEGRITY_STOPS", default=False)
"""What runs and was not approved stops all gaming."""
CLOCK_TOLERANCE_MS = env.integer("CLOCK_TOLERANCE_MS", default=500)
"""Milliseconds that a process's clock may be from PostgreSQL's."""
UNAVAILABLE_SECONDS = env.integer("UNAVAILABLE_SECONDS", default=900)
"""Seconds without a reading of any clock after which the service counts as having been unavailable."""
INTEGRITY_RULES = "baccarat.queries.rules_versions.check_rules_in_force"
INTEGRITY_STOP = "baccarat.services.kill_switch.stop_for_integrity"
PROCESS_STARTED = "casino.compliance.attestation_thread.start_monitoring"
INTEGRITY_SETTINGS = (
    "ALLOWED_HOSTS", "API_ALLOWED_ORIGINS", "APP_ROLE", "BETTING_WEEK", "CASINO_DEMO", "CELERY_BEAT_SCHEDULE",
    "CELERY_TASK_ROUTES", "CLOCK_TOLERANCE_MS", "DEBUG", "INSTALLED_APPS", "INTEGRITY_AT_START", "INTEGRITY_STOPS",
    "LOGGING", "MIDDLEWARE", "PASSWORD_HASHERS", "PAYMENT_PROVIDERS", "PLAYER_AWAY_SECONDS", "PLAYER_IDLE_SECONDS",
    "PLAYER_SESSION_SECONDS", "PRODUCTION", "REST_FRAMEWORK", "SEAT_KEPT_SECONDS", "SECURE_HSTS_SECONDS",
    "SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "STAFF_IDLE_SECONDS", "STORAGES", "TEMPLATES",
)  # fmt: skip
"""Settings that affect operations: each one is compared by its digest, and shown nowhere. No secrets are among them."""

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
    "DEFAULT_RENDERER_CLASSES": ["casino.api.shapes.ShapeRenderer"],
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
PLAYER_IDLE_SECONDS = env.integer("PLAYER_IDLE_SECONDS", default=900)
"""A player's session ends after so long without a request: half an hour at most (GLI-19 2.5.4)."""
if not 60 <= PLAYER_IDLE_SECONDS <= 1800:
    raise ImproperlyConfigured("PLAYER_IDLE_SECONDS must be 60 to 1800.")
PLAYER_AWAY_SECONDS = env.integer("PLAYER_AWAY_SECONDS", default=PLAYER_IDLE_SECONDS // 10)
"""A player of whom nothing was heard for so long is away. Use is noted every PLAYER_IDLE_SECONDS / 30."""
SEAT_KEPT_SECONDS = env.integer("SEAT_KEPT_SECONDS", default=PLAYER_IDLE_SECONDS + 300)
"""For how long the seat of a player who is away is kept where no rounds pass."""
if not PLAYER_IDLE_SECONDS / 15 <= PLAYER_AWAY_SECONDS <= SEAT_KEPT_SECONDS:
    raise ImproperlyConfigured("PLAYER_AWAY_SECONDS must be PLAYER_IDLE_SECONDS / 15 to SEAT_KEPT_SECONDS.")
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
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_SECURE = PRODUCTION
X_FRAME_OPTIONS = "DENY"
SECURE_REDIRECT_EXEMPT = [r"^livez$", r"^readyz$"]

# -- staff ---------------------------------------------------------------------------------------------------------

STAFF_TOTP = env.flag("STAFF_TOTP", default=PRODUCTION)
"""Whether staff need a second factor. Production does not start without."""
if PRODUCTION and not STAFF_TOTP:
    raise ImproperlyConfigured("STAFF_TOTP must be true in production.")
STAFF_IDLE_SECONDS = env.integer("STAFF_IDLE_SECONDS", default=900)
"""A member of staff who asked for nothing for so long logs in again."""
if not 60 <= STAFF_IDLE_SECONDS <= 1800:
    raise ImproperlyConfigured("STAFF_IDLE_SECONDS must be 60 to 1800.")
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
SILENCED_SYSTEM_CHECKS = [
    "axes.W002"
]  # casino.staff.lockout_middleware does what django-axes' middleware can't under ASGI
AXES_VERBOSE = False

RETENTION_DAYS = {
    _kind: env.parse_integer(f"RETENTION_DAYS: {_kind}", _days) for _kind, _days in env.pairs("RETENTION_DAYS")
}
"""`kind=days`, comma separated, for kinds of data that are kept longer than `manage.py purge` says."""

# -- the admin ----------------------------------------------------------------------------------------------------

ADMIN_OPERATORS_OF = "casino.operators.memberships.operators_of"
"""Which operators' rows a user may see in the admin."""
ADMIN_OPERATOR_NAMES = "casino.backoffice.pages.operators.operator_choices"
"""What those operators are called, by id."""
ADMIN_OPENS = "casino.crypto.crypto_shredding.decrypt_rows"
"""Who opens what is sealed of persons on a page."""
ADMIN_SUBJECTS = "casino.backoffice.pages.subject_names.named"
"""Who knows what subjects such as round:<id> are called."""
ADMIN_SEEN = "casino.staff.access_log.record_access"
"""Who keeps that somebody looked at a row."""
ADMIN_PAGES = {
    "staff": "staff_member",
    "erasure": "compliance_erasure",
    "round": "baccarat_round",
    "table": "baccarat_table",
    "report": "reports_report",
    "matter": "reports_case",
    "wallet": "operators_player",
    "player": "operators_player",
    "operator": "operators_operator",
    "key": "operators_apikey",
    "account": "wallet_account",
    "entry": "wallet_entry",
    "event": "events_event",
    "deposit": "wallet_deposit",
    "method": "wallet_depositmethod",
    "withdrawal": "wallet_withdrawal",
    "adjustment": "wallet_adjustment",
    "reconciliation": "wallet_reconciliation",
    "difference": "wallet_discrepancy",
    "protection": "wallet_playerrestrictions",
    "significant": "significant_significantevent",
    "message": "chat_chatmessage",
    "complaint": "chat_chatreport",
}
"""Which page shows what an id or a stream's name speaks of: no app needs to know those above it to link to them."""


def admin_item(title: str, icon: str, model: str, **more: Any) -> dict[str, Any]:
    """Return a line of the admin's side bar, for those who may view the model (app_model)."""
    app, name = model.split("_")
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{model}_changelist"),
        "permission": lambda request: request.user.has_perm(f"{app}.view_{name}"),
        **more,
    }


UNFOLD = {
    "SITE_TITLE": "Casino admin",
    "SITE_HEADER": "Casino",
    "SITE_SUBHEADER": "Baccarat, from bet to audit",
    "SITE_SYMBOL": "playing_cards",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda _: static("play/icon.svg")}],
    "SITE_URL": None,
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "ENVIRONMENT": "casino.backoffice.environment.label",
    "LOGIN": {"form": "casino.backoffice.login_form.SignInForm"},
    "ACCOUNT": {"navigation": [{"title": "Your authenticator", "link": reverse_lazy("admin:authenticator")}]},
    "DASHBOARD_CALLBACK": "casino.backoffice.pages.front_page.fill",
    "BORDER_RADIUS": "8px",
    "STYLES": [lambda _: static("casino/admin.css")],
    "SCRIPTS": [lambda _: static("casino/admin.js")],
    "COLORS": {
        "primary": {
            "50": "oklch(97.9% .021 166.1)",
            "100": "oklch(95% .052 163.1)",
            "200": "oklch(90.5% .093 164.2)",
            "300": "oklch(84.5% .143 165)",
            "400": "oklch(76.5% .177 163.2)",
            "500": "oklch(69.6% .17 162.5)",
            "600": "oklch(53% .13 163.2)",
            "700": "oklch(45.8% .108 165.6)",
            "800": "oklch(40% .09 166.9)",
            "900": "oklch(35.5% .077 168.9)",
            "950": "oklch(24.2% .05 172.6)",
        }
    },
    "SIDEBAR": {
        "show_search": False,
        "show_all_applications": False,
        "navigation": [
            {
                "title": "Compliance",
                "items": [
                    {
                        "title": "Search",
                        "icon": "search",
                        "link": reverse_lazy("admin:desk_search"),
                        "permission": lambda request: request.user.has_perms(
                            ("baccarat.view_round", "baccarat.view_wager")
                        ),
                    },
                    admin_item(
                        "Significant events",
                        "notification_important",
                        "significant_significantevent",
                        badge="casino.backoffice.pages.significant_badges.unacknowledged_badge",
                        badge_variant="danger",
                    ),
                    admin_item("Reports", "summarize", "reports_report"),
                    admin_item(
                        "Matters",
                        "assignment_late",
                        "reports_case",
                        badge="casino.backoffice.pages.cases.waiting",
                        badge_variant="warning",
                    ),
                ],
            },
            {
                "title": "Play",
                "separator": True,
                "items": [
                    admin_item(
                        "Rounds",
                        "playing_cards",
                        "baccarat_round",
                        active=lambda request: "/round/" in request.path and "/round/search/" not in request.path,
                        badge="casino.backoffice.pages.baccarat_parts.set_aside_count",
                        badge_variant="danger",
                    ),
                    admin_item("Tables", "table_restaurant", "baccarat_table"),
                    admin_item("Wagers", "casino", "baccarat_wager"),
                    admin_item("Rules", "rule", "baccarat_rulesversion"),
                    admin_item("Switches", "power_settings_new", "baccarat_switch"),
                ],
            },
            {
                "title": "Money",
                "separator": True,
                "items": [
                    admin_item("Accounts", "account_balance_wallet", "wallet_account"),
                    admin_item("Entries", "receipt_long", "wallet_entry"),
                    admin_item("Deposits", "move_to_inbox", "wallet_deposit"),
                    admin_item(
                        "Withdrawals",
                        "outbox",
                        "wallet_withdrawal",
                        badge="casino.backoffice.pages.wallet_badges.withdrawals",
                        badge_variant="warning",
                    ),
                    admin_item(
                        "Adjustments",
                        "edit_note",
                        "wallet_adjustment",
                        badge="casino.backoffice.pages.wallet_badges.adjustments",
                        badge_variant="warning",
                    ),
                    admin_item("Players' limits", "shield_person", "wallet_playerrestrictions"),
                    admin_item("Deposit methods", "tune", "wallet_depositmethod"),
                    admin_item("Callbacks", "call_received", "wallet_providercallback"),
                    admin_item("Reconciliation", "balance", "wallet_reconciliation"),
                    admin_item(
                        "Differences",
                        "difference",
                        "wallet_discrepancy",
                        badge="casino.backoffice.pages.wallet_badges.differences",
                        badge_variant="danger",
                    ),
                ],
            },
            {
                "title": "Chat",
                "separator": True,
                "items": [
                    admin_item(
                        "Reports",
                        "flag",
                        "chat_chatreport",
                        badge="casino.backoffice.pages.chat_badges.reports",
                        badge_variant="warning",
                    ),
                    admin_item("Messages", "chat", "chat_chatmessage"),
                    admin_item("What moderators did", "gavel", "chat_moderationaction"),
                    admin_item("Filter words", "block", "chat_filterword"),
                ],
            },
            {
                "title": "Operators",
                "separator": True,
                "items": [
                    admin_item("Operators", "domain", "operators_operator"),
                    admin_item("API keys", "key", "operators_apikey"),
                    admin_item("Players", "person", "operators_player"),
                    admin_item("Erasures", "person_off", "compliance_erasure"),
                ],
            },
            {
                "title": "Log",
                "separator": True,
                "items": [
                    admin_item("Events", "history", "events_event"),
                    admin_item("Heads of the chain", "link", "events_chainhead"),
                    admin_item("Checkpoints", "verified", "checkpoints_checkpoint"),
                    admin_item("Subscribers", "rss_feed", "events_subscription"),
                    admin_item("Integrity", "verified_user", "compliance_measurement"),
                    admin_item("Approved releases", "approval", "compliance_approval"),
                    admin_item("Clocks", "schedule", "compliance_clockreading"),
                ],
            },
            {
                "title": "Staff",
                "separator": True,
                "items": [
                    admin_item("Users", "badge", "auth_user"),
                    admin_item("Review of access", "checklist", "staff_member"),
                    admin_item("Roles", "groups", "staff_rolegroup"),
                    admin_item("Sign-ins", "login", "staff_signin"),
                    admin_item("Who looked at what", "visibility", "staff_accesslogentry"),
                    admin_item("What staff did", "manage_history", "admin_logentry"),
                ],
            },
        ],
    },
}

# -- the rest -----------------------------------------------------------------------------------------------------

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
USE_TZ = True
USE_I18N = True
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

# Seeds, cards and keys are among the variables of what fails: no error page, mail or log shows any.
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
        "axes": {"level": "ERROR"},  # what it counts is recorded as significant events
        "fontTools": {"level": "WARNING"},
        "celery": {"level": env.text("CELERY_LOG_LEVEL", "WARNING")},
    },
}
