"""The options that several commands share, each declared once."""

from __future__ import annotations

from typing import Annotated

import typer

Db = Annotated[
    str | None,
    typer.Option(
        "--db", metavar="PATH", show_default=False, help="The memory file ($MEM_DB; else ./memory.memdb, else one in your data folder)."
    ),
]
Embedder = Annotated[
    str | None,
    typer.Option(
        "--embedder", metavar="NAME", show_default=False, help="Embedding model: a name or folder ($MEM_EMBEDDER); fixed in the file."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, warnings or notes on stderr.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
"""Declared for the help and the parser; `process.main` looks for it itself, as an error in parsing must be shown too."""

Limit = Annotated[int, typer.Option("-k", min=1, metavar="N", help="How many facts.")]
Explain = Annotated[bool, typer.Option("--explain", help="Show how the question was read and how each fact was found.")]
Batch = Annotated[
    bool,
    typer.Option("--batch", help="QUESTION is a file (- or nothing: stdin) with a question a line; print a JSON object a line."),
]
Question = Annotated[str | None, typer.Argument(metavar="QUESTION", show_default=False, help="In quotes; - or nothing: read from stdin.")]
