"""Cases, attestation, clock readings and erasures. No row is ever changed."""

from enum import StrEnum

from django.db import models
from django.db.models.functions import Now

from casino.events.outbox import Waiting


class CaseKind(StrEnum):
    """What a case is about: a finding of a report, alerts about a player, or a complaint. Values may be added."""

    RETURN_OUT_OF_BAND = "return_out_of_band"
    WAGER_RECONCILIATION = "wager_reconciliation"
    SUSPICIOUS_ACTIVITY = "suspicious_activity"
    COMPLAINT = "complaint"


class Case(models.Model):
    """A finding that a person must look into. At most one case is open per operator and subject."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    kind = models.TextField()
    subject = models.TextField()
    report_id = models.UUIDField(null=True)
    details = models.JSONField()
    opened_by = models.TextField(default="", help_text="Who filed the complaint; empty for what was found.")
    opened_at = models.DateTimeField(db_default=Now())

    class Meta:
        permissions = [
            ("resolve_case", "Can own and resolve cases"),
            ("view_complaint", "Can view the complaints that one opened"),
        ]
        indexes = [
            models.Index(fields=["operator_id", "-id"], name="compliance_case_operator"),
            models.Index(fields=["operator_id", "subject", "-id"], name="compliance_case_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.kind.replace('_', ' ')}: {self.subject}"


class CaseAction(models.Model):
    """A step in working on a case: assigned to an owner, resolved with an explanation, or reopened. Numbered from 1."""

    case = models.ForeignKey(Case, models.PROTECT, related_name="actions")
    number = models.IntegerField()
    action = models.TextField()
    owner = models.TextField()
    resolution = models.TextField()
    by = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["case", "number"], name="compliance_caseaction_number"),
        ]

    def __str__(self) -> str:
        return f"action {self.number} on {self.case_id}"


class CaseEntryKind(StrEnum):
    """What is written down in a case; from `received` on, what its player is told. Values may be added."""

    NOTE = "note"
    EVIDENCE = "evidence"
    DOCUMENT = "document"
    DEADLINE = "deadline"
    REMINDER = "reminder"
    EXPORT = "export"
    REPORTED = "reported"
    RECEIVED = "received"
    MORE_NEEDED = "more_needed"
    UPHELD = "upheld"
    REJECTED = "rejected"
    CLOSED = "closed"


class AnswerKind(StrEnum):
    """What the player of a complaint is told. The last three resolve it."""

    RECEIVED = CaseEntryKind.RECEIVED.value
    MORE_NEEDED = CaseEntryKind.MORE_NEEDED.value
    UPHELD = CaseEntryKind.UPHELD.value
    REJECTED = CaseEntryKind.REJECTED.value
    CLOSED = CaseEntryKind.CLOSED.value


class CaseEntry(models.Model):
    """Something written down in a case. The text of a player's case is encrypted under the player's key."""

    case = models.ForeignKey(Case, models.PROTECT, related_name="entries")
    kind = models.TextField()
    text = models.TextField()
    evidence = models.TextField(
        default="", help_text="What it refers to, such as `round:<id>`, or the number of the operator's document."
    )
    sha256 = models.TextField(default="", help_text="Of a document, in hexadecimal.")
    due_at = models.DateTimeField(null=True, help_text="The deadline, of an entry that sets one.")
    by = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "case entries"

    def __str__(self) -> str:
        return f"entry {self.pk} of {self.case_id}"


class ComponentDigest(models.Model):
    """A component's items with their SHA-256 digests, stored once however often it is measured."""

    digest = models.TextField(primary_key=True)
    component = models.TextField()
    items = models.JSONField()

    def __str__(self) -> str:
        return f"{self.component} {self.digest[:12]}"


class Measurement(models.Model):
    """The digests of one process's components. `findings` are the differences from what was approved."""

    process = models.TextField()
    code = models.TextField()
    dependencies = models.TextField()
    settings = models.TextField()
    rules = models.TextField()
    verdict = models.TextField()
    findings = models.JSONField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "integrity check"
        indexes = [models.Index(fields=["-at"], name="compliance_measurement_at")]

    def __str__(self) -> str:
        return f"{self.process} {self.verdict}"


class Approval(models.Model):
    """A person's approval of code, dependencies and settings with these digests. The newest row counts."""

    code = models.TextField()
    dependencies = models.TextField()
    settings = models.TextField()
    by = models.TextField()
    reason = models.TextField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name = "approved release"
        permissions = [("approve_release", "Can approve a release")]

    def __str__(self) -> str:
        return f"approval {self.pk}"


class ClockReading(models.Model):
    """The offset of a process's clock from PostgreSQL's: positive when the process is behind."""

    process = models.TextField()
    host = models.TextField()
    offset_ms = models.IntegerField()
    out_of_tolerance = models.BooleanField()
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["host", "-id"], name="compliance_clock_host")]

    def __str__(self) -> str:
        return f"{self.process} {self.offset_ms} ms"


class Erasure(models.Model):
    """A player's personal data was erased, as two persons agreed. Kept for good; holds nothing personal."""

    id = models.UUIDField(primary_key=True)
    operator_id = models.UUIDField()
    player_id = models.UUIDField()
    reason = models.TextField()
    overrides_retention = models.BooleanField(help_text="Although the law requires the data to be kept.")
    requested_by = models.TextField()
    approved_by = models.TextField()
    erased_at = models.DateTimeField(db_default=Now())

    class Meta:
        permissions = [
            ("request_erasure", "Can request the erasure of a player"),
            ("approve_erasure", "Can approve or decline an erasure"),
            ("export_player", "Can export what one may see of a player"),
            ("export_operator", "Can export everything about an operator"),
        ]
        indexes = [
            models.Index(fields=["operator_id", "-id"], name="compliance_erasure_operator"),
            models.Index(fields=["player_id"], name="compliance_erasure_player"),
        ]

    def __str__(self) -> str:
        return f"erasure {self.id}"


class ErasureCopy(models.Model):
    """An erasure that CHECKPOINT_STORAGE has, by its number there. Found again there if the row is lost."""

    number = models.BigIntegerField(primary_key=True)
    player_id = models.UUIDField(unique=True)
    copied_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"copy {self.number} of an erasure"


class ExportKind(models.TextChoices):
    OWN = "own", "what players may have of themselves"
    PLAYER = "player", "what staff may see of a player"
    OPERATOR = "operator", "everything about an operator in an interval"


class DataExport(Waiting):
    """An export that was requested, and is made by a job; deleted after a day."""

    id = models.UUIDField(primary_key=True)
    kind = models.TextField(choices=ExportKind)
    operator_id = models.UUIDField()
    player_id = models.UUIDField(null=True)
    since = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    files = models.JSONField(default=list, help_text="Of a player, for staff: the names of its files.")
    workbooks = models.BooleanField(default=False, help_text="Whether each file comes as XLSX, too.")
    requested_by = models.TextField()
    requested_at = models.DateTimeField()
    ready_at = models.DateTimeField(null=True)
    size = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["player_id"], condition=models.Q(kind="own"), name="compliance_data_export_one"
            )
        ]
        indexes = [models.Index(fields=["requested_at"], name="compliance_data_export_at")]

    def __str__(self) -> str:
        return f"export {self.id}"


class DataExportPiece(models.Model):
    """A piece of the file of an export, encrypted: under the player's own key, or under the personal key `key_id`."""

    id = models.BigAutoField(primary_key=True)
    export = models.ForeignKey(DataExport, models.CASCADE, related_name="pieces")
    number = models.IntegerField()
    key_id = models.TextField(default="")
    data = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["export", "number"], name="compliance_data_export_piece")]

    def __str__(self) -> str:
        return f"piece {self.number} of export {self.export_id}"
