"""What the README shows can be run as it stands."""

import re
from pathlib import Path
from typing import Any

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_lines_of_python_run_one_after_the_other(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(blocks) == 2
    names: dict[str, Any] = {}
    for block in blocks:
        exec(block, names)  # noqa: S102 - the README is ours
    assert "view='participants'" in capsys.readouterr().out
    assert len(names["table"]) > 10
