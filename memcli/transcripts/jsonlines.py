"""JSON lines: one value a line, the last of which may be half-written yet."""

from __future__ import annotations

from collections.abc import Iterator

from memcli.errors import InputError
from memcli.transcripts.jsontext import BadJSONError, Json, is_cut_off, loads, loads_bytes
from memcli.transcripts.sample import BLANK
from memcli.transcripts.source import Source

_BLANK = BLANK.encode()


def json_lines(source: Source, expects: str, lines: Iterator[tuple[int, bytes]] | None = None) -> Iterator[tuple[str, Json]]:
    """Each line's place, `line 1`, and value. A last line that is cut off is left out with a warning.

    Args:
        source: where the lines are from.
        expects: what such a file looks like, for error messages.
        lines: the lines, by default all of the source's.

    Raises:
        InputError: a line is not JSON; it says which, and that `expects` was expected.
    """
    lines = source.raw_lines() if lines is None else lines
    for number, raw in lines:
        try:
            value = loads_bytes(raw)
        except BadJSONError:
            text = source.decode(raw).strip(BLANK)
            if not text:
                continue
            try:
                value = loads(text)
            except BadJSONError as error:
                cut = not raw.endswith(b"\n") or is_cut_off(text)
                if cut and not any(later.strip(_BLANK) for _, later in lines):
                    say_half_written(source, number)
                    return
                raise not_json(source, error, number, expects) from error
        yield f"line {number}", value


def not_json(source: Source, error: BadJSONError, line: int, expects: str) -> InputError:
    """The error for a line that is not JSON."""
    return source.error(f"not JSON: {error.reason}; expected {expects}", f"line {line}")


def say_half_written(source: Source, line: int) -> None:
    """Warn that the last line is left out."""
    source.warnings.say(f"line {line}: half-written last line skipped; reading again picks it up once it is whole")
