"""Calls of every operation of the OpenAPI document: its examples, and what Schemathesis makes of its schemas."""

import json
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final
from uuid import uuid4

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from schemathesis.checks import CHECKS, CheckFunction, load_all_checks
from schemathesis.core.failures import FailureGroup
from schemathesis.core.transport import Response
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation

from casino.operators.assertions import HEADER
from tests.nightly.fuzz.house import PREFIX, TIMEOUT, House, Seated, assertion
from tests.nightly.fuzz.operations import (
    ALIASES,
    BEFORE,
    BODIES,
    CEREMONY_FIRST,
    ID_FIELDS,
    LAST,
    LIVE,
    NAMED_BY,
    NAMES,
    PRESETS,
    QUERIES,
    SETTLED_FIRST,
)
from wallet.payments import signatures

EXAMPLES: Final = 5
"""Generated cases of one operation and kind in one pass over the document."""
JUDGED: Final = (
    "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance",
)  # fmt: skip
"""What Schemathesis compares of each answer with the document."""
KEEPS_ID: Final = 0.85
KEEPS_FIELD: Final = 0.7
"""Chances that an id is one that exists, and that a field of a body is the documented example's."""
LIVE_CALLER: Final = "live operator"
ROTATION: Final = "POST /operator/key/rotate"
STEPS: Final[dict[str, Callable[[House, Seated], None]]] = {"settle": House.settle, "suspend": House.suspend}
CALLERS: Final = {"operator": "operatorKey", "player": "playerToken", "provider": "providerSignature"}
"""Security schemes of the callers."""

USUAL_HEADERS: Final = {"User-Agent", "Accept-Encoding", "Accept", "Connection", "Authorization"}


@dataclass(slots=True)
class Tally:
    """What came of the calls.

    `answers` are counted by status and problem code; `faults` are requests with a 5xx or no answer in time,
    `violations` those whose answer differs from the document, both by kind.
    """

    answers: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    violations: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    faults: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def succeeded(self) -> list[str]:
        """List the operations that answered with a 2xx at least once."""
        return sorted(label for label, counts in self.answers.items() if any(answer < "300" for answer in counts))

    def report(self) -> str:
        """Return the figures in a few lines."""
        total = sum(sum(counts.values()) for counts in self.answers.values())
        never = sorted(self.answers.keys() - set(self.succeeded()))
        return "\n".join(
            [
                f"requests={total} operations={len(self.answers)} succeeded={len(self.succeeded())}",
                f"faults={len(self.faults)} contract_violations={len(self.violations)}",
                f"without a 2xx: {', '.join(f'{each} {dict(self.answers[each])}' for each in never) or 'none'}",
                *(f"VIOLATION x {len(each)}: {name}: {each[0]}" for name, each in self.violations.items()),
                *(f"FAULT x {len(requests)}: {name}: {requests[0]}" for name, requests in self.faults.items()),
            ]
        )


class Fuzzer:
    """`run(caller, seconds)` calls the caller's operations over and over; close it at the end."""

    def __init__(self, house: House, document: dict[str, Any], *, chance: Random) -> None:
        load_all_checks()
        schema = schemathesis.openapi.from_dict(document)
        self.house = house
        self.chance = chance
        self.tally = Tally()
        self.operations = {_label(each): each for each in (result.ok() for result in schema.get_all_operations())}
        self._checks: list[CheckFunction] = list(CHECKS.get_by_names(list(JUDGED)))
        self._session = requests.Session()
        self._session.trust_env = False
        self._generators: dict[tuple[str, GenerationMode], Callable[[], list[schemathesis.Case]]] = {}

    def run(self, caller: str, *, seconds: float) -> None:
        """Call all operations of one caller over and over until the time is over, the first time until twice that."""
        mine = [label for label, operation in self.operations.items() if _may_call(caller, operation)]
        begun, limit = time.monotonic(), 2 * seconds
        while time.monotonic() - begun < limit:
            for label in self.chance.sample(mine, len(mine)):
                if time.monotonic() - begun < limit:
                    self._fuzz(caller, label)
            limit = seconds

    def close(self) -> None:
        """Close the connections."""
        self._session.close()
        self.house.http.close()

    def _fuzz(self, caller: str, label: str) -> None:
        """Call one operation in a state in which it can succeed."""
        caller = LIVE_CALLER if label in LIVE else caller
        player = self.house.seated(PRESETS.get(label, "mini"))
        player = replace(player, ids=dict(player.ids))  # what the steps make is this operation's own
        if label in SETTLED_FIRST:
            self.house.settle(player)
        for step in BEFORE.get(label, ()):
            self._prepare(step, player, caller)
        if label in CEREMONY_FIRST:
            self.house.wait_for_ceremony(player)
        examples = list(self._examples(label, player.ids))
        for body in examples:
            self._call(caller, label, player, self._valid_case(label, player, body))
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            for case in self._generated(label, mode):
                self._fill(case, label, player, self.chance.choice(examples))
                self._call(caller, label, player, case)
        if label in LAST:
            self.house.players.clear()

    def _prepare(self, step: str, player: Seated, caller: str) -> None:
        """Take a step of the house, or call another operation with a valid body and learn the id that it gives."""
        if step in STEPS:
            STEPS[step](self.house, player)
            return
        label, _, _ = step.partition("#")
        body = next(self._examples(step, player.ids))
        if caller != LIVE_CALLER and not _may_call(caller, self.operations[label]):
            caller = "player" if caller == "operator" else "operator"
        response = self._call(caller, label, player, self._valid_case(step, player, body))
        parameter = NAMED_BY.get(label)
        if response is None or parameter is None or response.status_code >= 300:
            return
        document = json.loads(response.content)
        for item in document.get("items", [document])[:1]:
            value = str(item.get(ID_FIELDS.get(parameter, "id"), ""))
            player.ids[parameter] = value.rpartition("=")[2]

    def _examples(self, step: str, ids: Mapping[str, str]) -> Iterator[Any]:
        """Yield the documented bodies, or a step's own one, with ids that exist; None where there is no body."""
        raw = self.operations[step.partition("#")[0]].definition.raw
        bodies = (
            [BODIES[step]]
            if step in BODIES
            else [
                example["value"]
                for content in raw.get("requestBody", {}).get("content", {}).values()
                for example in content.get("examples", {}).values()
            ]
        )
        for body in bodies or [None]:
            yield None if body is None else {key: _known(key, value, ids) for key, value in body.items()}

    def _valid_case(self, step: str, player: Seated, body: Any) -> schemathesis.Case:
        label = step.partition("#")[0]
        ids = _ids(label, player)
        path = {name: ids.get(name, str(uuid4())) for name in _path_names(self.operations[label])}
        options = {} if body is None else {"body": body, "media_type": "application/json"}
        query = dict(QUERIES.get(step, {}))
        headers = {"Idempotency-Key": uuid4().hex}
        return self.operations[label].Case(path_parameters=path, query=query, headers=headers, **options)

    def _generated(self, label: str, mode: GenerationMode) -> list[schemathesis.Case]:
        if (label, mode) not in self._generators:
            self._generators[label, mode] = _generator(self.operations[label], mode)
        return self._generators[label, mode]()

    def _fill(self, case: schemathesis.Case, label: str, player: Seated, example: Any) -> None:
        """Put ids that exist and fields of the example into a generated case, so that it gets past the first check."""
        ids = _ids(label, player)
        for name in case.path_parameters or {}:
            if name in ids and self.chance.random() < KEEPS_ID:
                case.path_parameters[name] = ids[name]
        if case.method == "POST" and self.chance.random() < KEEPS_ID:
            case.headers["Idempotency-Key"] = uuid4().hex
        for name, value in QUERIES.get(label, {}).items():
            if self.chance.random() < KEEPS_FIELD:
                case.query[name] = value
        if str((case.query or {}).get("wait", "")).strip().isdigit():  # it answers only after so many seconds
            case.query["wait"] = 1
        if isinstance(example, dict) and isinstance(case.body, dict) and self.chance.random() < KEEPS_ID:
            kept = {name: value for name, value in example.items() if self.chance.random() < KEEPS_FIELD}
            case.body = {**case.body, **kept}

    def _call(self, caller: str, label: str, player: Seated, case: schemathesis.Case) -> Response | None:
        """Send the case and count the answer; return it if there is one."""
        request = case.as_transport_kwargs(base_url=self.house.stack.base_url)
        try:
            prepared = self._session.prepare_request(requests.Request(**request))
        except (ValueError, requests.RequestException):  # such as a header that HTTP forbids
            return None
        prepared.headers.update(self._credentials(caller, player, prepared))
        begun = time.monotonic()
        try:
            # An endless stream is closed after its headers.
            with self._session.send(prepared, timeout=TIMEOUT, stream=True, allow_redirects=False) as answer:
                if not answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                    _ = answer.content
                response = Response.from_requests(answer, verify=False) if answer._content_consumed else None
                status = answer.status_code
        except requests.RequestException as error:
            kind = f"{label} {type(error).__name__} after {time.monotonic() - begun:.0f} s"
            self.tally.faults[kind].append(_summary(prepared))
            return None
        self._count(label, case, status, response, prepared)
        if label == ROTATION and status < 300 and response is not None:  # the old secret may end soon
            self.house.credential = json.loads(response.content)["credential"]
        return response

    def _count(
        self,
        label: str,
        case: schemathesis.Case,
        status: int,
        response: Response | None,
        request: requests.PreparedRequest,
    ) -> None:
        self.tally.answers[label][_answer(status, response)] += 1
        if status >= 500:
            self.tally.faults[f"{label} {status}"].append(_summary(request))
        elif response is not None:
            try:
                case.validate_response(response, checks=self._checks)
            except FailureGroup as group:
                for each in group.exceptions:
                    answered = f"{_summary(request)} -> {response.content[:500]!r}"
                    self.tally.violations[f"{label} {status} {each.title}"].append(answered)

    def _credentials(self, caller: str, player: Seated, request: requests.PreparedRequest) -> dict[str, str]:
        """Return the headers that authenticate the caller."""
        if caller != "provider":
            credentials = {"player": player.token, "operator": self.house.credential, LIVE_CALLER: self.house.live}
            headers = {"Authorization": f"Bearer {credentials[caller]}"}
            if caller != "player" and request.method != "GET":
                live = caller == LIVE_CALLER
                staff = self.house.live_operator if live else self.house.operator
                headers[HEADER] = assertion(staff, str(request.method), request.path_url, _bytes(request), live=live)
            return headers
        return signatures.headers(
            secret=self.house.stack.environment["PROVIDER_SECRET"],
            timestamp=str(int(time.time())),
            nonce=uuid4().hex,
            subject=f"{request.method} {request.path_url}",
            body=_bytes(request),
        )


def _bytes(request: requests.PreparedRequest) -> bytes:
    body = request.body or b""
    return body if isinstance(body, bytes) else body.encode()


def _generator(operation: APIOperation, mode: GenerationMode) -> Callable[[], list[schemathesis.Case]]:
    """Return a function that generates a few cases, other ones each time."""
    strategy = operation.as_strategy(generation_mode=mode)

    def generate() -> list[schemathesis.Case]:
        cases: list[schemathesis.Case] = []

        @seed(uuid4().int)
        @settings(
            max_examples=EXAMPLES,
            phases=[Phase.generate],
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            verbosity=Verbosity.quiet,
        )
        @given(strategy)
        def collect(case: schemathesis.Case) -> None:
            cases.append(case)

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            collect()
        return cases

    return generate


def _answer(status: int, response: Response | None) -> str:
    """Return the status, with the problem's code if there is one."""
    problem = response is not None and response.headers.get("content-type", [""])[0] == "application/problem+json"
    return f"{status} {json.loads(response.content)['code']}" if problem and response is not None else str(status)


def _label(operation: APIOperation) -> str:
    return f"{operation.method.upper()} {operation.path.removeprefix(PREFIX)}"


def _may_call(caller: str, operation: APIOperation) -> bool:
    """Return whether the operation accepts this caller's credential, or needs none."""
    security = operation.definition.raw.get("security", [])
    return any(CALLERS[caller] in scheme for scheme in security) or (not security and caller == "operator")


def _path_names(operation: APIOperation) -> list[str]:
    return [parameter["name"] for parameter in operation.definition.raw["parameters"] if parameter["in"] == "path"]


def _ids(label: str, player: Seated) -> dict[str, str]:
    """Return what path parameters of an operation take."""
    return {**player.ids, "name": NAMES[label]} if label in NAMES else player.ids


def _known(name: str, value: Any, ids: Mapping[str, str]) -> Any:
    """Return the value of a documented example for what exists here."""
    if name == "player" and isinstance(value, dict):
        return {**value, "reference": ids["reference"]}
    if name == "reference":
        return uuid4().hex
    keeps = not isinstance(value, str) or name in {"name", "provider"}
    return value if keeps else ids.get(ALIASES.get(name, name), value)


def _summary(request: requests.PreparedRequest) -> str:
    headers = {name: value for name, value in request.headers.items() if name not in USUAL_HEADERS}
    return f"{request.method} {request.path_url} {headers} {(request.body or b'')[:1000]!r}"
