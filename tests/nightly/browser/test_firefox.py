"""Five screens in Debian's Firefox, by WebDriver BiDi: each is drawn, fits, and logs no error."""

import json
import shutil
import subprocess
from typing import Any

from casino.devstack.home import PROJECT
from tests.programs import needs
from tests.support.typescript import needs_node
from tests.system.browser.house import House

PROGRAM = PROJECT / "tests" / "node" / "firefox.js"
FIREFOX, NODE = shutil.which("firefox-esr"), shutil.which("node")
LONGEST_SECONDS = 180


@needs("firefox-esr")
@needs_node
def test_five_screens_are_drawn_in_firefox(house: House):
    table = house.table("atlantic_city", turn_seconds=600)
    address, token = f"{house.base_url}/", house.seated(table, 1)

    done = subprocess.run(  # noqa: S603 - our own program
        [str(NODE), str(PROGRAM), str(FIREFOX), address, token, table],
        capture_output=True,
        text=True,
        timeout=LONGEST_SECONDS,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["seen"].keys() == {"door", "lobby", "table", "help", "verify"}
    for name, screen in answer["seen"].items():
        assert (screen["shown"], screen["overflow"], screen["errors"]) == (True, False, []), name
    assert answer["seen"]["help"]["text"].endswith("%")
