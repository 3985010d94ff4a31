"""A folder of Parquet files, one a family of rows, as DuckDB, pandas and Polars read them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from memcli.errors import UsageError
from memcli.provenance.reading import Reading
from memcli.provenance.texts import to_json
from memcli.store.export_rows import (
    ClaimRow,
    EdgeRow,
    EventTreeRow,
    GroupRow,
    HandleRow,
    IngestRow,
    KeywordRow,
    LineageRow,
    MessageRow,
    ModelRow,
    PivotRow,
    ReferentRow,
    RunRow,
    SpanRow,
    SupportRow,
    TimeCueRow,
    TopicRow,
)

FILES: Final[dict[str, type[Any]]] = {
    "messages": MessageRow,
    "spans": SpanRow,
    "claims": ClaimRow,
    "support": SupportRow,
    "edges": EdgeRow,
    "referents": ReferentRow,
    "handles": HandleRow,
    "time_cues": TimeCueRow,
    "pivots": PivotRow,
    "keywords": KeywordRow,
    "groups": GroupRow,
    "topics": TopicRow,
    "ingests": IngestRow,
    "models": ModelRow,
    "runs": RunRow,
    "lineage": LineageRow,
    "event_trees": EventTreeRow,
}
"""The files' names, without `.parquet`, and what they hold."""

_BATCH: Final = 4096
"""Rows that are in memory at once, and in a row group: the longest messages of a large batch take some megabytes."""


def write(reading: Reading, folder: Path) -> None:
    """Write every file; each takes the place of one that is there only once it is whole.

    Raises:
        UsageError: pyarrow is not installed.
        OSError: the folder cannot be made or written to.
    """
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as error:
        raise UsageError("--to parquet needs pyarrow: pip install 'memcli[parquet]'") from error
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, family in FILES.items():
        schema = pa.schema([(field.name, _type(pa, str(field.type))) for field in fields(family)])
        final, partial = folder / f"{name}.parquet", folder / f".{name}.parquet.part"
        try:
            with (
                os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file,
                pq.ParquetWriter(file, schema, compression="zstd") as writer,
            ):
                for columns in _batches(reading, family):
                    writer.write_table(pa.table(columns, schema=schema))
            partial.replace(final)
        finally:
            partial.unlink(missing_ok=True)


def _batches(reading: Reading, family: type[Any]) -> Iterator[dict[str, list[Any]]]:
    """The family's columns, a batch of rows at a time; what is neither a number, a text nor a list of them as JSON."""
    names = [(field.name, "Mapping" in str(field.type)) for field in fields(family)]
    rows = reading.rows(family)
    while batch := list(islice(rows, _BATCH)):
        yield {name: [to_json(value) if nested else value for row in batch for value in (getattr(row, name),)] for name, nested in names}


def _type(pa: ModuleType, annotation: str) -> object:
    """The Arrow type of a field, by its annotation."""
    plain = {"int": pa.int64(), "float": pa.float64(), "str": pa.string(), "Sequence[str]": pa.list_(pa.string())}
    plain["Sequence[int]"] = pa.list_(pa.int64())
    return plain.get(annotation.removesuffix(" | None"), pa.string())
