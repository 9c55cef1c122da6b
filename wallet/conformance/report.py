"""What came of a run, as text, JUnit XML, and JSON whose proof is signed."""

from hashlib import sha256
from typing import Any, Final
from xml.etree.ElementTree import Element, SubElement, tostring

import msgspec

from casino.kernel.canonical_json import canonical
from wallet.conformance.kit import CaseResult, ConformanceRun, Group
from wallet.conformance.probe import Exchange
from wallet.funding.conformance import ConformanceProof

VERSION: Final = 1


def line_of(result: CaseResult) -> str:
    """Return a case as a line, and a second one that says why it failed."""
    name = result.name.replace("_", " ")
    return f"{'FAILED' if result.failure else 'passed'}  {result.group:11} {name}" + (
        f"\n        {result.failure}" if result.failure else ""
    )


def summary_of(run: ConformanceRun) -> str:
    """Return how many cases passed in each group, and in all."""
    lines = []
    for group in Group:
        results = [result for result in run.results if result.group is group]
        failed = sum(bool(result.failure) for result in results)
        if results:
            lines.append(f"{group:11} {len(results) - failed:3} of {len(results)} passed")
    passed = len(run.results) - len(run.failed)
    return "\n".join([*lines, f"{'all':11} {passed:3} of {len(run.results)} passed"])


def to_junit(run: ConformanceRun) -> bytes:
    """Return JUnit XML."""
    suites = Element("testsuites", name=f"Conformance of {run.wallet_url}")
    for group in Group:
        results = [result for result in run.results if result.group is group]
        failed = sum(bool(result.failure) for result in results)
        suite = SubElement(suites, "testsuite", name=group, tests=str(len(results)), failures=str(failed))
        for result in results:
            element = SubElement(suite, "testcase", name=result.name, classname=group, time=f"{result.seconds:.3f}")
            if result.failure:
                SubElement(element, "failure", message=result.failure)
    document: bytes = tostring(suites, encoding="utf-8", xml_declaration=True)
    return document


def to_json(run: ConformanceRun, *, complete: bool) -> bytes:
    """Return the report with all bytes; a run of all cases has a signed `proof` of its result."""
    report = {
        "version": VERSION,
        "wallet_url": run.wallet_url,
        "profile": run.profile.value,
        "keyid": run.keyid,
        "player": run.player,
        "currency": run.currency,
        "began_at": run.began_at.isoformat(),
        "ended_at": run.ended_at.isoformat(),
        "cases": [_case(result) for result in run.results],
    }
    digest = sha256(canonical(report)).hexdigest()
    proof = ConformanceProof(run.wallet_url, len(run.results), len(run.failed), digest, run.ended_at, run.profile)
    return msgspec.json.format(msgspec.json.encode({"report": report, "proof": proof.sign() if complete else None}))


def _case(result: CaseResult) -> dict[str, Any]:
    return {
        "name": result.name,
        "group": result.group.value,
        "passed": not result.failure,
        "failure": result.failure,
        "milliseconds": round(result.seconds * 1000),
        "exchanges": [_exchange(each) for each in result.exchanges],
    }


def _exchange(each: Exchange) -> dict[str, Any]:
    answer = each.answer
    return {
        "at": each.at.isoformat(),
        "request": {
            "method": each.method,
            "url": each.url,
            "headers": dict(each.headers),
            "body": _text(each.body),
        },
        "answer": answer and {"status": answer.status, "headers": dict(answer.headers), "body": _text(answer.body)},
        "error": each.error,
    }


def _text(body: bytes) -> str:
    """Return bytes as text, with escapes for what is no text."""
    return body.decode("utf-8", "backslashreplace").replace("\x00", "\\x00")
