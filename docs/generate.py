"""Puts into the pages of this folder what `mem` really prints: `python docs/generate.py`, or with `--check` only look.

In a page, between `<!-- run: COMMAND -->` and `<!-- end -->` stands the command with its output, and between `<!-- prints -->` and
`<!-- end -->`, behind a block of Python, what that printed. Each page has a folder of its own, with the examples and a memory of
three of them. A page that runs jq is left as it is where there is none.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from runs import Workshop, workshop

PAGES = Path(__file__).resolve().parent

SETUP = "mem ingest river-house.jsonl verein.jsonl xiaozu.jsonl --db memory.memdb"

_RUN = re.compile(r"<!-- run: (?P<command>.+?) -->\n.*?<!-- end -->", re.DOTALL)
_PYTHON = re.compile(r"```python\n(?P<code>(?:(?!```).)*?)```\n\n<!-- prints -->\n.*?<!-- end -->", re.DOTALL)
_VARYING = re.compile(r"[0-9,]+ → [0-9,]+ bytes \([^)]*\)|[+-]?[0-9]+\.[0-9]+")


def generated(text: str, place: Workshop) -> str:
    """The page with all output as it is now."""

    def run(found: re.Match[str]) -> str:
        command = found["command"]
        return f"<!-- run: {command} -->\n```console\n$ {command}\n{_block(place.run(command))}```\n<!-- end -->"

    def python(found: re.Match[str]) -> str:
        (place.folder / "example.py").write_text(found["code"], encoding="utf-8")
        printed = place.run(f"'{sys.executable}' example.py")
        return f"```python\n{found['code']}```\n\n<!-- prints -->\n```text\n{_block(printed)}```\n<!-- end -->"

    return _PYTHON.sub(python, _RUN.sub(run, text))


def same(one: str, other: str) -> bool:
    """Whether two states of a page differ in nothing but what another CPU may round otherwise."""
    return _VARYING.sub("#", one) == _VARYING.sub("#", other)


def main(check: bool) -> int:
    """Bring every page up to date, or with `check` say which are not; 1 if there is one."""
    stale = []
    with workshop() as made:
        made.run(SETUP)
        for page in sorted(PAGES.glob("*.md")):
            old = page.read_text(encoding="utf-8")
            if "<!-- end -->" not in old or ("| jq" in old and shutil.which("jq") is None):
                continue
            with workshop() as place:
                shutil.copy(made.folder / "memory.memdb", place.folder)
                new = generated(old, place)
            if same(old, new):
                continue
            stale.append(page.name)
            if not check:
                page.write_text(new, encoding="utf-8")
    if stale:
        sys.stderr.write(f"{'stale' if check else 'written anew'}: {', '.join(stale)}\n")
    return int(check and bool(stale))


def _block(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
