"""Checkpoints, for queries; rows are written by `signing` only."""

from django.db import models


class Checkpoint(models.Model):
    """A signed checkpoint: the head of the log and the root of its Merkle tree at one position."""

    number = models.BigIntegerField(primary_key=True)
    position = models.BigIntegerField()
    head = models.BinaryField(max_length=32)
    root = models.BinaryField(max_length=32)
    previous = models.BinaryField(max_length=32)
    made_at = models.DateTimeField()
    key = models.TextField()
    signature = models.BinaryField(max_length=64)

    def __str__(self) -> str:
        return f"Checkpoint {self.number} at {self.position}"
