"""What witnesses have said of a round beside its links: who cosigned its log, and what a reader has to know.

A witness's clock is evidence only, so a statement that is dated early fails nothing, and is named in a caveat.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from baccarat.proofs.checks_witnesses import ReleasedLinks, links_of_drawings, opened_chains
from baccarat.proofs.document import TIME_FORMAT, ExportedEvent, RoundExport, decode_event
from baccarat.proofs.results import Caveat, CheckNotApplicable, CheckNotPossible, Cosignature, Mismatch
from baccarat.proofs.verifier import MAX_INTEGER
from casino.crypto.signed_note import MalformedNote, NoteKey, SignatureType, SignedNote, TreeHead, UntrustedNote
from casino.events.hash_chain import microseconds
from casino.kernel import merkle
from casino.witness.statements import ClosingKind

_PLAIN: Final = re.compile(r"[ -~\n]+")


def check_cosignatures(exported: RoundExport, *, cosigners: Sequence[NoteKey]) -> str:
    """Check that the log which witnesses have cosigned continues that of the checkpoint."""
    cosigned, checkpoint = exported.cosigned, exported.checkpoint
    if cosigned is None:
        raise CheckNotApplicable("no witness has cosigned a log that has the checkpoint")
    if checkpoint is None:
        raise Mismatch("a log is cosigned without a checkpoint", None, cosigned.note)
    try:
        note = SignedNote.parse(cosigned.note)
        head = TreeHead.parse(note.text)
        _require_plain(note, head)
        root, steps = bytes.fromhex(checkpoint["root"]), list(map(bytes.fromhex, cosigned.consistency))
        if checkpoint["position"] < 1 or not merkle.is_consistent(
            checkpoint["position"], head.size, root, head.root, steps
        ):
            raise Mismatch("the cosigned log does not continue that of the checkpoint", root, head.root)
        origins = [header.origin for header in opened_chains(exported).values()]
        if any(origin != head.origin for origin in origins):
            raise Mismatch("the cosigned log is not the one of the witnesses' chains", origins, head.origin)
        keys = (bytes.fromhex(key.public_key) for key in exported.keys)
        note.verified_by([NoteKey(head.origin, SignatureType.NOTE, key) for key in keys])
        cosignatures = find_cosignatures(exported, cosigners)
    except (MalformedNote, UntrustedNote) as error:
        raise Mismatch(str(error), "a signed note", cosigned.note) from error
    if not cosignatures:
        names = ", ".join(dict.fromkeys(each.name for each in note.signatures if each.name != head.origin))
        raise CheckNotPossible(
            f"the log of {head.origin} is cosigned by keys that you do not trust, under these names: {names}"
        )
    by = ", ".join(map(str, cosignatures))
    return f"the log of {head.origin}, of {head.size} positions, is cosigned by {by}"


def _require_plain(note: SignedNote, head: TreeHead) -> None:
    """Check that every verifier reads a note alike: in ASCII, each key once, and a size that JSON can have."""
    names = {(each.name, each.key_id) for each in note.signatures}
    if len(names) != len(note.signatures):
        raise Mismatch("the note has two signatures of one key", len(names), len(note.signatures))
    if not all(map(_PLAIN.fullmatch, (note.text, *(name for name, _ in names)))) or head.size > MAX_INTEGER:
        raise Mismatch("the note is not plain", "a note in ASCII", str(note))


def find_cosignatures(exported: RoundExport, cosigners: Sequence[NoteKey]) -> tuple[Cosignature, ...]:
    """Return the cosignatures by trusted keys. Raises UntrustedNote if one is not by its key."""
    note = SignedNote.parse("" if exported.cosigned is None else exported.cosigned.note)
    trusted = {(key.name, key.id) for key in cosigners}
    if not any((each.name, each.key_id) in trusted for each in note.signatures):
        return ()
    return tuple(
        Cosignature(key.name, f"{datetime.fromtimestamp(signature.time, UTC):%Y-%m-%dT%H:%M:%S}Z")
        for key, signature in note.verified_by(cosigners)
    )


def caveats_on(exported: RoundExport) -> Iterator[Caveat]:
    """Yield caveats on a round none of whose checks failed."""
    yield from _on_void(exported)
    for given in links_of_drawings(exported):
        yield from _on_times(exported, given)


def _on_void(exported: RoundExport) -> Iterator[Caveat]:
    voided, released = exported.find_event("RoundVoided"), exported.find_event("LinksReleased")
    if voided is None or not exported.opened.witnesses or exported.find_event("RoundSettled") is not None:
        return
    if released is None:
        what = "the witnesses have not said yet whether they gave out their links before the void"
        yield Caveat("unconfirmed", f"the void is unconfirmed: {what}")
    elif exported.find_event("BettingClosed") is not None:
        first = min(release.time_ms for release in decode_event(released).releases)
        if first < _milliseconds(voided):
            what = "the round was voided after the release of a link: the cards could be known"
            yield Caveat("after_release", what)


def _on_times(exported: RoundExport, given: ReleasedLinks) -> Iterator[Caveat]:
    """Yield statements that are dated before the terms, or else before the closing, that they are for."""
    if given.kind is ClosingKind.SHOE:
        fixed = exported.find_shoe_event("ShoeCommitted")
    else:
        fixed = exported.terms_events(exported.opened.number)[-1]
    for place, release in zip(given.witnesses, given.releases(), strict=True):
        for what, event in (("terms", fixed), ("closing", given.closing)):
            if event is not None and release.time_ms < _milliseconds(event):
                ahead = f"{_milliseconds(event) - release.time_ms} ms before its {what}"
                where = f"{place.chain} at {place.index}"
                yield Caveat(f"before_{what}", f"the statement for {where} is dated {ahead}")
                break


def _milliseconds(event: ExportedEvent) -> int:
    return microseconds(datetime.strptime(event.recorded_at, TIME_FORMAT).replace(tzinfo=UTC)) // 1000
