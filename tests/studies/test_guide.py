"""The code of the guide runs, block after block."""

import re
from pathlib import Path

GUIDE = Path(__file__).parents[2] / "docs" / "studies.md"


def test_every_block_of_the_guide_runs(capsys):
    blocks = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.M | re.S)
    names = {"__name__": "guide"}
    for block in blocks:
        exec(compile(block, str(GUIDE), "exec"), names)
    printed = capsys.readouterr().out
    assert len(blocks) == 5
    assert "| iris      | COP-KMeans | 20 by Random |" in printed
    assert "a group of 20" in printed
