"""Fetching model files from a hub with the hub's own client, so that an interrupted download goes on where it was.

The client itself forgets what it had when its process ends. So the file that it writes to is ours: it stays, under the name of what it
will be, and the next attempt asks for the rest.
"""

from __future__ import annotations

import fcntl
import io
import logging
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from memcli.errors import ModelError
from memcli.models.catalogue import room_for
from memcli.models.digest import file_digest, remember_digest
from memcli.models.gguf import MAGIC

if TYPE_CHECKING:
    from typing_extensions import Buffer

_PREFERRED: Final = ("q4_k_m", "q4_k_s", "q4_0", "q4_1", "q5_k_m", "q8_0")
"""Quantisations in the order in which one is taken where a repository has several: the best answers for their memory first."""

_SHA256: Final = re.compile(r"[0-9a-f]{64}")


def fetch(
    repository: str, file: str | None, folder: Path, *, sha256: str | None = None, report: Callable[[int, int], None] | None = None
) -> tuple[Path, str, str]:
    """Fetch a GGUF file, or the rest of one.

    Args:
        repository: `ORG/NAME`.
        file: its path in the repository; the usual quantisation when None.
        folder: where it goes.
        sha256: what its contents must be; else what the hub says they are, if it says so.
        report: told bytes here and bytes in all.

    Returns:
        Its path, its path in the repository, and its sha256.

    Raises:
        ModelError: it cannot be had, or is not what it should be.
        OSError: it cannot be written.
    """
    from huggingface_hub import HfApi, constants, get_hf_file_metadata, hf_hub_url
    from huggingface_hub.utils._headers import build_hf_headers
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)  # it tells of every attempt
    endpoint = (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")
    try:
        if file is None:
            file = _choose(repository, HfApi(endpoint=endpoint).list_repo_files(repository))
        url = hf_hub_url(repository, file, endpoint=endpoint)
        found = get_hf_file_metadata(url, endpoint=endpoint)
        headers = build_hf_headers()
    except ModelError:
        raise
    except Exception as error:  # the hub's, its HTTP client's and the system's
        raise _failed(repository, endpoint, error) from error
    told = found.etag if found.etag and _SHA256.fullmatch(found.etag) else None
    expected = sha256 or told
    target = folder / Path(file).name
    if expected is not None and target.is_file() and file_digest(target) == expected:
        return target, file, expected
    if found.size is not None:
        room_for(found.size, folder)
    # Another file, or another state of it, is another beginning.
    partial = folder / f".{target.name}.{re.sub(r'[^0-9A-Za-z]', '', found.etag or 'unknown')[:16]}.part"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _Counted(partial, found.size, report) as written:
        try:
            fcntl.flock(written, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ModelError(f"{repository}: another process is fetching {file} just now; wait for it") from error
        try:
            _download(url, written, headers, found.size)
        except Exception as error:  # as above
            raise _failed(repository, endpoint, error, here=partial.stat().st_size, size=found.size) from error
        written.flush()
        digest = _digest(partial)
        with partial.open("rb") as begin:
            magic = begin.read(len(MAGIC))
        if expected is not None and digest != expected:
            partial.unlink()
            raise ModelError(
                f"{repository}: {file} has sha256 {digest}, expected {expected}; it was deleted, so try again or check --sha256"
            )
        if magic != MAGIC:
            partial.unlink()
            raise ModelError(f"{repository}: {file} is not a GGUF model file; name another: mem models add {repository}:FILE.gguf")
        partial.replace(target)
    remember_digest(target, digest)
    return target, file, digest


class _Counted(io.FileIO):
    """A file that is gone on with, and tells how long it is."""

    def __init__(self, path: Path, total: int | None, report: Callable[[int, int], None] | None) -> None:
        super().__init__(path, "ab")
        self._total = total
        self._report = report

    def write(self, data: Buffer, /) -> int:
        written = super().write(data)
        if self._report is not None:
            self._report(self.tell(), self._total or self.tell())
        return written


def _download(url: str, file: _Counted, headers: dict[str, str], size: int | None) -> None:
    from huggingface_hub.file_download import http_get

    here = file.seek(0, os.SEEK_END)
    if size is not None and here > size:
        here = file.seek(0)
        file.truncate()
    # The size is that of the whole file for some versions of the client, of the rest for none.
    http_get(url, file, resume_size=here, headers=headers, expected_size=size)


def _choose(repository: str, files: list[str]) -> str:
    """The file to take when none is named.

    Raises:
        ModelError: there is none, or none that is usual.
    """
    models = [file for file in files if file.lower().endswith(".gguf") and "mmproj" not in file.lower()]
    if len(models) == 1:
        return models[0]
    for wanted in _PREFERRED:
        for file in models:
            if re.search(rf"(?<![a-z0-9]){wanted}(?![a-z0-9_])", file.lower()) and "-of-" not in file:
                return file
    if not models:
        raise ModelError(f"{repository}: has no GGUF file; look for one whose name ends in -GGUF")
    raise ModelError(
        f"{repository}: has {len(models)} GGUF files; name one: mem models add {repository}:{models[0]} ({', '.join(models[1:9])})"
    )


def _digest(path: Path) -> str:
    import hashlib

    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _failed(repository: str, endpoint: str, error: Exception, *, here: int = 0, size: int | None = None) -> ModelError:
    """What to tell of a failed request: no address with its signature, no headers."""
    kind = type(error).__name__
    if kind == "OfflineModeIsEnabled" or os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE"):
        return ModelError(f"{repository}: HF_HUB_OFFLINE is set, so nothing is fetched; unset it, or add a file: mem models add FILE.gguf")
    reasons = {
        "RepositoryNotFoundError": "there is no such model there, or it is not public",
        "GatedRepoError": "its terms must be accepted on the hub first, then log in: hf auth login",
        "EntryNotFoundError": "there is no such file in it",
        "RemoteEntryNotFoundError": "there is no such file in it",
    }
    reason = reasons.get(kind) or f"{kind}: {str(error).splitlines()[0] if str(error) else 'no answer'}"
    kept = f"; {here / 1e6:.0f} of {size / 1e6:.0f} MB are here, and the same command fetches the rest" if here and size else ""
    return ModelError(f"{repository}: cannot be fetched from {endpoint}: {reason}{kept}")
