"""Each shape once: what an operation answers is a response type, from which the OpenAPI document is derived."""

from collections import Counter

import pytest

from casino.api.requests import Body, Query
from casino.api.shapes import OF_REQUESTS, REF, Shape, component_name
from tests.baccarat.api import contract

METHODS = {"get", "post", "put", "patch", "delete"}
JSON = "application/json"
NOT_A_SHAPE = {
    "downloadReport": "a stored file, byte for byte as its hash was taken, in the format of its renderer",
}
"""Operations whose JSON is a file rather than a resource."""


def shapes(base=Shape):
    """Yield all response types of the product."""
    for each in base.__subclasses__():
        if each.__module__.split(".")[0] in {"baccarat", "casino", "wallet"}:
            yield each
        yield from shapes(each)


def requests(base=Body):
    """Yield all structs of requests of the product."""
    for each in base.__subclasses__():
        if each.__module__.split(".")[0] in {"baccarat", "casino", "wallet"} and each is not Query:
            yield each
        yield from requests(each)


@pytest.fixture(scope="module")
def document():
    return contract.document()


def operations(document):
    for methods in document["paths"].values():
        for method in METHODS & methods.keys():
            yield methods[method]


def test_every_json_answer_is_a_response_type(document):
    names = {REF + component_name(each.__name__) for each in shapes()}
    offenders = [
        f"{operation['operationId']} {status}"
        for operation in operations(document)
        for status, answer in operation["responses"].items()
        if status.startswith("2")
        for media_type, body in answer.get("content", {}).items()
        if media_type == JSON and body["schema"].get("$ref") not in names
    ]
    assert {offender.split()[0] for offender in offenders} == set(NOT_A_SHAPE)


def test_every_problem_has_its_code_and_the_members_of_all_problems(document):
    components = document["components"]
    for operation in operations(document):
        for status, answer in operation["responses"].items():
            if status[0] in "45":
                shared = components["responses"].get(answer.get("$ref", "").rpartition("/")[2])
                (body,) = (shared or answer)["content"].values()
                *listed, other = body["schema"]["oneOf"]
                assert listed
                assert other == {"$ref": REF + "OtherProblem"}
                for each in listed:
                    base, own = components["schemas"][each["$ref"].removeprefix(REF)]["allOf"]
                    assert base == {"$ref": REF + "Problem"}
                    assert len(own["properties"]["code"]["enum"]) == 1


def test_a_component_has_one_response_type():
    counts = Counter(component_name(each.__name__) for each in set(shapes()))
    assert [name for name, count in counts.items() if count > 1] == []


def test_components_are_named_without_a_generators_suffix(document):
    suffixes = ("Shown", "Answer", "RequestRequest", "Serializer", "Response")
    assert [name for name in document["components"]["schemas"] if name.endswith(suffixes)] == []


def test_structs_of_requests_are_named_as_such():
    """By its name the document knows that a member that may be left out may be null."""
    assert [each.__name__ for each in requests() if not each.__name__.endswith(OF_REQUESTS)] == []
