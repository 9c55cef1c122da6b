"""Signed notes, checkpoints and cosignatures as C2SP defines them, with the specifications' own examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casino.crypto import ed25519, signed_note
from casino.crypto.signed_note import (
    MAX_SIGNATURES,
    MalformedNote,
    NoteKey,
    NoteSignature,
    SignatureType,
    SignedNote,
    TreeHead,
    UntrustedNote,
)

VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
MESSAGE = (
    "This is an example message.\n"
    "\n"
    "\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXm"
    "RKuwHjG1Yu72IneyaQM=\n"
)
CHECKPOINT = (
    "example.com/behind-the-sofa\n"
    "20852163\n"
    "CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"
    "\n"
    "\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhc"
    "yv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n"
    "\u2014 witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX"
    "3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n"
)
PRIVATE = b"\x11" * 32
PUBLIC = ed25519.public_key(PRIVATE)
HEAD = TreeHead("casino.example/log", 12, b"\x21" * 32)


def test_the_published_note_verifies_under_the_published_key():
    key = NoteKey.parse(VKEY)
    assert (key.name, key.vkey) == ("example.com/foo", VKEY)
    note = SignedNote.parse(MESSAGE)
    assert str(note) == MESSAGE
    assert note.verified_by([key]) == [(key, note.signatures[0])]


def test_the_published_checkpoint_is_read_as_it_is_written():
    note = SignedNote.parse(CHECKPOINT)
    head = TreeHead.parse(note.text)
    assert (head.origin, head.size, len(head.root)) == ("example.com/behind-the-sofa", 20852163, 32)
    assert str(head) == note.text
    assert note.signatures[1].time == 1679315147
    assert str(note) == CHECKPOINT


def test_a_text_with_empty_lines_ends_at_the_last_of_them():
    signature = signed_note.sign("a\n\nb\n", name="x", private=PRIVATE)
    assert SignedNote.parse(f"a\n\nb\n\n{signature}").text == "a\n\nb\n"


def test_notes_and_cosignatures_hold_under_their_own_keys_and_types_only():
    text = str(HEAD)
    note_key = NoteKey("casino.example/log", SignatureType.NOTE, PUBLIC)
    cosigner = NoteKey("witness.example/w1", SignatureType.COSIGNATURE, PUBLIC)
    note = SignedNote(
        text,
        (
            signed_note.sign(text, name=note_key.name, private=PRIVATE),
            signed_note.cosign(text, name=cosigner.name, private=PRIVATE, time=1_790_000_000),
        ),
    )
    assert [key for key, _ in note.verified_by([cosigner, note_key])] == [note_key, cosigner]
    assert note.verified_by([cosigner])[0][1].time == 1_790_000_000
    for other in (
        NoteKey(note_key.name, SignatureType.COSIGNATURE, PUBLIC),
        NoteKey("else.example", SignatureType.NOTE, PUBLIC),
    ):
        with pytest.raises(UntrustedNote):
            note.verified_by([other])


@pytest.mark.parametrize("change", ["text", "time", "signature", "zero time"])
def test_a_changed_note_makes_a_known_key_refuse_it(change):
    text = str(HEAD)
    key = NoteKey("w.example", SignatureType.COSIGNATURE, PUBLIC)
    time = 0 if change == "zero time" else 1_790_000_000
    line = signed_note.cosign(text, name=key.name, private=PRIVATE, time=time)
    raw = bytearray(line.signature)
    if change == "time":
        raw[7] ^= 1
    elif change == "signature":
        raw[-1] ^= 1
    elif change == "text":
        text = text.replace("12", "13")
    with pytest.raises(UntrustedNote):
        SignedNote(text, (NoteSignature(line.name, line.key_id, bytes(raw)),)).verified_by([key])


@pytest.mark.parametrize(
    "note",
    [
        "",
        "text\n",
        "text\n\n",
        "\n\n\u2014 a AAAAAAA=\n",
        MESSAGE.rstrip("\n"),
        MESSAGE.replace("\u2014", "-"),
        MESSAGE.replace("example message", "example\tmessage"),
        MESSAGE.replace("QM=", "QN="),
        MESSAGE.replace(" Uw2", "  Uw2"),
        MESSAGE + MESSAGE.splitlines(keepends=True)[2] * MAX_SIGNATURES,
    ],
)
def test_a_malformed_note_is_refused(note):
    with pytest.raises(MalformedNote):
        SignedNote.parse(note)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a\n",
        "a\n1\n",
        "a\n01\nAAAA\n",
        "a\n-1\nAAAA\n",
        f"a\n{2**63}\n{'A' * 43}=\n",
        "a\n1\nAAAA\n",
        f"\n1\n{'A' * 43}=\n",
    ],
)
def test_a_malformed_checkpoint_is_refused(text):
    with pytest.raises(MalformedNote):
        TreeHead.parse(text)


@pytest.mark.parametrize(
    "vkey", ["", "a", "a+b", VKEY.replace("530d", "530e"), VKEY + "A", VKEY.replace("foo", "f oo")]
)
def test_a_malformed_key_is_refused(vkey):
    with pytest.raises(MalformedNote):
        NoteKey.parse(vkey)


@given(st.text(max_size=200))
def test_any_text_is_read_back_as_it_is_or_refused(text):
    for note in (text, f"{text}\n\n\u2014 {text} AAAAAAA=\n", f"{text}\n\n\u2014 a AAAAAAA=\n"):
        try:
            parsed = SignedNote.parse(note)
        except MalformedNote:
            continue
        assert str(parsed) == note
