"""Checkpoints as Django sees them, for reading pages; rows go in through `signing` only."""

from django.db import models


class Checkpoint(models.Model):
    """What a trusted key has signed of the log: its head and the root of its tree at one position."""

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
