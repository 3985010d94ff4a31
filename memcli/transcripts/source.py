"""Opening a transcript: a file, a pipe, a zip archive or a folder, as byte streams that are plain UTF-8 without a mark.

Gzip, UTF-16 and byte-order marks are peeled off here, so that a reader never meets them.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO, Literal, cast

from memcli.errors import InputError
from memcli.transcripts.jsonstream import LARGEST, JSONStream
from memcli.transcripts.jsontext import BadJSONError, Json, first_value, loads
from memcli.transcripts.notes import Warnings
from memcli.transcripts.sample import BLANK, Sample
from memcli.transcripts.streams import CHUNK, Joined, Utf16, allow

SAMPLE_BYTES = 65_536
_PIECE = 4 * CHUNK
_DEPTH = 3
"""How many levels of a folder are listed: an export lies at its top or one folder down, and may have a folder a channel."""
_WRAPPINGS = 4
"""More gzip layers than this are no transcript."""
_GZIP = b"\x1f\x8b"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ENDING = re.compile(r"\.(?:gz|gzip)$", re.IGNORECASE)

Opener = Callable[[], IO[bytes]]


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not blank: its number (from 1), its text without outer whitespace, whether a newline ended it."""

    number: int
    text: str
    ended: bool


class Source:
    """One transcript, opened.

    `name` is what the user called it, `stem` its file name without endings (`stdin` for `-`), `parent` the name of the
    folder it is in. A file has a `stream`; a folder or zip archive has `members` instead, name to opener.
    """

    def __init__(
        self,
        name: str,
        *,
        stem: str,
        parent: str,
        kind: Literal["file", "zip", "folder"],
        head: bytes = b"",
        stream: IO[bytes] | None = None,
        members: Mapping[str, Opener] | None = None,
        warnings: Warnings | None = None,
        inside: str = "",
        encoding: str = "",
    ) -> None:
        """Hold what was opened; `open_source` makes these."""
        self.name = name
        self.stem = stem
        self.parent = parent
        self.kind = kind
        self.head = head
        self.stream: IO[bytes] = stream or io.BytesIO()
        self.members: Mapping[str, Opener] = members or {}
        self.warnings = warnings or Warnings()
        self._inside = inside
        self._encoding = encoding
        self._cleanup = ExitStack()

    def error(self, message: str, locator: str = "") -> InputError:
        """An input error at `locator` in this source, ready to raise."""
        return InputError(message, source=self.name, locator=self.place(locator))

    def place(self, locator: str) -> str:
        """A locator in this source; of a file in a folder or archive it names that file, too."""
        return ": ".join(part for part in (self._inside, locator) if part)

    def closes(self, resource: IO[bytes]) -> None:
        """Close `resource` when this source is closed."""
        self._cleanup.enter_context(closing(resource))

    def close(self) -> None:
        """Close what was opened here; streams that the caller opened stay open."""
        self._cleanup.close()

    def __del__(self) -> None:
        """Close what was opened even if nobody ever asked for a message."""
        self.close()

    def sample(self) -> Sample:
        """What detection looks at; nothing is consumed."""
        text = self.head.decode("utf-8", "replace")
        value, complete = first_value(text.lstrip(BLANK))
        return Sample(self.kind, text, value, complete, tuple(self.members), self._encoding, self.peek_member if self.members else None)

    def peek_member(self, name: str) -> Sample:
        """What detection looks at of one file of a folder or archive; an unreadable one looks empty."""
        try:
            with self.member(name) as member:
                return member.sample()
        except InputError:
            return Sample("file", "", None, complete=False)

    def begins_with(self) -> str:
        """The first character that is not blank, as far as detection looked."""
        return self.head.decode("utf-8", "replace").lstrip(BLANK)[:1]

    def raw_lines(self) -> Iterator[tuple[int, bytes]]:
        """Every line's number (from 1) and bytes, each as soon as the stream has it.

        Raises:
            InputError: the stream broke (a damaged gzip file, a disk error), or a line is too long to be one.
        """
        readline = self.stream.readline
        number = 0
        while True:
            try:
                raw = readline(LARGEST)
            except Exception as error:  # a damaged gzip or zip file makes its module raise nearly anything, IndexError included
                raise self.error(_why(error), f"line {number + 1}") from error
            if not raw:
                return
            number += 1
            if len(raw) == LARGEST and not raw.endswith(b"\n"):
                raise self.error(f"longer than {LARGEST // 1_000_000} million bytes; expected shorter lines", f"line {number}")
            yield number, raw

    def lines(self) -> Iterator[Line]:
        """The lines that are not blank, each as soon as the stream has it; errors as `raw_lines`."""
        for number, raw in self.raw_lines():
            text = self.decode(raw).strip(BLANK)
            if text:
                yield Line(number, text, raw.endswith(b"\n"))

    def text(self) -> str:
        """Everything that is left of the stream.

        Raises:
            InputError: the stream broke, or is too long to be one text.
        """
        with self._reading():
            raw = self.stream.read(LARGEST + 1)
        if len(raw) > LARGEST:
            raise self.error(f"more than {LARGEST // 1_000_000} million bytes in one JSON object; expected an array or JSON lines")
        return self.decode(raw)

    def json(self) -> JSONStream:
        """Everything that is left, as a JSON document to walk; walk it within `parsing`."""
        return JSONStream(self._pieces())

    def items(self) -> Iterator[tuple[str, Json]]:
        """The JSON document that is left, item by item: `("[0]", item)`, ... of an array, `("", value)` of anything else.

        Raises:
            InputError: it is not JSON; the locator names the line.
        """
        with self.parsing():
            stream = self.json()
            first = stream.peek()
            if first == "[":
                for index in stream.elements():
                    yield f"[{index}]", stream.value()
            elif first:
                yield "", stream.value()
            stream.finish()

    @contextmanager
    def parsing(self) -> Iterator[None]:
        """Turn what a `JSONStream` raises into an error at a line of this source."""
        try:
            yield
        except BadJSONError as error:
            raise self.error(f"not JSON: {error.reason}", f"line {error.line}") from error

    def _pieces(self) -> Iterator[str]:
        """What is left, decoded, in pieces."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        while True:
            with self._reading():
                raw = self.stream.read(_PIECE)
            piece = decoder.decode(raw, final=not raw)
            if "\ufffd" in piece and "\ufffd".encode() not in raw:
                self._say_invalid()
            if piece:
                yield piece
            if not raw:
                return

    @contextmanager
    def member(self, name: str) -> Iterator[Source]:
        """One file of a folder or archive as a source of its own; its errors name this source and the member."""
        with self._reading(name):
            raw = self.members[name]()
        with closing(raw):
            with self._reading(name):
                head, stream, _ = _peel(raw)
            stem, parent = _names(name)
            yield Source(self.name, stem=stem, parent=parent, kind="file", head=head, stream=stream, warnings=self.warnings, inside=name)

    def decode(self, raw: bytes) -> str:
        """The text of bytes from this source, what is not UTF-8 replaced, with a warning."""
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            self._say_invalid()
            return raw.decode("utf-8", "replace")

    def _say_invalid(self) -> None:
        self.warnings.count("passage with invalid UTF-8, replaced by U+FFFD", "passages with invalid UTF-8, replaced by U+FFFD")

    @contextmanager
    def _reading(self, locator: str = "") -> Iterator[None]:
        try:
            yield
        except Exception as error:  # a damaged gzip or zip file makes its module raise nearly anything, IndexError included
            raise self.error(_why(error), locator) from error


def open_source(source: str | Path | IO[bytes], name: str | None = None) -> Source:
    """Open a path, or a binary stream that the caller keeps.

    Raises:
        InputError: there is no such file, or it cannot be read.
    """
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    shown = name if name is not None else str(source) if path is not None else "-"
    stem, parent = _names(shown)
    if path is not None and not parent:
        parent = path.absolute().parent.name
    with ExitStack() as on_failure:
        try:
            if path is not None and path.is_dir():
                return Source(shown, stem=path.absolute().name, parent=parent, kind="folder", members=_folder(path))
            raw = path.open("rb") if path is not None else cast("IO[bytes]", source)
            if path is not None:
                on_failure.callback(raw.close)
            head, stream, encoding = _peel(raw)
            if head.startswith(_ZIP):
                whole = stream.read() if path is None or not path.is_file() else path
                members = _archive(whole)
                return Source(shown, stem=stem, parent=parent, kind="zip", members=members)
        except Exception as error:  # as above
            raise InputError(_why(error), source=shown) from error
        on_failure.pop_all()
        opened = Source(shown, stem=stem, parent=parent, kind="file", head=head, stream=stream, encoding=encoding)
        if path is not None:
            opened.closes(raw)
        return opened


def _why(error: BaseException) -> str:
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, EOFError):
        return "cannot be read: it ends in the middle of its compressed data; copy or download it again"
    reason = error.strerror if isinstance(error, OSError) and error.strerror else " ".join(str(error).split())
    return f"cannot be read: {reason or type(error).__name__}"


def _names(shown: str) -> tuple[str, str]:
    """The stem and the parent folder's name of a file's name; `-` is standard input."""
    if shown == "-":
        return "stdin", ""
    path = PurePath(_ENDING.sub("", shown))
    return path.stem or shown or "transcript", path.parent.name


def _peel(raw: IO[bytes]) -> tuple[bytes, IO[bytes], str]:
    """The first bytes of what `raw` holds inside its wrappings, a stream that begins with them, and the encoding if it is unusual."""
    stream = raw
    encoding = ""
    packed = None
    for _ in range(_WRAPPINGS):
        head = _head(stream)
        joined = Joined(head, stream, packed)
        whole = io.BufferedReader(joined, CHUNK)
        if head.startswith(_GZIP):
            stream = cast("IO[bytes]", gzip.GzipFile(fileobj=whole))
            packed = joined
        elif head.startswith(_UTF16):
            stream = io.BufferedReader(Utf16(whole), CHUNK)
            encoding = "UTF-16"
        elif head.startswith(codecs.BOM_UTF8):
            whole.read(len(codecs.BOM_UTF8))
            return head[len(codecs.BOM_UTF8) :], whole, encoding
        else:
            return head, whole, encoding
    raise OSError("compressed over and over")


def _head(stream: IO[bytes]) -> bytes:
    """The sample's bytes. A pipe is asked for no more than its first line if that already tells what it is."""
    patient = stream.seekable()
    head = b""
    while len(head) < SAMPLE_BYTES:
        line = stream.readline(SAMPLE_BYTES - len(head))
        if not line:
            break
        head += line
        if not patient and (head.startswith((_GZIP, *_ZIP, *_UTF16)) or _is_object(line)):
            break
    return head


def _is_object(line: bytes) -> bool:
    text = line.decode("utf-8", "replace").strip(BLANK)
    if not text.startswith("{"):
        return False
    try:
        loads(text)
    except BadJSONError:
        return False
    return True


def _folder(path: Path) -> dict[str, Opener]:
    members: dict[str, Opener] = {}
    for top, folders, files in os.walk(path):
        here = Path(top).relative_to(path)
        deepest = len(here.parts) >= _DEPTH - 1
        folders[:] = [] if deepest else sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                members[(here / name).as_posix()] = _file_opener(path / here / name)
    return members


def _file_opener(path: Path) -> Opener:
    return lambda: path.open("rb")


def _archive(target: Path | bytes) -> dict[str, Opener]:
    with zipfile.ZipFile(io.BytesIO(target) if isinstance(target, bytes) else target) as archive:
        entries = [entry for entry in archive.infolist() if not entry.is_dir()]
        # No entry gives more than it says; entries that share their bytes count each.
        allow(sum(entry.file_size for entry in entries), len(target) if isinstance(target, bytes) else target.stat().st_size)
        names = [entry.filename for entry in entries if not entry.filename.startswith("__MACOSX/")]
    return {name: _entry_opener(target, name) for name in names}


def _entry_opener(target: Path | bytes, name: str) -> Opener:
    def opener() -> IO[bytes]:
        # The entry keeps the archive's file open for as long as it needs it.
        with zipfile.ZipFile(io.BytesIO(target) if isinstance(target, bytes) else target) as archive:
            return archive.open(name)

    return opener
