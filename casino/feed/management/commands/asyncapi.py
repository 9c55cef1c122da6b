from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import BaseCommand

from casino.feed.asyncapi import asyncapi_document


class Command(BaseCommand):
    """Write the AsyncAPI document."""

    help = "Write the AsyncAPI document of the feed, webhooks and streams to a file, or to the standard output."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--file", type=Path, default=None)

    def handle(self, *, file: Path | None, **_: object) -> None:
        if file is None:
            self.stdout.write(asyncapi_document().decode())
        else:
            file.write_bytes(asyncapi_document())
