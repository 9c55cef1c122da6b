"""Where checkpoints of these tests are kept outside."""

import pytest


@pytest.fixture
def place(settings, tmp_path):
    """The folder that is the place outside, with spaces in its name; it is made by the first copy."""
    folder = tmp_path / "kept outside"
    settings.CHECKPOINT_STORAGE = folder.as_uri()
    return folder
