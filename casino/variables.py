"""The table of settings: each variable of the environment once, with what it may be, who reads it and what it means.

`make settings` (deploy/variables.py) writes what repeats it: deploy/.env.example, the environments in compose.yaml and
kubernetes/, the reference in deploy/docs/operations.md. casino.settings has each value under the variable's name. An
empty value is as none, and a wrong or missing one prevents the start with a sentence. Run as a program, this refuses
names that resemble a setting and are none; compose does so with the names in `.env`.
"""

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from django.core.exceptions import ImproperlyConfigured

PROCESSES: Final = ("migrate", "web", "worker", "worker-background", "worker-outbound", "sealer", "watch")
"""Values of CASINO_PROCESS, beside the empty one of a process that may do everything, such as a command."""


# -- kinds: each turns a text that is not empty into a value, or raises ValueError with how the sentence goes on ----


def text(word: str) -> str:
    return word


def keys(word: str) -> str:
    """`key-id:64 hex digits`, comma separated; production refuses those of development."""
    return word


def flag(word: str) -> bool:
    if word.lower() not in {"true", "false"}:
        raise ValueError(f"must be true or false, not {word!r}")
    return word.lower() == "true"


def texts(word: str) -> list[str]:
    return [each.strip() for each in word.split(",") if each.strip()]


def pairs(word: str) -> list[tuple[str, str]]:
    items = [each.partition("=") for each in texts(word)]
    if not all(key and value for key, _, value in items):
        raise ValueError("must be `name=value`, comma separated")
    return [(key, value) for key, _, value in items]


def numbers(word: str) -> dict[str, int]:
    return {key: Number()(value) for key, value in pairs(word)}


def day(word: str) -> date:
    try:
        return date.fromisoformat(word.strip())
    except ValueError:
        raise ValueError(f"must be a day such as 2026-01-31, not {word!r}") from None


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number in a range."""

    low: int | None = None
    high: int | None = None

    def __call__(self, word: str) -> int:
        try:
            number = int(word)
        except ValueError:
            raise ValueError(f"must be a whole number, not {word!r}") from None
        if (self.low is not None and number < self.low) or (self.high is not None and number > self.high):
            raise ValueError(f"must be {self}")
        return number

    def __str__(self) -> str:
        return f"{self.low} or more" if self.high is None else f"{self.low} to {self.high}"


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    def __call__(self, word: str) -> str:
        if word not in self.words:
            raise ValueError(f"must be {', '.join(self.words)}, not {word!r}")
        return word


_EMPTY: Final[Mapping[Any, Callable[[], Any]]] = {text: str, keys: str, texts: list, pairs: list, numbers: dict}
"""What a variable without a value is; an empty word of a choice, None for other kinds."""
SAME: Final = "as in development"


@dataclass(frozen=True, slots=True)
class Variable:
    """A row of the table.

    `default` and `production` are texts as in the environment, empty for no value; None for one that must be set.
    """

    name: str
    kind: Callable[[str], Any]
    default: str
    says: str
    production: str | None = SAME
    """The default in production, where it is another."""
    fixed: bool = False
    """Whether production accepts its default only."""
    of: tuple[str, ...] = ()
    """The processes that read it; all, if empty."""
    secret: bool = False
    """Whether only processes of that kind, and commands, may know it."""
    deployed: bool = True
    """Whether compose.yaml and the cluster hand it on as it is; what they make by themselves is not in `.env`."""
    attested: bool = False
    """Whether an attestation compares it with the approved release's."""
    example: str = ""
    """What a production environment may look like, where that has no default."""
    how: str = ""
    """A command that makes a value."""

    def default_in(self, *, production: bool) -> str | None:
        return self.production if production and self.production != SAME else self.default

    def is_read_by(self, process: str) -> bool:
        return not self.of or process in self.of or (process == "" and self.secret)


_WEB: Final = ("web",)
_JOBS: Final = ("worker-background",)
_MAIL: Final = ("worker-background", "watch")
_KEY: Final = "python3 -c \"import secrets; print('2026a:' + secrets.token_hex(32))\""
_LOGIN: Final = 'python3 -c "import secrets; print(secrets.token_urlsafe(24))"'
_RSA: Final = "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -outform DER | base64 -w 0"
_DIGEST: Final = "docker buildx imagetools inspect {0} --format '{0}@{{{{.Manifest.Digest}}}}'"
DEVELOPMENT_SECRET: Final = "development-only-secret-never-use-in-production"  # noqa: S105  (refused by production)
_DEVELOPMENT_KEYS: Final = "development:" + "00" * 32

# fmt: off
TABLE: Final = (
    Variable("CASINO_ENV", Choice(("development", "production")), "development", deployed=False,
             says="`production` refuses everything that only development may have"),
    Variable("CASINO_PROCESS", Choice(PROCESSES), "", deployed=False,
             says="what the process is, which decides the secrets that it needs; none for a command, which needs all"),
    Variable("CASINO_DEBUG", flag, "false", fixed=True, says="Django's debug mode"),
    Variable("DEMO_OPERATOR", text, "", fixed=True, attested=True,
             says="slug of the sandbox operator whose demo players anybody may be on the table page"),
    Variable("FORCED_CARDS", flag, "false", fixed=True, attested=True,
             says="sandbox operators may choose the cards of a round, as a test"),

    Variable("ALLOWED_HOSTS", texts, "127.0.0.1,localhost,[::1],testserver", production=None, attested=True,
             example="casino.example.com", says="host names of this service, comma separated"),
    Variable("CSRF_TRUSTED_ORIGINS", texts, "", example="https://casino.example.com",
             says="origins that the admin is used from, comma separated"),
    Variable("BEHIND_TLS_PROXY", flag, "false", example="true",
             says="trust `X-Forwarded-Proto` and the last entries of `X-Forwarded-For`; nobody but the proxy may "
                     "reach the port"),
    Variable("PROXY_HOPS", Number(1, 8), "1", attested=True,
             says="how many of our own proxies append to `X-Forwarded-For`, if `BEHIND_TLS_PROXY`"),
    Variable("SCRIPT_NAME", text, "", says="the path under which a proxy publishes the service, such as `/casino`"),
    Variable("API_CONTACT_URL", text, "", says="where integrators ask questions; the OpenAPI document names it"),
    Variable("STATIC_ROOT", text, "static-root", deployed=False,
             says="the folder of collected static files"),
    Variable("WEB_PROCESSES", Number(1), "", production="2", of=_WEB,
             says="processes of the web server; by default in development as many as cores"),
    Variable("WEB_THREADS", Number(2), "8", of=_WEB,
             says="threads of each for the API and the table page; each has a connection to PostgreSQL"),
    Variable("QUOTA_PER_ADDRESS", Number(0), "0", production="3000", of=_WEB,
             says="requests a minute of an address without valid credentials, 0 for any number"),
    Variable("QUOTA_PER_CREDENTIAL", Number(0), "0", production="30000", of=_WEB,
             says="requests a minute of a key or a token, 0 for any number"),
    Variable("REQUEST_LOG", flag, "false", production="true", of=_WEB,
             says="a JSON line for each request ([access log](#access-log))"),

    Variable("SECRET_KEY", text, DEVELOPMENT_SECRET, production=None, of=_WEB, secret=True,
             says="the root of keys for sessions, links and signatures, 50 characters or more",
             how='python3 -c "import secrets; print(secrets.token_urlsafe(64))"'),
    Variable("SECRET_KEY_FALLBACKS", texts, "", of=_WEB, secret=True,
             says="earlier values of `SECRET_KEY`, comma separated, newest first"),
    Variable("PACK_PUBLIC_KEYS", texts, "", of=_WEB,
             says="public keys of dispute packs, in hex, of earlier values that were dropped"),
    Variable("RECEIPT_PUBLIC_KEYS", texts, "", of=_WEB,
             says="public keys of receipts, in hex, of earlier values that were dropped"),
    Variable("SHOE_KEYS", keys, _DEVELOPMENT_KEYS, production=None, secret=True,
             of=("web", "worker", "worker-background"), how=_KEY,
             says="encrypts seeds of shoes: `key-id:64 hex digits`, comma separated; the first encrypts, all decrypt"),
    Variable("PERSONAL_KEYS", keys, _DEVELOPMENT_KEYS, production=None, secret=True,
             of=("migrate", "web", "worker-background", "worker-outbound"), how=_KEY,
             says="the same for personal data: players' names and words, staff's authenticators"),
    Variable("WALLET_RSA_KEY", text, "", of=("web", "worker-outbound"), secret=True, how=_RSA,
             says="signs requests to wallets of the profile `hub88`: PKCS #8, DER, base64 on one line"),

    Variable("CHECKPOINT_KEYS", keys, _DEVELOPMENT_KEYS, production=None, of=_JOBS, secret=True, how=_KEY,
             says="signs checkpoints of the log: the first signs, all are trusted; `none` where nothing is signed"),
    Variable("CHECKPOINT_PUBLIC_KEYS", text, "",
             says="public keys that are trusted too, such as those of retired keys, in the same form"),
    Variable("CHECKPOINT_STORAGE", text, "", production=None, example="file:///checkpoints",
             says="where checkpoints are copied outside of the database: `https://host/path` of a store that lets "
                     "nobody overwrite, or `file:///folder`, best on another machine's disk"),
    Variable("CHECKPOINT_STORAGE_TOKEN", text, "", of=_JOBS, secret=True, says="bearer token for that store"),
    Variable("CHECKPOINT_SECONDS", Number(1, 86400), "300", of=_JOBS,
             says="a checkpoint is copied, and signed where no witness cosigns, after so many seconds …"),
    Variable("CHECKPOINT_POSITIONS", Number(1), "1000", of=_JOBS, says="… or so many events, whichever is first"),
    Variable("WITNESSES", text, "",
             says="`URL COSIGNER RELEASE-KEY`, comma separated, as `manage.py witness` prints them; `-` for the "
                     "release key of one that only cosigns"),
    Variable("CLOSING_KEYS", keys, "", of=("worker", "worker-background"), secret=True, how=_KEY,
             says="signs closings for the witnesses: the first those of new chains, the others those of older ones"),
    Variable("TABLE_WITNESSES", Number(0, 4), "0",
             says="how many of `WITNESSES`, from the first on, give out links at each table"),
    Variable("WITNESS_QUORUM", Number(0, 16), "0",
             says="how many witnesses must cosign; 0 for more than half of `WITNESSES`"),
    Variable("LOG_ORIGIN", text, "casino.localhost/log", production=None, example="casino.example.com/log",
             says="the name under which this log's checkpoints are signed, for good"),

    Variable("DATABASE_URL", text, "", deployed=False, says="PostgreSQL, as a libpq URL; embedded without one"),
    Variable("DATABASE_ROLE", Choice(("app", "owner")), "app", deployed=False,
             says="`owner` for what changes tables only ([logins](#database-logins))"),
    Variable("DATABASE_APP_ROLE", text, "casino_app", deployed=False, attested=True,
             says="the role of every process but `migrate`; it may only SELECT and INSERT where rows are immutable"),
    Variable("DATABASE_CONN_MAX_AGE", Number(0), "600", says="seconds that a connection lives"),
    Variable("DATABASE_POOLER", flag, "false", says="connect through PgBouncer, which refuses startup options"),
    Variable("DATABASE_TIMEOUTS", Choice(("short", "long")), "", deployed=False,
             says="how long statements may take: by default short for `web` and `worker`, long for others"),
    Variable("DATABASE_PREPARED_STATEMENTS", flag, "true",
             says="prepared statements; `false` behind a transaction-mode pooler"),
    Variable("REDIS_URL", text, "redis://127.0.0.1:6379/0", deployed=False,
             says="Redis, or Sentinels that name its master"),

    Variable("PAYMENT_PROVIDERS", pairs, "", attested=True,
             says="`name=https://address`, comma separated; without any, no deposit method can be offered"),
    Variable("PAYMENT_SECRETS", pairs, "", of=("web", "worker-background"), secret=True,
             says="`name=secret`, comma separated, 32 characters or more; a provider's first signs, all verify"),
    Variable("CURRENCIES", texts, "BTC:8:0.0001", production="", attested=True,
             says="currencies beside ISO 4217: `code:decimals`, or `code:decimals:unit` where a table's rules shall "
                     "count in other units than 1, such as `BTC:8:0.0001,USDT:6`"),
    Variable("BETTING_WEEK", text, "friday 00:00 -05:00", attested=True,
             says="when the week begins in which a player may change the own table limit once"),
    Variable("PLAYER_SESSION_SECONDS", Number(1), "3600", attested=True,
             says="how long a player's session lasts unless its request says otherwise"),
    Variable("PLAYER_IDLE_SECONDS", Number(60, 1800), "900", attested=True,
             says="an unused player's session ends after this (GLI-19 2.5.4: half an hour at most)"),
    Variable("PLAYER_AWAY_SECONDS", Number(1), "", attested=True,
             says="a player without a sign of life for so long is absent; by default a tenth of "
                     "`PLAYER_IDLE_SECONDS`, at least a fifteenth"),
    Variable("SEAT_HOLD_SECONDS", Number(1), "", attested=True,
             says="how long an absent player's seat is held where no rounds pass; by default five minutes longer than "
                     "`PLAYER_IDLE_SECONDS`"),
    Variable("STAFF_TOTP_REQUIRED", flag, "false", production="true", fixed=True,
             says="staff need a second factor"),
    Variable("STAFF_IDLE_SECONDS", Number(60, 1800), "900", attested=True,
             says="staff log in again after this time without a request"),
    Variable("STAFF_SESSION_SECONDS", Number(60), "43200", says="staff log in again after this time in any case"),

    Variable("EMAIL_HOST", text, "", production=None, of=_MAIL, example="smtp.example.com",
             says="the mail server; development without one prints e-mails"),
    Variable("EMAIL_PORT", Number(1, 65535), "587", of=_MAIL, says="its port"),
    Variable("EMAIL_SECURITY", Choice(("starttls", "tls", "none")), "starttls", of=_MAIL,
             says="`starttls`, `tls`, or in development `none`"),
    Variable("EMAIL_USER", text, "", of=_MAIL, secret=True, says="the login at the mail server"),
    Variable("EMAIL_PASSWORD", text, "", of=_MAIL, secret=True, says="of that login"),
    Variable("EMAIL_FROM", text, "casino@localhost", production=None, of=_MAIL, example="casino@example.com",
             says="the sender"),
    Variable("ALERT_EMAILS", texts, "", of=("watch",),
             says="who is told by `watch` of [what is wrong](#alerts), comma separated"),
    Variable("DEAD_MAN_URL", text, "", of=("watch",),
             says="an address that gets a POST every 15 seconds while `watch` can tell people"),

    Variable("AUDIT_HOUR", Number(0, 23), "3", of=_JOBS, says="the hour (UTC) of the nightly audit"),
    Variable("AUDIT_REPLAY_DAYS", Number(1), "90", of=_JOBS,
             says="within so many days every part of the log is replayed again, a share each night"),
    Variable("INTEGRITY_AT_START", flag, "false", production="true", attested=True,
             says="compare with the approved release at start and every 24 hours"),
    Variable("INTEGRITY_STOPS_PLAY", flag, "false", attested=True,
             says="stop all gaming when code differs from the approved release"),
    Variable("CHANGE_DELAY_HOURS", Number(0), "24", attested=True,
             says="hours between the confirmation of a policy, a deposit method or the end of a self-exclusion and "
                     "its effect"),
    Variable("DISCREPANCY_HOURS", Number(0), "24",
             says="hours that a difference from a provider's records may wait before an alert"),
    Variable("CLOCK_TOLERANCE_MS", Number(1), "500", attested=True,
             says="how many milliseconds a process's clock may be off the database's"),
    Variable("OUTAGE_SECONDS", Number(1), "900", says="a longer gap between readings of a clock counts as an outage"),
    Variable("FEED_DAYS", Number(1), "30",
             says="days for which items of feeds, and deliveries of webhooks, are kept"),
    Variable("WEBHOOK_NETWORKS", texts, "127.0.0.0/8,::1/128", production="", attested=True,
             says="networks with private addresses to which webhooks may be sent, and where operators' wallets and "
                     "identity providers may be, comma separated, such as `10.1.0.0/16`"),
    Variable("LEGAL_HOLD", day, "", attested=True,
             says="a day, such as `2026-01-31`: from its beginning (UTC) on no data is purged, by schedule or by "
                     "hand, and no month archived"),
    Variable("RETENTION_DAYS", numbers, "",
             says="`kind=days`, comma separated: keep longer than `manage.py purge` lists by default"),
    Variable("ARCHIVE_STORAGE", text, "",
             says="`file:///folder`, where months are archived"),
    Variable("ARCHIVE_AFTER_DAYS", Number(1), "90",
             says="a month is archived when it has been over for so many days"),
    Variable("PDF_FONTS", text, "/usr/share/fonts",
             says="the folder of the Noto fonts (Debian: `fonts-noto-core`, `fonts-noto-cjk`) that reports as PDF are "
                     "printed with; names without a font are told in the PDF"),

    Variable("METRICS_TOKEN", text, "", of=("web", "watch"), secret=True,
             says="the bearer token of `GET /metrics`, which does not exist without one; with it `/healthz` says what "
                     "waits for people, too"),
    Variable("OTEL_EXPORTER_OTLP_ENDPOINT", text, "",
             says="where [traces](#traces) are sent, such as `http://collector:4318`; there are none without one"),
    Variable("LOG_LEVEL", text, "INFO", says="of [log lines](#log-lines)"),
    Variable("LOG_FORMAT", Choice(("lines", "json")), "lines", production="json", says="`lines` or `json`"),
    Variable("CELERY_LOG_LEVEL", text, "WARNING", says="of Celery's own log lines"),
    Variable("HEARTBEAT_FILE", text, "", deployed=False, says="a file that is touched with each heartbeat"),
    Variable("CONTAINER_IMAGES", texts, "", deployed=False, says="images that production refuses without a digest"),
)

CONTAINERS: Final = (
    Variable("POSTGRES_PASSWORD", text, "", production=None, secret=True, how=_LOGIN, says="of the administrator"),
    *(Variable(f"CASINO_{login.upper()}_PASSWORD", text, "", production=None, secret=True, how=_LOGIN,
               says=f"of the [login](#database-logins) `casino_{login}`")
      for login in ("owner", "app", "web", "backup")),
    Variable("REDIS_PASSWORD", text, "", production=None, secret=True, how=_LOGIN, says="of Redis"),
    Variable("POSTGRES_IMAGE", text, "", production=None, how=_DIGEST.format("postgres:18"),
             says="the image by its digest, which no registry can replace"),
    Variable("REDIS_IMAGE", text, "", production=None, how=_DIGEST.format("redis:7"), says="the same of Redis"),
    Variable("PYTHON_IMAGE", text, "", production=None, how=_DIGEST.format("python:3.13-slim"),
             says="what our image is built on"),
    Variable("EXTRAS", text, "", says="extras of our image, such as `tracing`"),
    Variable("PORT", text, "8000", says="where the web server is published on this host's loopback"),
    Variable("PROMETHEUS_IMAGE", text, "prom/prometheus:v2.53.5", says="for `--profile prometheus`"),
    Variable("ALERTMANAGER_IMAGE", text, "prom/alertmanager:v0.27.0", says="for `--profile prometheus`"),
    Variable("BACKUP_FOLDER", text, "./backup", says="for `--profile backup`: where backups are written"),
    Variable("BACKUP_RECIPIENT", text, "./backup.pub", says="the public key that they are encrypted for"),
    Variable("BACKUP_KEEP", text, "14", says="how many daily ones are kept"),
)
"""What compose.yaml reads from `.env` for the containers, beside the settings."""
# fmt: on

_ELSEWHERE: Final = ("CASINO_HOME", "CASINO_SCRATCH", "CASINO_IMAGE", "CASINO_KEYS", "CASINO_URL")
"""Names that development, compose.yaml and the integration guide read."""
_BY_NAME: Final = {variable.name: variable for variable in TABLE}


def find_variable(name: str) -> Variable:
    return _BY_NAME[name]


def value(name: str, environment: Mapping[str, str] | None = None) -> Any:
    """Return a variable's value, from NAME or from the file in NAME_FILE. Raises ImproperlyConfigured."""
    variable, environment = find_variable(name), os.environ if environment is None else environment
    file = environment.get(f"{name}_FILE")
    given = Path(file).read_text(encoding="utf-8").strip() if file else environment.get(name, "")
    if not given.strip(", "):
        given = _default(variable, environment)
    if not given:
        return "" if isinstance(variable.kind, Choice) else _EMPTY.get(variable.kind, lambda: None)()
    try:
        return variable.kind(given)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} {error}.") from None


def _default(variable: Variable, environment: Mapping[str, str]) -> str:
    is_read = variable.is_read_by(environment.get("CASINO_PROCESS", ""))
    if variable.secret and not is_read:
        return ""
    default = variable.default_in(production=environment.get("CASINO_ENV") == "production")
    if default is None and is_read:
        raise ImproperlyConfigured(f"Set {variable.name} (or {variable.name}_FILE) in the environment.")
    return variable.default if default is None else default


def read(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return every setting's value by its name. Raises ImproperlyConfigured for the first that is wrong or missing."""
    refuse_unknown(name for name in environment if name.startswith("CASINO_"))
    return {variable.name: value(variable.name, environment) for variable in TABLE}


def own_variables(process: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without other processes' secrets."""
    others = {variable.name for variable in TABLE if variable.secret and not variable.is_read_by(process)}
    own = {name: value for name, value in environment.items() if name.removesuffix("_FILE") not in others}
    return own | {"CASINO_PROCESS": process}


def refuse_unknown(names: Iterable[str]) -> None:
    """Refuse names that begin as ours or resemble one of ours and are none. Raises ImproperlyConfigured."""
    known = {*_BY_NAME, *(variable.name for variable in CONTAINERS), *_ELSEWHERE}
    for name in names:
        bare, ours = name.removesuffix("_FILE"), name.startswith("CASINO_")
        if name in known or bare in known:
            continue
        if ours and bare.removeprefix("CASINO_") in known:
            near = [bare.removeprefix("CASINO_")]
        else:
            near = get_close_matches(bare, sorted(known), 1, 0.8 if ours else 0.85)
        if ours or near:
            meant = f" Is {near[0]} meant?" if near else ""
            raise ImproperlyConfigured(f"{name} is no setting.{meant} deploy/docs/operations.md lists them all.")


if __name__ == "__main__":
    try:
        refuse_unknown(os.environ)
    except ImproperlyConfigured as error:
        sys.exit(str(error))
