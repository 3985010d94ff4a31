"""Where a command's output goes: results to stdout, as text or JSON; notes and warnings to stderr, if that is a terminal.

On a terminal text is wrapped and styled, by rich; in a pipe every line is one line, without a style, and rich is not
even imported.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TextIO

from memcli.cli.render.clean import clean, one_line

if TYPE_CHECKING:
    from rich.console import Console

WIDEST: Final = 120
"""Columns that running text takes at most: longer lines are hard to read, however wide the terminal."""

GLUE: Final = "\ufdd0"
"""Stands for a space at which a line is not broken; shown as a space. A noncharacter, which no text has a use for."""

Part = str | tuple[str, str]
"""A piece of a line: a text, or a text and its style (`bold`, `dim`, `cyan`, ...)."""

_C1: Final = {code: f"\\u{code:04x}" for code in range(0x7F, 0xA0)}
"""JSON does not have to escape these, but a terminal may obey them; escaped they mean the same."""


@dataclass(frozen=True)
class Screen:
    """The output of one command: `as_json` for one that prints JSON, `quiet` for one that says nothing on stderr."""

    as_json: bool = False
    quiet: bool = False

    @property
    def talks(self) -> bool:
        """Whether there is somebody at stderr who wants to read more than errors."""
        return not self.quiet and is_terminal(sys.stderr)

    @cached_property
    def terminal(self) -> bool:
        """Whether stdout is a terminal."""
        return is_terminal(sys.stdout)

    def json(self, value: Mapping[str, Any]) -> None:
        """One JSON object: on one line, or indented if a person reads it."""
        self._json(value, indent=2 if self.terminal else None)

    def json_line(self, value: Mapping[str, Any]) -> None:
        """One JSON object on one line, which leaves the process at once."""
        self._json(value, indent=None)
        sys.stdout.flush()

    def _json(self, value: Mapping[str, Any], indent: int | None) -> None:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
        sys.stdout.write(text.translate(_C1) + "\n")

    def line(self, *parts: Part, lead: Part = "", style: str = "") -> None:
        """A line of cleaned text behind `lead`, which is dim by itself; a terminal's next lines are indented by as much."""
        lead, lead_style = (lead, "dim") if isinstance(lead, str) else lead
        pieces = [(part, style) if isinstance(part, str) else part for part in parts]
        pieces = [(clean(text), how) for text, how in pieces]
        if not self.terminal:
            text = "".join(text for text, _ in pieces).replace(GLUE, " ")
            sys.stdout.write((lead + text.replace("\n", "\n" + " " * len(lead))).rstrip() + "\n")
            return
        from rich.text import Text

        body = Text.assemble(*pieces)
        for number, line in enumerate(body.wrap(self._console, max(self._console.width - len(lead), 20))):
            line.rstrip()
            line.plain = line.plain.replace(GLUE, " ")
            self._console.print(Text.assemble((lead if number == 0 else " " * len(lead), lead_style), line), soft_wrap=True)

    def quote(self, text: str, lead: str) -> None:
        """Verbatim words, each of their lines behind `lead` and a `> `."""
        for line in text.strip("\r\n").splitlines() or [""]:
            self.line(line.rstrip(), lead=f"{lead}> ")

    def gap(self) -> None:
        """An empty line."""
        sys.stdout.write("\n")

    def note(self, text: str) -> None:
        """A remark beside the results."""
        if self.talks:
            sys.stdout.flush()
            self.error(text)

    @staticmethod
    def error(text: str) -> None:
        """What went wrong, on one line of stderr, whoever reads it."""
        sys.stderr.write(f"mem: {one_line(text)}\n")
        sys.stderr.flush()

    @cached_property
    def _console(self) -> Console:
        from rich.console import Console

        return Console(
            file=sys.stdout,
            force_terminal=True,
            color_system="standard" if _coloured() else None,
            width=min(shutil.get_terminal_size().columns, WIDEST),
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
        )


def glued(text: str) -> str:
    """`text` as a piece of a line that stays on one line, if it fits."""
    return text.replace(" ", GLUE)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether `stream` is open and a terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def _coloured() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
