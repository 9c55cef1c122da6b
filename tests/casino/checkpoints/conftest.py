"""Storage of checkpoints for tests."""

import pytest


@pytest.fixture
def place(settings, tmp_path):
    """Configure a folder, with a space in its name, as the storage; the first copy creates it."""
    folder = tmp_path / "kept outside"
    settings.CHECKPOINT_STORAGE = folder.as_uri()
    return folder
