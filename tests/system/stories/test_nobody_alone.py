"""Nobody alone: whatever one person, key, command or job tries at a live operator, it gains no power.

Who is alone tries every door, confirms what it asked for itself, and what it gained over money or controls is read from
the database (`tests.support.power`). What is known to be gained, by whom and why, is in `nobody_alone.toml`. That each
reads only what it may: `tests/casino/backoffice/test_permissions.py`, `tests/baccarat/api/test_scopes.py`.
"""

import contextlib
import io
import json
import tomllib
import uuid
from collections import defaultdict
from collections.abc import Collection, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from django import forms
from django.contrib.admin.utils import quote
from django.contrib.auth import get_backends
from django.contrib.auth.models import Group, Permission, User
from django.contrib.messages import ERROR
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import transaction
from django.forms import Form
from django.template.response import TemplateResponse
from django.test import override_settings
from django.utils import timezone

from baccarat.storage.models import Table
from casino.backoffice.actions import RowAction, row_actions
from casino.backoffice.sections import FormSection
from casino.celery import app as celery
from casino.devstack.person import Person
from casino.operators import changes
from casino.operators.assertions import HEADER
from casino.operators.models import ApiKey, Change, Operator, StaffMembership, StaffSubject
from casino.operators.principals import Scope
from casino.staff import act_audit, addresses, duties, roles
from casino.staff.duties import DutySide, Role
from tests.baccarat.api import contract
from tests.baccarat.api.people import JSON, STAFF_KEY, Caller, Tenant, tenant
from tests.baccarat.api.test_writes import SCENES, Doing
from tests.casino.backoffice.admin_urls import ACTIONS, LETTERS, WITHOUT_ROW
from tests.casino.backoffice.test_permissions import ANSWERED, NOT_SO, PAGES_OF_NO_MODEL, ask, looking, method_of, parts
from tests.conftest import Database
from tests.operations import KEY, PROVIDER, ROWS
from tests.support import power
from tests.support.everything import full_office
from tests.support.keys import issue_key
from tests.support.spots import written
from tests.wallet.payments.counter import use_provider

TABLE: Final = tomllib.loads(Path(__file__).with_name("nobody_alone.toml").read_text(encoding="utf-8"))
SIDES: Final = [side for side in DutySide if side is not DutySide.ANY]
EVERY_SCOPE: Final = "every scope"
SUPERUSER: Final = "superuser"
SHELL, JOBS = "shell", "jobs"
OWN: Final = {"casino", "wallet", "baccarat"}
LAST: Final = tuple("void exclude stop throw close revoke remove erase end retire reject decline cancel".split())
"""How addresses end that are pressed after all others, as they take away what others are pressed at."""
JWK: Final = json.dumps(Person("", "", STAFF_KEY).jwk)
AS_IT_IS: Final = ("minimum", "maximum")
"""Fields that are typed into only where they are empty."""
LARGE: Final = "9000000.00"
TYPED: Final[dict[str, Any]] = {
    **dict.fromkeys(("auto_approve_up_to", "second_approval_above", "maximum", "cap", "wager", "wager_day"), LARGE),
    **dict.fromkeys(("win", "win_day", "payment", "amount", "stake_day", "loss_day"), LARGE),
    **dict.fromkeys(("per_request_EUR", "per_day_EUR"), LARGE), "minimum": "1.00", "contact": "m@evil.example",
    "address": "https://evil.example/in", "origins": "https://evil.example", "issuer": "https://evil.example",
    "networks": "0.0.0.0/0", "jwk": JWK, "username": "mallory", "subject": "mallory",
    "group": "careful", "slug": "evil", "name": "evil", "currencies": "EUR", "currency": "EUR", "funding": "transfer",
    "wallet_profile": "standard", "direction": "credit", "provider": "sandbox",
    "functions": ["wallet.view_entry"],
    **dict.fromkeys(("reason", "note", "resolution", "answer", "message", "acknowledgement"), "Because"),
}  # fmt: skip
"""What is typed into fields of these names, to loosen what there is."""
TYPED_AT: Final[dict[str, dict[str, Any]]] = {
    "operators_apikey_terms": {"expires_at": "2090-01-01"},
    "baccarat_rulesversion_draft": {"spots": json.dumps(written(tie="9:1")), "acknowledgement": ""},
    "compliance_case_deadline": {"due_at": "2090-01-01"},
    "compliance_case_entry": {"step": "note", "text": "Because", "evidence": "", "sha256": "", "message": ""},
    "operators_operator_complaint_text": {"answer": "received", "language": "en"},
    "operators_operator_dispute_body": {"url": "https://evil.example/"},
    "operators_operator_player_record": {"address": "https://evil.example/{reference}"},
    "feed_webhookendpoint_replay": {"after": 0, "until": 1},
    "risk_riskrule_set": {"kind": "stake_sum", "count": "", "share": ""},
    "operators_player_exclude": {"kind": "cooling_off", "length": "24"},
    "reports_report_create": {"period": "lifetime"},
    "reports_savedreport_add_destination": {"address": "m@evil.example"},
    "wallet_account_limit": {"limit_type": "loss", "period": "day", "minutes": ""},
}
"""What is typed at an address instead."""
ROWS_AT: Final[dict[str, dict[str, str]]] = {
    "operators_apikey": {"operator__slug": "office"},
    "operators_operator_funding": {"slug": "annex"},
    "operators_operator_require_signatures": {"slug": "annex"},
    "operators_operator": {"slug": "office"},
    "operators_player_erase": {"limits_group": "apart"},
    "significant_significantevent_a": {"kind": "access_changed", "subject__startswith": "key:"},
    "wallet_account": {"kind": "account", "money_type": "real"},
}
"""Among which rows those are that addresses beginning so are pressed at, if not among all."""
EVERY_ROW: Final = {"baccarat_killswitch_resume": 8}
"""At how many rows an address is pressed, if not only where it is offered: each stop has a rank."""


def roles_of(side: DutySide) -> list[Role]:
    """Return the greatest set of roles that one person may hold: all of a side, and those of no side."""
    of_side = {act.name for act in duties.acts() if act.side is side}
    return [role for role in Role if not duties.apart(roles.functions_of(role) | of_side)]


def functions_of(side: DutySide) -> set[str]:
    """Return everything that a role of the house's own may permit to somebody of a side."""
    sided = {act.name: act.side for act in duties.acts()}
    return {name for name in roles.grantable() if sided.get(name, DutySide.ANY) in {side, DutySide.ANY}}


@dataclass(frozen=True, slots=True)
class Holder:
    """A member of the staff, alone: with roles, and perhaps the superuser's flag."""

    name: str
    roles: tuple[str, ...] = ()
    is_superuser: bool = False

    def account(self, name: str, operators: Iterable[Any]) -> Any:
        """Return an account, as one that has signed in."""
        user = User.objects.create_user(name, f"{name}@example.com", is_staff=True, is_superuser=self.is_superuser)
        user.groups.set(Group.objects.filter(name__in=self.roles))
        StaffMembership.objects.bulk_create(StaffMembership(user=user, operator_id=each) for each in operators)
        addresses.record_confirmed(user)
        return next(each for each in get_backends() if hasattr(each, "get_user")).get_user(user.pk)


def everything_of(side: DutySide) -> str:
    return f"everything_of_{side}"


def holders() -> list[Holder]:
    """List each role, the greatest sets that one person may hold, and the greatest that a superuser may."""
    greatest = {side: (*roles_of(side), everything_of(side)) for side in SIDES}
    return [
        *(Holder(role, (role,)) for role in Role),
        *(Holder(f"all of {side}", held) for side, held in greatest.items()),
        Holder(SUPERUSER, greatest[DutySide.ADMINISTER], is_superuser=True),
    ]


@dataclass
class Found:
    """What was tried, what was written, and what was gained."""

    tried: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    refused: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Doors at which somebody was refused, with the reasons."""
    acts: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Commands and jobs, with the acts that they did or asked for."""
    gains: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """Doors, each with what was gained there, and by whom."""

    def note(self, who: str, door: str, gained: Collection[str]) -> None:
        for what in gained:
            self.gains[f"{door}: {what}"].add(who)


@dataclass(frozen=True, slots=True)
class Alone:
    """Somebody who calls the API alone: with a key, and as the only person who signs with it, if any."""

    name: str
    key: Tenant
    person: str = ""

    def tries(self, method: str, path: str, body: Any, before: power.Powers) -> set[str]:
        """Send a write, confirm in every spelling what that asked for, and name what is gained, which is undone."""
        with transaction.atomic():
            first = power.touched()
            send(self.key, method, path, body, self.person)
            for change in Change.objects.filter(status="requested", operator_id=self.key.id):
                for person in (self.person, self.person.upper()):
                    send(self.key, "post", f"changes/{change.pk}/confirm", {}, person)
            changes.apply_due()
            found = set() if power.touched() == first else power.gained(before, power.read())
            transaction.set_rollback(True)
        return found


def send(caller: Caller, method: str, path: str, body: Any, person: str = "") -> Any:
    text = json.dumps(body or {})
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    if person and isinstance(caller, Tenant):
        headers[HEADER] = caller.assertion(person, method.upper(), path, text.encode())
    return caller.send(method, f"/api/v1/{path}", data=text, content_type=JSON, headers=headers)


def callers(house: Tenant) -> list[Alone]:
    """List a key of each scope, one of all, and one of all with the only person of each role, set of roles and flag."""

    def key(*scopes: Scope) -> Tenant:
        return replace(house, credential=".".join(issue_key(operator=uuid.UUID(house.id), scopes=scopes)))

    every = key(*Scope)
    found = [*(Alone(f"key: {scope}", key(scope)) for scope in Scope), Alone(f"key: {EVERY_SCOPE}", every)]
    for number, holder in enumerate(holders()):
        user = holder.account(f"{house.slug}-{number}", [house.id])
        StaffSubject.objects.create(user=user, operator_id=house.id, subject=f"person{number}")
        found.append(Alone(f"key: {EVERY_SCOPE}; {holder.name}", every, f"person{number}"))
        house.person(f"person{number}")
    return found


class Tried(Doing):
    """Does scenes of every write, and before each lets those try it who are alone."""

    def __init__(self, found: Found, alone: list[Alone]) -> None:
        super().__init__()
        self.found, self.alone = found, alone

    def __call__(
        self, caller: Any, path: str, body: Any = None, *, method: str = "post", person: str = "", asked: str = ""
    ) -> Any:
        """Let each try it, of whom those with a person are not alone where another `asked`, and then do it."""
        name = contract.operation_of(method, f"/api/v1/{path}").name
        row, before = ROWS[name], power.read()
        self.found.tried.add(name)
        for each in self.alone:
            of_keys, of_persons = row.by & {*Scope, KEY}, row.persons and not asked
            if of_persons if each.person else of_keys or each.name.endswith(EVERY_SCOPE):
                self.found.note(each.name, name, each.tries(method, path, body, before))
        answer = send(caller, method, path, body, person)
        assert answer.status_code < 300, answer.content.decode()
        return answer.json() if answer.content else None

    def new_kinds(self) -> set[str]:
        """Record nothing."""
        return set()


@pytest.fixture(scope="module")
def found(module_database: Database) -> Generator[Found]:
    """Try everything."""
    found = Found()
    with pytest.MonkeyPatch.context() as patch, override_settings(CHANGE_DELAY_HOURS=0):
        use_provider(patch)
        for side in SIDES:
            own = Group.objects.create(name=everything_of(side))
            own.permissions.set(
                permission
                for permission in Permission.objects.select_related("content_type")
                if f"{permission.content_type.app_label}.{permission.codename}" in functions_of(side)
            )
        for scene in SCENES:
            lucky = tenant("lucky")
            scene(Tried(found, callers(lucky)), lucky)
        tenant("rival")  # for which those who are alone do not work
        office = full_office("office")
        celery.loader.import_default_modules()
        celery.tasks["wallet.process_payments"]()  # what is due without anybody
        for holder in holders():
            with undone():
                use_the_admin(found, holder)
        use_the_shell(found, office.operator)
        yield found


@contextlib.contextmanager
def undone() -> Generator[None]:
    """Roll back what the block does, in which durable transactions may be, as in Django's tests."""
    whole = transaction.atomic()
    whole._from_testcase = True
    with whole:
        yield
        transaction.set_rollback(True)


def use_the_admin(found: Found, holder: Holder) -> None:
    """Press every button, twice: what the first time asked for is confirmed the second time. Then let jobs run."""
    ours = Operator.objects.exclude(slug__startswith="rival")
    works_for = ours if holder.name in {*Role} else Operator.objects.all()
    user = holder.account("zoe", works_for.values_list("pk", flat=True))
    Holder("", tuple(roles_of(DutySide.DO))).account("victim", ours.values_list("pk", flat=True))
    before = power.read()
    for _ in range(2):
        for address in sorted([*ACTIONS, "auth_user_change"], key=lambda each: (each.endswith(LAST), each)):
            seen = power.touched()
            for number in range(EVERY_ROW.get(address, 1)):
                if refusal := press(user, address, number):
                    found.refused[address].add(refusal)
                else:
                    found.done.add(address)
            found.tried.add(address)
            if power.touched() != seen:
                after = power.read()
                found.note(holder.name, address, power.gained(before, after))
                before = after
    for name in own_tasks():
        celery.tasks[name]()
    found.note(holder.name, JOBS, power.gained(before, power.read()))


def press(user: Any, address: str, number: int = 0) -> str:
    """Fill in the form of an address for a row where it is offered, and send it. Return why it was refused, if so."""
    model = PAGES_OF_NO_MODEL.get(address) or "_".join(address.split("_")[:2])
    part, row, form = dict(parts())[model], None, None
    action = next((each for each in row_actions(type(part)) if address == f"{model}_{each.name}"), None)
    if address not in WITHOUT_ROW:
        row = row_for(user, part, action, address, number)
        if row is None:
            return "no row"
    if action is None:
        status, page = ask(user, address, row, "get")
        if method_of(address) == "get" and not (posted := list(forms_of(page))):
            return "" if status == ANSWERED else status
        form = next(iter(posted if method_of(address) == "get" else forms_of(page)), None)
    elif user.has_perm(action.permission):
        eye = looking(User.objects.get(username="eye"))
        form = action.form(request=eye, row=part.find_row(eye, str(quote(row))))
    given = {} if form is None else fill(form, address)
    status, answer = ask(user, address, row, "post", given, keep=True)
    return "" if status == NOT_SO else status if status != ANSWERED else refusal_of(answer)


def row_for(user: Any, part: Any, action: RowAction | None, address: str, number: int) -> object | None:
    """Return the newest row at whose page an action is offered, or where it is at none, the newest."""
    if part.opts.label_lower in {"auth.user", "staff.member"}:
        return User.objects.get(username="victim").pk
    rows = part.get_queryset(looking(user)).order_by("-pk")
    rows = next((rows.filter(**where) for begin, where in ROWS_AT.items() if address.startswith(begin)), rows)
    request = looking(user)
    newest = rows.values_list("pk", flat=True).first()
    if address in EVERY_ROW:
        return next(iter(rows.values_list("pk", flat=True)[number:]), None)
    if action is None or not part.has_view_permission(request):
        return newest
    known = ((row, part.find_row(request, str(quote(row)))) for row in rows.values_list("pk", flat=True)[:20])
    return next((row for row, found in known if action.applies(request, found)), newest)


def refusal_of(answer: Any) -> str:
    """Return what a page says of why nothing was done."""
    told = [str(each) for each in answer.wsgi_request._messages if each.level >= ERROR]
    page = answer.context_data if isinstance(answer, TemplateResponse) else {}
    errors = [page["adminform"].form.errors] if "adminform" in page else [form.errors for form in forms_of(answer)]
    return " ".join([*told, *(each.as_json() for each in errors if each)])


def forms_of(page: Any) -> Iterator[Form]:
    """Yield the forms of a page."""
    context = page.context_data if isinstance(page, TemplateResponse) else {}
    if "adminform" in context:
        yield context["adminform"].form
    for section in context.get("sections", ()):
        yield from (each.form for each in getattr(section, "forms", [section]) if isinstance(each, FormSection))


def fill(form: Form, address: str) -> dict[str, Any]:
    """Type into each field what a thief would."""
    filled: dict[str, Any] = {}
    for name, each in form.fields.items():
        choices = [value for value, _ in flat(getattr(each, "choices", ())) if value]
        match each:
            case _ if name in TYPED_AT.get(address, {}):
                filled[name] = TYPED_AT[address][name]
            case _ if name in TYPED and (not choices or name == "functions" or TYPED[name] in choices):
                filled[name] = (name in AS_IT_IS and form.get_initial_for_field(each, name)) or TYPED[name]
            case forms.EmailField():
                filled[name] = f"{type(form).__name__}@evil.example"
            case forms.MultipleChoiceField():
                filled[name] = choices
            case forms.ModelChoiceField():
                filled[name] = [str(row) for row in choices[-1:]]
            case forms.ChoiceField():
                filled[name] = choices[-1:]
            case forms.DateTimeField() | forms.DateField():
                filled[name] = (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%d")
            case forms.IntegerField():
                filled[name] = form.get_initial_for_field(each, name) or 5
            case _:
                filled[name] = form.get_initial_for_field(each, name) or ("Because" if each.required else "")
    return filled


def flat(choices: Any) -> Iterator[tuple[Any, Any]]:
    """Yield choices that may be in groups."""
    for value, label in choices:
        yield from flat(label) if isinstance(label, (list, tuple)) else [(value, label)]


def use_the_shell(found: Found, operator: Operator) -> None:
    """Run each command and each task, and undo it."""
    names = {
        "slug": operator.slug,
        "key": ApiKey.objects.filter(operator=operator).earliest("created_at").pk,
        "table": Table.objects.filter(operator_id=operator.pk)[0].pk,
        "jwk": JWK,
    }
    for command, row in TABLE["commands"].items():
        for words in row.get("words", ()):
            run = partial(
                call_command, *command.split(), *(word.format(**names) if word != JWK else JWK for word in words)
            )
            watch(found, SHELL, command, run)
    for name in own_tasks():
        watch(found, JOBS, name, celery.tasks[name])


def watch(found: Found, who: str, door: str, run: Any) -> None:
    """Run something, undo it, and note what was gained, and by which acts."""
    before = power.read()
    with undone():
        known, asked = len(act_audit.read()), set(Change.objects.values_list("pk", flat=True))
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(CommandError, SystemExit):
            run()
        found.note(who, door, power.gained(before, power.read()))
        found.acts[door] |= {act.act for _, act in act_audit.read()[known:]}
        found.acts[door] |= {changes.act_of(change.kind).name for change in Change.objects.exclude(pk__in=asked)}


def own_tasks() -> set[str]:
    celery.loader.import_default_modules()
    return {name for name in celery.tasks if not name.startswith("celery.")}


def own_commands() -> Iterator[str]:
    """Yield the commands of this project, each of `operator` by itself."""
    for name, app in get_commands().items():
        if str(app).partition(".")[0] in OWN:
            command = load_command_class(app, name)
            actions = command.create_parser("manage.py", name)._subparsers
            if actions is None:
                yield name
            else:
                yield from (f"{name} {each}" for each in actions._group_actions[0].choices)


def test_every_door_is_tried(found: Found) -> None:
    assert {role for side in SIDES for role in roles_of(side)} == {*Role}
    writes = {operation.name for operation in contract.operations() if operation.method != "get"}
    assert {name for name in writes if not ROWS[name].sandbox and PROVIDER not in ROWS[name].by} <= found.tried
    assert {*ACTIONS} <= found.tried
    assert {*TABLE["commands"]} == {*own_commands()}
    assert {*TABLE["tasks"]} == own_tasks()


def test_what_is_pressed_in_the_admin_has_an_effect(found: Found) -> None:
    refused = {address: found.refused[address] for address in ACTIONS if address not in found.done}
    assert sorted(refused) == sorted(TABLE["without_effect"]), refused


def test_nobody_gains_power_alone_by_any_door(found: Found) -> None:
    assert dict(found.gains) == {door: {*row["by"]} for door, row in TABLE["known"].items()}


def test_commands_and_jobs_do_the_acts_that_they_are_known_to_do(found: Found) -> None:
    known = {door: set(row.get("acts", ())) for kind in ("commands", "tasks") for door, row in TABLE[kind].items()}
    assert {door: found.acts[door] for door in known} == known


def test_every_act_has_a_door_and_every_door_that_changes_something_has_an_act() -> None:
    of_keys = {name for name, row in ROWS.items() if row.by & {*Scope, KEY}}
    writes = [each for each in contract.operations() if each.method != "get" and each.name in of_keys]
    buttons = {f"{model}_{each.name}": each for model, part in parts() for each in row_actions(type(part))}
    assert {*ACTIONS} - {*buttons} == {*TABLE["pages"]} - {"auth_user_change"}
    doors = {
        *(each.document["x-duty"]["act"] for each in writes),
        *(each.permission for each in buttons.values()),
        *(changes.act_of(kind).name for kind in changes.kinds()),
        *TABLE["pages"].values(),
        *(act for kind in ("commands", "tasks") for row in TABLE[kind].values() for act in row.get("acts", ())),
    }
    assert {door for door in doors if ".view_" not in door} == {act.name for act in duties.acts()}


def test_an_address_is_used_by_the_roles_that_hold_its_act() -> None:
    known = dict(parts())
    allowed: dict[str, set[Role]] = {}
    for address in ACTIONS:
        model = "_".join(address.split("_")[:2])
        buttons = row_actions(type(known[model])) if model in known else ()
        action = next((each for each in buttons if address == f"{model}_{each.name}"), None)
        if action is None:
            needed, seen = {TABLE["pages"][address]}, {TABLE["pages"][address]}
        else:
            needed, seen = {action.permission}, {f"{known[model].opts.app_label}.view_{known[model].opts.model_name}"}
        if model == "compliance_case" and address.endswith("_note"):
            seen.add("compliance.view_complaint")  # whoever opened a complaint follows it
        allowed[address] = {role for role in Role if needed <= (held := roles.functions_of(role)) and seen & held}
    assert allowed == {address: {LETTERS[letter] for letter in letters} for address, letters in ACTIONS.items()}
