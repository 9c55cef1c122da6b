"""`make play` as printed: bots play all five presets by all three fundings, and the audit finds nothing."""

import re
import subprocess
import sys
from pathlib import Path

from baccarat.domain.rules.presets import PRESETS
from casino.devstack.home import PROJECT
from tests.processes import clean_environment
from wallet.funding.events import Funding

RECIPE = re.compile(r"^play:\n(?:\t.*\n)*\t@exec \$\(RUN\) (.*) \$\(ARGS\)$", re.MULTILINE)


def test_bots_play_every_preset_by_every_funding_and_the_audit_finds_nothing(tmp_path: Path) -> None:
    environment = clean_environment(CASINO_HOME=str(tmp_path / ".casino"))
    (command,) = RECIPE.findall((PROJECT / "Makefile").read_text(encoding="utf-8"))
    done = subprocess.run(  # noqa: S603
        [sys.executable, *command.split()], cwd=PROJECT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    played = {(words[0], words[3]) for line in done.stdout.splitlines() if len(words := line.split()) > 3}
    assert {(preset, funding.value) for preset in PRESETS for funding in Funding} <= played
    assert re.search(r"^audit: ok rounds=[1-9]\d* .* findings=0$", done.stdout, re.MULTILINE)
    assert "VERIFIED" in done.stdout
    clean = [sys.executable, "-m", "casino.devstack.clean"]
    subprocess.run(clean, cwd=PROJECT, env=environment, check=True)  # noqa: S603
