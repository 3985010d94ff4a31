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
Rerank = Annotated[
    str | None,
    typer.Option(
        "--rerank",
        metavar="MODEL",
        envvar="MEM_RERANKER",
        show_envvar=False,
        show_default=False,
        help='Order the best facts anew by a cross-encoder: a folder or a fetched model\'s name ($MEM_RERANKER); "" for none.',
    ),
]
Llm = Annotated[
    str | None,
    typer.Option(
        "--llm",
        metavar="MODEL",
        show_default=False,
        help="Let a language model help: a GGUF file, a name from mem models list, or a server's address ($MEM_LLM).",
    ),
]
NoLlm = Annotated[bool, typer.Option("--no-llm", show_default=False, help="No language model this time.")]
LlmUses = Annotated[
    str | None,
    typer.Option(
        "--llm-uses",
        metavar="USES",
        show_default=False,
        help="What it may do, with commas between ($MEM_LLM_USES); what suits its size by default. docs/models.md lists them.",
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="LIMIT",
        show_default=False,
        help="Use it no more after so many tokens (20k) or so long (90s, 10m); work goes on.",
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

_MOMENT = "DATE"
AsOf = Annotated[
    str | None,
    typer.Option("--as-of", metavar=_MOMENT, show_default=False, help="The memory as it was then: nothing said after the end of DATE."),
]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar=_MOMENT, show_default=False, help='Only what was said from the start of DATE: 2023-05, "last June".'),
]
Until = Annotated[
    str | None, typer.Option("--until", metavar=_MOMENT, show_default=False, help="Only what was said before the start of DATE.")
]
Speaker = Annotated[str | None, typer.Option("--speaker", metavar="NAME", show_default=False, help="Only what NAME said.")]
Conversation = Annotated[
    str | None, typer.Option("--conversation", metavar="ID", show_default=False, help="Only this conversation; mem status lists them.")
]
Session = Annotated[str | None, typer.Option("--session", metavar="ID", show_default=False, help="Only this session.")]
