"""Golden files of cosigned rounds, tampered with by somebody who signs the log again and holds other notes."""

from tests.baccarat.proofs.forgeries_of_terms import sign_again
from tests.baccarat.proofs.forging import Document, cosign, forged

SETTLED = "cosigned/settled"


@forged(SETTLED, "cosignatures")
def another_log_is_cosigned(document: Document) -> None:
    line = document["checkpoint"].splitlines(keepends=True)[-1]
    sign_again(document)  # the checkpoint is the forger's, the cosignature is of another
    document["checkpoint"] += line


@forged(SETTLED, "cosignatures")
def a_log_of_another_origin_is_cosigned(document: Document) -> None:
    sign_again(document)
    cosign(document, origin="casino.localhost/other")


@forged(SETTLED, "cosignatures")
def somebody_else_cosigned_under_the_name_and_id_of_a_witness(document: Document) -> None:
    sign_again(document)
    cosign(document)
    note, _, line = document["checkpoint"][:-1].rpartition("\n")
    changed = line[:-10] + ("A" if line[-10] != "A" else "B") + line[-9:]
    document["checkpoint"] = f"{note}\n{changed}\n"


@forged(SETTLED, "cosignatures")
def the_time_of_a_cosignature_is_another(document: Document) -> None:
    name, _, blob = document["checkpoint"][:-1].rpartition(" ")
    document["checkpoint"] = f"{name} {blob[:8]}{'B' if blob[8] != 'B' else 'C'}{blob[9:]}\n"


@forged(SETTLED, "signature")
def the_log_has_not_signed_what_is_cosigned(document: Document) -> None:
    lines = document["checkpoint"].split("\n")
    document["checkpoint"] = "\n".join([*lines[:4], *lines[5:]])


@forged(SETTLED, "cosignatures")
def the_cosigned_log_is_of_another_size(document: Document) -> None:
    sign_again(document)
    cosign(document)
    origin, size, rest = document["checkpoint"].split("\n", 2)
    document["checkpoint"] = f"{origin}\n{int(size) + 1}\n{rest}"


@forged(SETTLED, "cosignatures")
def the_note_ends_in_the_middle_of_a_line(document: Document) -> None:
    document["checkpoint"] = document["checkpoint"][:-1]


@forged(SETTLED, "file")
def the_note_is_a_member_of_something(document: Document) -> None:
    document["checkpoint"] = {"note": document["checkpoint"]}
