"""Draws what `mem` prints on a terminal into `docs/pictures/`, for the README: `python docs/pictures.py`."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text
from runs import COLUMNS, workshop

PICTURES = Path(__file__).resolve().parent / "pictures"

SCENES: Final = {
    "ingest": ["mem ingest river-house.jsonl verein.jsonl xiaozu.jsonl --db memory.memdb"],
    "ask": ['mem ask "When does the support group meet?" -k 2', 'mem ask "期中报告什么时候交？" -k 1'],
    "explain": ['mem search "support group" -k 1 --explain'],
    "compress": ["mem compress --ratio 0.3", "mem restore"],
}
"""Each picture, and the commands that are seen in it. They run one after another in one folder."""


def draw(scenes: dict[str, list[str]]) -> dict[str, str]:
    """An SVG for each scene."""
    drawn = {}
    with workshop() as place:
        for name, commands in scenes.items():
            console = Console(record=True, file=io.StringIO(), width=COLUMNS, color_system="truecolor", force_terminal=True)
            for number, command in enumerate(commands):
                console.print(Text(f"{chr(10) if number else ''}$ {command}", style="bold"))
                console.print(Text.from_ansi(place.run(command, colour=True).rstrip("\n")))
            # The id keeps styles of one picture from another's on the same page.
            svg = console.export_svg(title="mem", theme=DIMMED_MONOKAI, unique_id=f"mem-{name}")
            # Whoever looks at a picture fetches nothing: their own monospaced font will do.
            svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
            svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # or some programs drop spaces before a word
            drawn[name] = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
    return drawn


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name, svg in draw(SCENES).items():
        (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")
