"""Nobody alone: whatever one person, key or command tries at a live operator, it gains no power over money or controls.

Who is alone tries every door, confirms what it asked for itself, and what it gained is read from the database
(`tests.support.power`). What is known to be gained, and why, is in `nobody_alone.toml`. That each reads only what its
role or scope may: `tests/casino/backoffice/test_permissions.py`, `tests/baccarat/api/test_scopes.py`.
"""

import contextlib
import io
import json
import tomllib
import uuid
from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from django import forms
from django.contrib.admin.utils import quote
from django.contrib.auth import get_backends
from django.contrib.auth.models import Group, User
from django.core.management import CommandError, call_command, get_commands, load_command_class
from django.db import transaction
from django.forms import Form
from django.template.response import TemplateResponse
from django.test import override_settings
from django.utils import timezone

from baccarat.domain.tables.kill_switch import StopScope
from baccarat.services import kill_switch
from baccarat.storage.models import Table
from casino.backoffice.actions import row_actions
from casino.backoffice.sections import FormSection
from casino.celery import app as celery
from casino.devstack.person import Person
from casino.events.store import Metadata
from casino.operators import changes
from casino.operators.assertions import HEADER
from casino.operators.key_models import KeyLimit
from casino.operators.models import ApiKey, Change, Operator, StaffMembership, StaffSubject
from casino.operators.principals import Scope
from casino.operators.services import issue_key
from casino.staff import duties, roles
from casino.staff.duties import DutySide, Role
from tests.baccarat.api import contract
from tests.baccarat.api.people import JSON, STAFF_KEY, Caller, Tenant, tenant
from tests.baccarat.api.test_writes import SCENES, Doing
from tests.casino.backoffice.admin_urls import ACTIONS, WITHOUT_ROW
from tests.casino.backoffice.test_permissions import PAGES_OF_NO_MODEL, ask, looking, parts, row_of
from tests.conftest import Database
from tests.operations import KEY, PROVIDER, ROWS
from tests.support import power
from tests.support.office import Office, open_office
from tests.wallet.payments.counter import offer, use_provider
from wallet.payments import methods, withdrawals

TABLE: Final = tomllib.loads(Path(__file__).with_name("nobody_alone.toml").read_text(encoding="utf-8"))
SIDES: Final = [side for side in DutySide if side is not DutySide.ANY]
EVERY_SCOPE: Final = "every scope"
SUPERUSER: Final = "superuser"
OWN: Final = {"casino", "wallet", "baccarat"}
LAST: Final = ("stop", "throw", "close", "revoke", "remove", "erase", "end", "retire", "reject", "decline", "cancel")
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
    "tie_pays": "200:1", "functions": ["wallet.view_entry"],
    **dict.fromkeys(("reason", "note", "resolution", "answer", "message", "acknowledgement"), "Because"),
}  # fmt: skip
"""What is typed into fields of these names, to loosen what there is."""


def roles_of(side: DutySide) -> list[Role]:
    """Return the greatest set of roles that one person may hold: all of a side, and those of no side."""
    of_side = {act.name for act in duties.acts() if act.side is side}
    return [role for role in Role if not duties.apart(roles.functions_of(role) | of_side)]


@dataclass
class Found:
    """What was tried, what was written, and what was gained."""

    tried: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
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

    def tries(self, method: str, path: str, body: Any) -> set[str]:
        """Send a write, confirm in every spelling what that asked for, and name what is gained, which is undone."""
        before = power.read()
        with transaction.atomic():
            send(self.key, method, path, body, self.person)
            for change in Change.objects.filter(status="requested", operator_id=self.key.id):
                for person in (self.person, self.person.upper()):
                    send(self.key, "post", f"changes/{change.pk}/confirm", {}, person)
            changes.apply_due()
            found = power.gained(before, power.read())
            transaction.set_rollback(True)
        return found


def send(caller: Caller, method: str, path: str, body: Any, person: str = "") -> Any:
    text = json.dumps(body or {})
    headers = {"Idempotency-Key": uuid.uuid4().hex}
    if person and isinstance(caller, Tenant):
        headers[HEADER] = caller.assertion(person, method.upper(), path, text.encode())
    return caller.send(method, f"/api/v1/{path}", data=text, content_type=JSON, headers=headers)


def callers(house: Tenant) -> list[Alone]:
    """List a key of each scope, one of all, and one of all with the only person of each side."""

    def key(*scopes: Scope) -> Tenant:
        return replace(house, credential=".".join(issue_key(operator=uuid.UUID(house.id), scopes=scopes)))

    found = [*(Alone(scope.value, key(scope)) for scope in Scope), Alone(EVERY_SCOPE, key(*Scope))]
    for side in [*SIDES, SUPERUSER]:
        user = member(f"{side}-{house.slug}", side, house.id)
        StaffSubject.objects.create(user=user, operator_id=house.id, subject=str(side))
        found.append(Alone(f"{EVERY_SCOPE} and a person: {side}", key(*Scope), str(side)))
        house.person(str(side))
    return found


def member(name: str, side: str, *operators: Any) -> Any:
    """Return a member of the staff, as one who has signed in, with all roles of a side or as a superuser."""
    user = User.objects.create_user(name, f"{name}@example.com", is_staff=True, is_superuser=side == SUPERUSER)
    if side != SUPERUSER:
        user.groups.set(Group.objects.filter(name__in=roles_of(DutySide(side))))
    StaffMembership.objects.bulk_create(StaffMembership(user=user, operator_id=each) for each in operators)
    return next(each for each in get_backends() if hasattr(each, "get_user")).get_user(user.pk)


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
        self.found.tried.add(name)
        for each in self.alone:
            if not (asked and each.person) and (ROWS[name].by & {*Scope, KEY} or each.name == EVERY_SCOPE):
                self.found.note(each.name, name, each.tries(method, path, body))
        answer = send(caller, method, path, body, person)
        assert answer.status_code < 300, answer.content.decode()
        return answer.json() if answer.content else None

    def new_kinds(self) -> set[str]:
        """Record nothing."""
        return set()


@pytest.fixture
def found(module_database: Database) -> Found:
    """Try everything."""
    found = Found()
    with pytest.MonkeyPatch.context() as patch, override_settings(CHANGE_DELAY_HOURS=0):
        use_provider(patch)
        for scene in SCENES:
            lucky = tenant("lucky")
            scene(Tried(found, callers(lucky)), lucky)
        tenant("rival")  # for which those who are alone do not work
        office = open_office("office")
        prepare(office)
        for side in [*SIDES, SUPERUSER]:
            with transaction.atomic():
                use_the_admin(found, side)
                transaction.set_rollback(True)
        use_the_shell(found, office.operator)
    return found


def prepare(office: Office) -> None:
    """Let nothing wait for a second person, and give each control something that can be loosened."""
    assert not Change.objects.filter(status="requested").exists()
    eye, operator = User.objects.create_superuser("eye"), office.operator
    card = methods.create(operator=operator.pk, offer=offer(), actor="test")
    paid = {"player": office.player.id, "currency": "EUR", "method": card.id, "amount": 1000}
    withdrawals.request(
        operator=operator.pk, **paid, metadata=Metadata(str(operator.pk), actor="player:1", causation="")
    )
    Operator.objects.filter(pk=operator.pk).update(staff_networks=["203.0.113.0/24"], signatures_required=True)
    ApiKey.objects.update(signatures_required=True)
    credit = {"movement": "credit", "currency": "EUR", "per_day": 10_000, "day": timezone.now().date()}
    KeyLimit.objects.bulk_create(KeyLimit(key=key, **credit) for key in ApiKey.objects.all())
    stop = {
        "scope": StopScope.TABLE,
        "subject": str(Table.objects.filter(operator_id=operator.pk)[0].pk),
        "order": "MGA/1",
    }
    kill_switch.stop(**stop, reason="Ordered", metadata=Metadata("", actor=f"staff:{eye.pk}", causation=""))


def use_the_admin(found: Found, side: str) -> None:
    """Press every button, twice: what the first time asked for is confirmed the second time."""
    operators = Operator.objects.exclude(slug__startswith="rival").values_list("pk", flat=True)
    user = member("zoe", side, *operators)
    member("victim", DutySide.DO, *operators)
    before = power.read()
    for _ in range(2):
        for address in sorted([*ACTIONS, "auth_user_change"], key=lambda each: (each.endswith(LAST), each)):
            seen = power.written()
            press(user, address)
            found.tried.add(address)
            if power.written() != seen:
                after = power.read()
                found.note(side, address, power.gained(before, after))
                found.done.add(address)
                before = after


def press(user: User, address: str) -> None:
    """Fill in the form of an address for the newest row, and send it."""
    model = PAGES_OF_NO_MODEL.get(address) or "_".join(address.split("_")[:2])
    part, row, form = dict(parts())[model], None, None
    if address not in WITHOUT_ROW:
        victim = model in {"auth_user", "staff_member"}
        row = User.objects.get(username="victim").pk if victim else row_of(part, looking(user))
        if row is None:
            return
    action = next((each for each in row_actions(type(part)) if address == f"{model}_{each.name}"), None)
    if action is None:
        form = next(forms_of(ask(user, address, row, "get")[1]), None)
    elif user.has_perm(action.permission):
        eye = looking(User.objects.get(username="eye"))
        form = action.form(request=eye, row=part.find_row(eye, str(quote(row))))
    ask(user, address, row, "post", {} if form is None else fill(form), keep=True)


def forms_of(page: Any) -> Iterator[Form]:
    """Yield the forms of a page."""
    context = page.context_data if isinstance(page, TemplateResponse) else {}
    if "adminform" in context:
        yield context["adminform"].form
    for section in context.get("sections", ()):
        yield from (each.form for each in getattr(section, "forms", [section]) if isinstance(each, FormSection))


def fill(form: Form) -> dict[str, Any]:
    """Type into each field what a thief would."""
    rival = Operator.objects.get(slug__startswith="rival").pk
    user = getattr(getattr(form, "instance", None), "pk", None)
    more = int(not StaffMembership.objects.filter(user_id=user, operator_id=rival).exists())
    filled: dict[str, Any] = {"memberships-TOTAL_FORMS": more, "memberships-INITIAL_FORMS": 0}
    filled["memberships-0-operator"] = rival
    for name, each in form.fields.items():
        choices = [value for value, _ in flat(getattr(each, "choices", ())) if value]
        match each:
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
        "key": ApiKey.objects.filter(operator=operator)[0].pk,
        "table": Table.objects.filter(operator_id=operator.pk)[0].pk,
        "jwk": JWK,
    }
    for command, ways in TABLE["commands"].items():
        for words in ways if isinstance(ways, list) else ():
            run = partial(
                call_command, *command.split(), *(word.format(**names) if word != JWK else JWK for word in words)
            )
            found.note("shell", command, undone(run))
    for name in own_tasks():
        found.note("shell", name, undone(celery.tasks[name]))


def undone(run: Any) -> set[str]:
    """Run something, undo it, and name what was gained."""
    before, whole = power.read(), transaction.atomic()
    whole._from_testcase = True  # as those of Django's tests, in which durable transactions may be
    with whole:
        with contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO())), contextlib.suppress(CommandError, SystemExit):
            run()
        gained = power.gained(before, power.read())
        transaction.set_rollback(True)
    return gained


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


def test_nobody_gains_power_alone_by_any_door(found: Found) -> None:
    assert {role for side in SIDES for role in roles_of(side)} == {*Role}
    writes = {operation.name for operation in contract.operations() if operation.method != "get"}
    assert {name for name in writes if not ROWS[name].sandbox and PROVIDER not in ROWS[name].by} <= found.tried
    assert {*ACTIONS} <= found.tried
    assert {*TABLE["commands"]} == {*own_commands()}
    gains = {door: who for door, who in found.gains.items() if door not in TABLE["known"]}
    assert gains == {}, gains
    assert TABLE["known"].keys() - found.gains.keys() == set()
    assert {*ACTIONS} - found.done <= {*TABLE["without_effect"]["addresses"]}
