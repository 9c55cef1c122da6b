"""Golden files of cosigned rounds, tampered with by somebody who signs the log again and holds other notes."""

from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import OTHER, Document, cosign, forged

SETTLED = "cosigned/settled"


@forged(SETTLED, "cosignatures")
def another_log_is_cosigned(document: Document) -> None:
    sign_again(document)  # the checkpoint is the forger's, the note is not


@forged(SETTLED, "cosignatures")
def a_log_of_another_origin_is_cosigned(document: Document) -> None:
    sign_again(document)
    cosign(document, origin="casino.localhost/other")


@forged(SETTLED, "cosignatures")
def somebody_else_cosigned_under_the_name_and_id_of_a_witness(document: Document) -> None:
    sign_again(document)
    cosign(document)
    note, _, line = document["cosigned"]["note"][:-1].rpartition("\n")
    changed = line[:-10] + ("A" if line[-10] != "A" else "B") + line[-9:]
    document["cosigned"]["note"] = f"{note}\n{changed}\n"


@forged(SETTLED, "cosignatures")
def the_time_of_a_cosignature_is_another(document: Document) -> None:
    name, _, blob = document["cosigned"]["note"][:-1].rpartition(" ")
    document["cosigned"]["note"] = f"{name} {blob[:8]}{'B' if blob[8] != 'B' else 'C'}{blob[9:]}\n"


@forged(SETTLED, "cosignatures")
def the_log_has_not_signed_what_is_cosigned(document: Document) -> None:
    lines = document["cosigned"]["note"].split("\n")
    document["cosigned"]["note"] = "\n".join([*lines[:4], *lines[5:]])


@forged(SETTLED, "cosignatures")
def the_proof_of_the_cosigned_log_is_cut_off(document: Document) -> None:
    document["cosigned"]["consistency"].pop()


@forged(SETTLED, "cosignatures")
def the_proof_of_the_cosigned_log_has_a_step_more(document: Document) -> None:
    document["cosigned"]["consistency"].append(OTHER)


@forged(SETTLED, "cosignatures")
def the_cosigned_log_is_of_another_size(document: Document) -> None:
    sign_again(document)
    cosign(document)
    origin, size, rest = document["cosigned"]["note"].split("\n", 2)
    document["cosigned"]["note"] = f"{origin}\n{int(size) - 1}\n{rest}"


@forged(SETTLED, "cosignatures")
def the_note_ends_in_the_middle_of_a_line(document: Document) -> None:
    document["cosigned"]["note"] = document["cosigned"]["note"][:-1]


@forged(SETTLED, "cosignatures")
def a_log_without_a_checkpoint_is_cosigned(document: Document) -> None:
    document["checkpoint"], document["inclusion_proofs"] = None, []


@forged(SETTLED, "file")
def the_note_has_another_member(document: Document) -> None:
    document["cosigned"]["by"] = "witness.test/w1"
