"""The guide's samples that sign requests, in four languages, give the signatures of the published vectors.

The documents' own test runs the one in Python.
"""

import base64
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from casino.devstack.home import PROJECT
from tests.programs import without
from tests.system.deploy.test_documents import read

GUIDE = PROJECT / "deploy" / "docs" / "integration" / "request-signatures.md"
VECTORS: list[dict[str, Any]] = json.loads(GUIDE.with_name("signature-vectors.json").read_text(encoding="utf-8"))
NODE = """
import { readFileSync } from "node:fs";
const vectors = JSON.parse(readFileSync(process.argv[2]));
const signed = vectors.map((each) =>
  signRequest(ed25519(each.jwk), each.keyid, each.method, each.url, each.headers, each.body, each.created, each.nonce));
console.log(JSON.stringify(signed));
"""
PHP = """
$signed = [];
foreach (json_decode(file_get_contents($argv[1]), true) as $each) {
    $seed = base64_decode(strtr($each["jwk"]["d"], "-_", "+/"));
    $signed[] = sign_request(ed25519($seed), $each["keyid"], $each["method"], $each["url"], $each["headers"],
        $each["body"], $each["created"], $each["nonce"]);
}
echo json_encode($signed);
"""
JAVA = """
class Main {
    public static void main(String[] arguments) throws Exception {
%s
    }
}
"""
JAVA_CASE = """        for (var each : RequestSignature.sign(
                Signer.ed25519(Base64.getDecoder().decode("%s")), "%s", "%s", "%s",
                new TreeMap<>(Map.of(%s)), Base64.getDecoder().decode("%s"), %dL, "%s").entrySet())
            System.out.println(each.getKey() + "\\t" + each.getValue());
        System.out.println();
"""


def sample(language: str) -> str:
    (block,) = read(GUIDE).of(language)
    return block


def run(*command: str) -> str:
    if shutil.which(command[0]) is None:
        pytest.skip(without(command[0]))
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)  # noqa: S603
    assert done.returncode == 0, done.stderr
    return done.stdout


def expected() -> list[dict[str, str]]:
    return [vector["signed_headers"] for vector in VECTORS]


def test_javascript_signs_as_the_vectors(tmp_path: Path) -> None:
    program = tmp_path / "sign.mjs"
    program.write_text(sample("js") + NODE, encoding="utf-8")
    assert json.loads(run("node", str(program), str(GUIDE.with_name("signature-vectors.json")))) == expected()


def test_php_signs_as_the_vectors(tmp_path: Path) -> None:
    program = tmp_path / "sign.php"
    program.write_text("<?php\n" + sample("php") + PHP, encoding="utf-8")
    assert json.loads(run("php", str(program), str(GUIDE.with_name("signature-vectors.json")))) == expected()


def java_case(vector: dict[str, Any]) -> str:
    key = as_base64(base64.urlsafe_b64decode(vector["jwk"]["d"] + "="))
    pairs = ", ".join(f'"{name}", "{value}"' for name, value in vector["headers"].items())
    body = as_base64(vector["body"].encode())
    request = (vector["keyid"], vector["method"], vector["url"], pairs, body, vector["created"], vector["nonce"])
    return JAVA_CASE % (key, *request)


def as_base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def test_java_signs_as_the_vectors(tmp_path: Path) -> None:
    imports, _, classes = sample("java").partition("\n\n")
    program = tmp_path / "Main.java"
    program.write_text(f"{imports}\n{JAVA % ''.join(map(java_case, VECTORS))}\n{classes}", encoding="utf-8")
    answers = run("java", str(program)).rstrip("\n").split("\n\n")
    assert [dict(line.split("\t") for line in answer.splitlines()) for answer in answers] == expected()


def test_the_vectors_say_what_was_signed() -> None:
    for vector in VECTORS:
        *lines, parameters = vector["signature_base"].splitlines()
        covered = {name.strip('"'): value for name, _, value in (line.partition(": ") for line in lines)}
        signed = vector["signed_headers"]
        digest = {"content-digest": signed["content-digest"]}
        request = {"@method": vector["method"], "@target-uri": vector["url"]}
        assert covered == {**request, **vector["headers"], **digest}
        assert parameters == f'"@signature-params": {signed["signature-input"].removeprefix("sig=")}'
