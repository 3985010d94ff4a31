"""Search by words: what text looks like to the FTS5 indexes, writing the views, and reading postings back.

A *view* is a search key of an atom. Text is prepared by `search_text` on the way in and `search_terms` on the way out, the same
way for both, so that whatever was said can be found by saying it again:

- compatibility forms, case and width are folded (NFKC, casefold); diacritics and English endings are SQLite's business
  (`unicode61 remove_diacritics`, `porter`);
- scripts written without spaces (Han, kana, Hangul, Thai, Lao, Khmer, Burmese) become overlapping pairs of characters
  beside the single characters, since `unicode61` makes one token of a whole run;
- symbols that carry meaning (emoji, `C++`, `C#`) become tokens of their own.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Literal, cast

import apsw

View = Literal["span", "claim", "referent", "time_cue", "pivot", "keyword"]

TOKENIZER = ("porter", ("unicode61", "remove_diacritics", "2", "categories", "L* N* Co So"))
"""The tokenizer of every view, as the schema names it."""

UNSPACED = (
    "\u0e00-\u0e7f"  # Thai
    "\u0e80-\u0eff"  # Lao
    "\u1000-\u109f"  # Burmese
    "\u1100-\u11ff\uac00-\ud7af"  # Hangul
    "\u1780-\u17ff"  # Khmer
    "\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
)
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_SYMBOL = re.compile("[\u00a9\u00ae\u2100-\u214f\u2190-\u2bff\u3000-\u303f\U0001f000-\U0001faff]")
_CODE_NAME = re.compile(r"(?<![a-z0-9_])([a-z]{1,3})(\+\+|#)(?![a-z0-9_])")
_CODE_NAME_SUFFIX = {"++": "plusplus", "#": "sharp"}


def _pairs(run: re.Match[str]) -> str:
    text = run.group()
    return " " + " ".join([*text, *(text[i : i + 2] for i in range(len(text) - 1))]) + " "


def _prepare(text: str) -> str:
    text = unicodedata.normalize("NFKC", text).casefold()
    return _CODE_NAME.sub(lambda m: f" {m[1]}{_CODE_NAME_SUFFIX[m[2]]} ", text)


def search_text(text: str) -> str:
    """`text` as it goes into an index."""
    text = _prepare(text)
    text = _SYMBOL.sub(lambda m: f" {m.group()} ", text)
    return _UNSPACED_RUN.sub(_pairs, text)


@functools.cache
def _tokenizer() -> apsw.FTS5Tokenizer:
    name, arguments = TOKENIZER
    # A tokenizer belongs to a connection; this one is never used for anything else.
    return apsw.Connection(":memory:").fts5_tokenizer(name, list(arguments))


def _tokens(prepared: str, reason: int) -> list[str]:
    groups = _tokenizer()(prepared.encode("utf-8", "replace"), reason, None, include_offsets=False)
    return [str(token) for group in groups for token in group]


def tokenize(text: str) -> list[str]:
    """The index's own tokens of `text`, in order, with repeats: what `unicode61` and `porter` make of it."""
    return _tokens(search_text(text), apsw.FTS5_TOKENIZE_DOCUMENT)


def search_terms(text: str, limit: int = 256) -> list[str]:
    """The distinct terms to look for when `text` is the query, in order of first occurrence, at most `limit`.

    In scripts without spaces only the pairs are looked for, single characters where a run has no more than one.
    """
    prepared = _SYMBOL.sub(lambda m: f" {m.group()} ", _prepare(text))

    def pairs_only(run: re.Match[str]) -> str:
        chars = run.group()
        return " " + " ".join(chars[i : i + 2] for i in range(max(1, len(chars) - 1))) + " "

    return list(dict.fromkeys(_tokens(_UNSPACED_RUN.sub(pairs_only, prepared), apsw.FTS5_TOKENIZE_QUERY)))[:limit]


def insert_views(connection: apsw.Connection, view: View, rows: Iterable[tuple[int, str]]) -> None:
    """Index the search key of each (atom id, text)."""
    connection.executemany(f"INSERT INTO {view}_views (rowid, text) VALUES (?, ?)", ((i, search_text(text)) for i, text in rows))


def delete_views(connection: apsw.Connection, view: View, ids: Sequence[int]) -> None:
    """Take these atoms out of their index."""
    connection.executemany(f"DELETE FROM {view}_views WHERE rowid = ?", ((i,) for i in ids))


def vocabulary(connection: apsw.Connection, view: View) -> str:
    """The index's table of occurrences; one for each connection, in its temporary schema."""
    name = f"{view}_occurrences"
    connection.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{name} USING fts5vocab(main, {view}_views, instance)")
    return name


def postings(connection: apsw.Connection, view: View, term: str) -> list[tuple[int, int]]:
    """Where one token (as `search_terms` gives it) occurs: (atom id, term frequency), ascending by id."""
    table = vocabulary(connection, view)
    rows = connection.execute(f"SELECT doc, count(*) FROM {table} WHERE term = ? GROUP BY doc", (term,)).fetchall()
    return cast(list[tuple[int, int]], rows)
