"""mem: a memory compiler. Chat transcripts in, answers with the exact words behind them out, in one SQLite file.

`Memory` is everything the `mem` command does, as calls. The other names are what it takes and returns.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memcli.atoms import Message
    from memcli.errors import InputError, MemError, ModelError, NotFoundError, StoreError, UsageError
    from memcli.evaluation import Evaluation
    from memcli.labelled import LabelledQuestion
    from memcli.memory import Memory
    from memcli.results import Answer, Evidence, Fact, Filters, IngestReport, Interval, Question, SearchResult, Shown, Status, Verification

__all__ = [
    "Answer",
    "Evaluation",
    "Evidence",
    "Fact",
    "Filters",
    "IngestReport",
    "InputError",
    "Interval",
    "LabelledQuestion",
    "MemError",
    "Memory",
    "Message",
    "ModelError",
    "NotFoundError",
    "Question",
    "SearchResult",
    "Shown",
    "Status",
    "StoreError",
    "UsageError",
    "Verification",
]

__version__ = "0.1.0"

_HOME = {
    "Memory": "memcli.memory",
    "Evaluation": "memcli.evaluation",
    "LabelledQuestion": "memcli.labelled",
    "Message": "memcli.atoms",
    **dict.fromkeys(("InputError", "MemError", "ModelError", "NotFoundError", "StoreError", "UsageError"), "memcli.errors"),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `mem --help` does not load the database and the models."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME.get(name, "memcli.results")), name)
