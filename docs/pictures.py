"""Draws what `mem` prints on a terminal into `docs/pictures/`, for the README: `python docs/pictures.py`.

To look at other terminals, none of which is kept: `python docs/pictures.py --to FOLDER [--columns N] [--light] [--no-colour]`, with
`--all` a picture of every command besides.
"""

from __future__ import annotations

import argparse
import html
import io
import re
from pathlib import Path
from typing import Final

from rich.cells import cell_len
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, DIMMED_MONOKAI, TerminalTheme
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

OTHERS: Final = {
    "show": ["mem show 265", "mem show referent:Biscuit", "mem show message:s17-01"],
    "state": ["mem status", "mem verify", "mem doctor", "mem config show"],
    "silence": ['mem ask "What is the name of Teo\'s parrot?" -k 3'],
    "forget": ["mem forget --speaker Teo --before 2024-04-01 --dry-run", "mem export --to markdown | head -40"],
    "help": ["mem --help", "mem ask --help", "mem forget --help"],
    "wrong": ["mem ingest nowhere.jsonl 2>&1", "mem ask 2>&1", "mem show claim:99999 2>&1", "mem aks x 2>&1"],
}
"""What is only looked at."""


_WIDTH: Final = re.compile(r'textLength="(?P<width>[0-9.]+)"(?P<rest>[^>]*)>(?P<text>[^<]*)<')


def _widened(found: re.Match[str]) -> str:
    """A text with the width that it has on a terminal: rich takes every character for as wide as a Latin letter."""
    text = html.unescape(found["text"])
    width = float(found["width"]) * cell_len(text) / max(len(text), 1)
    return f'textLength="{width:g}"{found["rest"]}>{found["text"]}<'


def draw(
    scenes: dict[str, list[str]], *, columns: int = COLUMNS, theme: TerminalTheme = DIMMED_MONOKAI, colour: bool = True
) -> dict[str, str]:
    """An SVG for each scene."""
    drawn = {}
    with workshop() as place:
        for name, commands in scenes.items():
            console = Console(record=True, file=io.StringIO(), width=columns, color_system="truecolor", force_terminal=True)
            for number, command in enumerate(commands):
                console.print(Text(f"{chr(10) if number else ''}$ {command}", style="bold"))
                console.print(Text.from_ansi(place.run(command, colour=colour, columns=columns).rstrip("\n")))
            console.print()  # or the last line touches the frame
            # The id keeps styles of one picture from another's on the same page.
            svg = console.export_svg(title="mem", theme=theme, unique_id=f"mem-{name}")
            # Whoever looks at a picture fetches nothing: their own monospaced font will do.
            svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
            svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)  # or some programs drop spaces before a word
            svg = _WIDTH.sub(_widened, svg)
            drawn[name] = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
    return drawn


def main() -> None:
    """Draw what the README shows, or what the options ask for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--to", type=Path, default=PICTURES, metavar="FOLDER")
    parser.add_argument("--columns", type=int, default=COLUMNS, metavar="N")
    parser.add_argument("--light", action="store_true", help="on a terminal with a white background")
    parser.add_argument("--no-colour", action="store_true", help="as under NO_COLOR")
    parser.add_argument("--all", action="store_true", help="every command")
    options = parser.parse_args()
    theme = DEFAULT_TERMINAL_THEME if options.light else DIMMED_MONOKAI
    options.to.mkdir(parents=True, exist_ok=True)
    scenes = SCENES | OTHERS if options.all else SCENES
    for name, svg in draw(scenes, columns=options.columns, theme=theme, colour=not options.no_colour).items():
        (options.to / f"{name}.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
