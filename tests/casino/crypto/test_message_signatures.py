"""Signatures: a library of RFC 9421 agrees with whatever is taken, and no other form is taken."""

from base64 import b64encode
from dataclasses import dataclass

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import (
    HTTPMessageSignaturesException,
    HTTPMessageVerifier,
    MappingKeyResolver,
    algorithms,
)
from hypothesis import given
from hypothesis import strategies as st

from casino.crypto.message_signatures import MessageSignature, content_digest

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER = Ed25519PrivateKey.from_private_bytes(bytes(32))
BODY = b'{"status": "accepted"}'
PARAMETERS = ';created=1700000000;keyid="one";alg="ed25519"'


@dataclass(frozen=True)
class Answer:
    """An answer as the library reads it."""

    status_code: int
    headers: dict[str, str]


def signed(
    components: str = '"@status" "content-digest"', parameters: str = PARAMETERS, *, body: bytes = BODY
) -> Answer:
    """Sign an answer of status 200, with any text for its parameters."""
    values = {'"@status"': "200", '"content-digest"': content_digest(body), '"content-type"': "application/json"}
    text = f"({components}){parameters}"
    lines = [f"{name}: {values.get(name, '')}" for name in components.split(" ")]
    base = "\n".join([*lines, f'"@signature-params": {text}'])
    signature = b64encode(KEY.sign(base.encode())).decode()
    headers = {"Content-Type": "application/json", "Content-Digest": content_digest(body)}
    return Answer(200, {**headers, "Signature-Input": f"sig={text}", "Signature": f"sig=:{signature}:"})


def taken(answer: Answer, body: bytes = BODY, key: Ed25519PrivateKey = KEY) -> bool:
    read = MessageSignature.read(answer.headers["Signature-Input"], answer.headers["Signature"])
    values = {"@status": str(answer.status_code), **{name.lower(): text for name, text in answer.headers.items()}}
    return read is not None and read.is_of(values, body, key=key.public_key())


def by_library(answer: Answer, body: bytes = BODY) -> bool:
    resolver = MappingKeyResolver(public_keys={"one": KEY.public_key()}, private_keys={})
    verifier = HTTPMessageVerifier(signature_algorithm=algorithms.ED25519, key_resolver=resolver)
    try:
        verifier.verify(answer, max_age=None, require_components=("content-digest",), body=body)
    except HTTPMessageSignaturesException:
        return False
    return True


def test_a_signature_is_taken_with_its_parameters() -> None:
    answer = signed()
    assert taken(answer)
    assert by_library(answer)
    read = MessageSignature.read(answer.headers["Signature-Input"], answer.headers["Signature"])
    assert read is not None
    assert read.components == ("@status", "content-digest")
    assert read.parameters == {"created": 1700000000, "keyid": "one", "alg": "ed25519"}


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(signed('"@status"'), id="the body is not covered"),
        pytest.param(signed('"@status" "content-digest" "x-nothing"'), id="a header that was not sent"),
        pytest.param(signed('"@status" "content-digest" "@status"'), id="a component twice"),
        pytest.param(signed('"@status" "content-digest";sf'), id="a component with a parameter"),
        pytest.param(signed(parameters=PARAMETERS + ";created=1700000000"), id="a parameter twice"),
        pytest.param(signed(parameters=PARAMETERS + ';color="red"'), id="an unknown parameter"),
        pytest.param(signed(parameters=';created="now";keyid="one"'), id="a time that is text"),
        pytest.param(signed(parameters=';created=01;keyid="one"'), id="a number with a zero before it"),
        pytest.param(signed(parameters=';created=1700000000;keyid="o\\"e"'), id="an escaped quote"),
        pytest.param(signed(parameters=';created=1700000000; keyid="one"'), id="a space"),
        pytest.param(signed(body=b"{}"), id="another body"),
        pytest.param(signed(parameters=';created=1700000000;keyid="one";alg="hmac-sha256"'), id="another algorithm"),
    ],
)
def test_no_other_form_is_taken(answer: Answer) -> None:
    assert not taken(answer)


def test_a_signature_of_another_key_status_body_or_label_is_not_taken() -> None:
    answer = signed()
    assert not taken(answer, key=OTHER)
    assert not taken(answer, body=BODY + b" ")
    assert not taken(Answer(500, answer.headers))
    assert not taken(Answer(200, {**answer.headers, "Signature": answer.headers["Signature"].replace("sig", "gis")}))
    two = {name: f"{answer.headers[name]}, {answer.headers[name].replace('sig', 'two')}" for name in answer.headers}
    assert not taken(Answer(200, {**answer.headers, "Signature-Input": two["Signature-Input"]}))


@given(
    place=st.sampled_from(["Signature-Input", "Signature", "Content-Digest"]),
    at=st.integers(0, 200),
    length=st.integers(0, 3),
    text=st.text(st.characters(codec="latin-1"), max_size=3),
)
def test_a_library_takes_whatever_is_taken(place: str, at: int, length: int, text: str) -> None:
    answer = signed()
    header = answer.headers[place]
    at %= len(header)
    changed = Answer(200, {**answer.headers, place: header[:at] + text + header[at + length :]})
    assert not taken(changed) or by_library(changed)
